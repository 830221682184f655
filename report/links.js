/* links.js - the links in the picture of the chip: as wide as the messages that they carried,
 * and as warm, against the most that any of them carried.
 *
 * A line of the architecture that joins domains is a trunk below its first domain, with a branch to
 * every copy of both. One within a domain is a stroke between two units of each copy. */
var LINK_WIDEST = 10;

/* In pixels, from messages per cycle. */
function linkWidth(messages) { return Math.min(LINK_WIDEST, 0.4 + 2 * Math.sqrt(messages)); }

/* Messages of a line between two cycles, from the intervals; in proportion where one is cut. */
function linkBetween(run, index, key, from, to) {
    var values = run.series.columns['links[' + index + '].' + key], before = run.series.start;
    var sum = 0;
    (values || []).forEach(function(value, b) {
        var end = run.series.ends[b];
        var common = Math.min(end, to) - Math.max(before, from);
        if (common > 0)
            sum += value * common / (end - before);
        before = end;
    });
    return sum;
}

/* What a line carried in the time shown: { sent, answered } per cycle, over all its joints. */
function lineRate(run, index, span) {
    var line = run.traffic[index], cycles = Math.max(1, run.summary.cycles);
    if (!span)
        return { sent : line.sent / cycles, answered : (line.answered || 0) / cycles };
    cycles = Math.max(1, span[1] - span[0]);
    return {
        sent : linkBetween(run, index, 'sent', span[0], span[1]) / cycles,
        answered : linkBetween(run, index, 'answered', span[0], span[1]) / cycles
    };
}

/* The part of a copy at one end; over time only the mean of all copies is known. */
function copyRate(run, stroke, rate, span) {
    var line = run.traffic[stroke.index], copies = line[stroke.end];
    var cycles = Math.max(1, run.summary.cycles);
    if (!stroke.end)
        return rate;
    if (span)
        return { sent : rate.sent / copies.length, answered : rate.answered / copies.length };
    return {
        sent : copies[stroke.copy][0] / cycles,
        answered : copies[stroke.copy][1] / cycles
    };
}

function rateWords(name, rate, answers) {
    return name + ': ' + exact(Number(rate.sent.toPrecision(3))) + ' messages per cycle' +
        (answers ? ', ' + exact(Number(rate.answered.toPrecision(3))) + ' answers' : '');
}

function strokeWords(stroke) {
    var run = runs[chip.run], line = run.traffic[stroke.index];
    var words = [ run.run.links[stroke.index].link ];
    if (stroke.end)
        words.push(rateWords(stroke.name, stroke.rate, line.answered !== null));
    words.push(rateWords(
        'all ' + exact(line.joints) + ' links', stroke.all, line.answered !== null));
    return words.join('\n');
}

/* A path that knows which line and which copy it stands for. */
function newStroke(layer, index, end, copy, path, name) {
    var stroke = drawn('path', { 'class' : 'wire', d : path });
    stroke.index = index;
    stroke.end = end;
    stroke.copy = copy;
    stroke.name = name;
    stroke.words = function() { return strokeWords(stroke); };
    chip.strokes.push(stroke);
    layer.appendChild(stroke);
}

/* From a copy of a domain through the gap on its right to the trunk. */
function drawBranch(layer, index, end, place, copy, lane, trunk) {
    var at = place.copies[copy], right = at.left + place.domain.width;
    var x = right + place.gap * lane, y = at.top + place.domain.height * lane;
    newStroke(
        layer, index, end, copy,
        'M' + right.toFixed(1) + ' ' + y.toFixed(1) + 'H' + x.toFixed(1) + 'V' + trunk.toFixed(1),
        place.domain.name + (place.domain.copies > 1 ? '[' + copy + ']' : ''));
}

/* lane: of the branches of both ends in their gaps, 0 to 1. */
function drawTrunk(layer, run, index, lane) {
    var line = run.traffic[index], trunk = chip.trunks[index];
    newStroke(layer, index, null, 0, 'M2 ' + trunk + 'H' + (chip.wide + 2).toFixed(1), '');
    [ 'from', 'to' ].forEach(function(side, turn) {
        var place = chip.places[line[side].split('.')[0]];
        place.copies.forEach(function(at, copy) {
            drawBranch(layer, index, side + '_copies', place, copy, lane[turn], trunk);
        });
    });
}

/* The middle of a block of units, relative to its copy of the domain. */
function blockMiddle(domain, path) {
    var block = domain.blocks.filter(function(b) { return b.group.name === path; })[0];
    var rows = Math.ceil(block.group.inside / block.columns);
    return [ block.x + block.columns * block.pitchX / 2, block.y + rows * block.pitchY / 2 ];
}

function drawInner(layer, run, index) {
    var line = run.traffic[index], place = chip.places[line.from.split('.')[0]];
    var a = blockMiddle(place.domain, line.from), b = blockMiddle(place.domain, line.to);
    place.copies.forEach(function(at, copy) {
        newStroke(
            layer, index, 'from_copies', copy,
            'M' + (at.left + a[0]).toFixed(1) + ' ' + (at.top + a[1]).toFixed(1) + 'L' +
                (at.left + b[0]).toFixed(1) + ' ' + (at.top + b[1]).toFixed(1),
            place.domain.name + (place.domain.copies > 1 ? '[' + copy + ']' : ''));
    });
}

/* `back` lies behind the units, `front` before them. */
function drawLinks(run, back, front) {
    chip.strokes = [];
    if (!run.traffic || chip.links === 'none')
        return;
    var outer = Object.keys(chip.trunks);
    outer.forEach(function(index, i) {
        var lanes = 2 * outer.length + 1;
        drawTrunk(back, run, Number(index), [ (2 * i + 1) / lanes, (2 * i + 2) / lanes ]);
    });
    run.traffic.forEach(function(line, index) {
        if (chip.links === 'all' && !chip.trunks[index])
            drawInner(front, run, index);
    });
}

/* Messages per cycle of a line, as a copy of its first domain has them. */
function linkLoad(line, rate) { return (rate.sent + rate.answered) / line.from_copies.length; }

/* The most that a copy had of a line in the whole run, or all copies on average in an interval. */
function lineMost(run, index) {
    var line = run.traffic[index], cycles = Math.max(1, run.summary.cycles), most = 0;
    var before = run.series ? run.series.start : 0;
    line.from_copies.forEach(function(
        pair) { most = Math.max(most, (pair[0] + pair[1]) / cycles); });
    (run.series ? run.series.ends : []).forEach(function(end) {
        most = Math.max(most, linkLoad(line, lineRate(run, index, [ before, end ])));
        before = end;
    });
    return most;
}

/* The most of all lines that are drawn. */
function linksMost(run) {
    run.most = run.most || {};
    return chip.strokes.reduce(function(most, stroke) {
        if (run.most[stroke.index] === undefined)
            run.most[stroke.index] = lineMost(run, stroke.index);
        return Math.max(most, run.most[stroke.index]);
    }, 0);
}

/* span: two cycles, or null for the whole run. */
function colourLinks(run, span) {
    var rates = {}, most = linksMost(run);
    chip.carried = 0;
    chip.strokes.forEach(function(stroke) {
        var line = run.traffic[stroke.index];
        stroke.all = rates[stroke.index] = rates[stroke.index] || lineRate(run, stroke.index, span);
        stroke.rate = copyRate(run, stroke, stroke.all, span);
        var messages = stroke.rate.sent + stroke.rate.answered;
        var load = stroke.end === 'from_copies' ? messages : linkLoad(line, stroke.all);
        stroke.style.strokeWidth = linkWidth(messages) + 'px';
        stroke.style.stroke = heat(load / (most || 1));
        chip.carried += stroke.end ? 0 : messages;
    });
    byId('chip-wires').textContent = !chip.strokes.length ?
        '' :
        'Links are as wide as they carry messages, and red at ' +
            exact(Number(most.toPrecision(3))) +
            ' messages per cycle in a copy of their domain, the most of this run.';
}
