/* chip.js - the chip as a picture: domains and units as in the architecture, coloured by how busy
 * they were, over the whole run or at one time. */
var chip = { run : 0, kind : 'work', links : 'outer', at : 0, cells : [], strokes : [] };

function decoded(base64) {
    var binary = atob(base64), cells = new Uint8Array(binary.length);
    for (var i = 0; i < binary.length; i++)
        cells[i] = binary.charCodeAt(i);
    return cells;
}

/* From idle (like the page) over yellow to red. */
function heat(share) {
    var stops = window.matchMedia('(prefers-color-scheme: dark)').matches ?
        [ [ 38, 52, 69 ], [ 45, 110, 150 ], [ 220, 180, 70 ], [ 225, 75, 50 ] ] :
        [ [ 219, 231, 244 ], [ 110, 170, 210 ], [ 245, 195, 70 ], [ 205, 50, 35 ] ];
    var at = Math.max(0, Math.min(0.9999, share)) * (stops.length - 1), i = Math.floor(at),
        part = at - i;
    return 'rgb(' +
        [ 0, 1, 2 ]
            .map(function(
                k) { return Math.round(stops[i][k] + part * (stops[i + 1][k] - stops[i][k])); })
            .join(',') +
        ')';
}

/* Where the units are: domains one below the other, their copies beside each other, the copies of a
 * unit as a grid of small squares. */
function chipLayout(run) {
    var domains = {}, order = [];
    run.groups.forEach(function(group) {
        var name = group.name.split('.')[0];
        if (!domains[name]) {
            domains[name] = { name : name, copies : group.domains, groups : [] };
            order.push(name);
        }
        domains[name].groups.push(group);
    });
    return order.map(function(name) {
        var domain = domains[name];
        domain.groups.forEach(function(
            group) { group.inside = Math.round(group.copies / group.domains); });
        domain.cell = domain.copies > 60 ? 5 : domain.copies > 24 ? 7 : 10;
        return domain;
    });
}

/* Small chips are drawn up to so many times as large. */
var CHIP_WIDTH = 1180, CHIP_LARGEST = 1.6;

/* How many copies beside each other fill a width, without gaps where there is such a number. */
function gridColumns(count, cell, width) {
    var most = Math.max(1, Math.min(count, Math.floor(width / cell)));
    for (var columns = most; columns > most / 2; columns--)
        if (count % columns === 0)
            return columns;
    return most;
}

function unitName(group) { return group.name.split('.')[1]; }

/* How wide a unit must be for its name: letters are at least so high, and about 0.6 as wide. */
var NAME_LEAST = 6.5, NAME_MOST = 10.5, NAME_ROW = 11;
function nameWidth(group) { return 0.6 * NAME_LEAST * unitName(group).length + 4; }

/* A grid of many copies, below a line for its name. */
function bigBlock(domain, group, y, width) {
    var columns = gridColumns(group.inside, domain.cell, width), pitch = width / columns;
    return {
        group : group,
        x : 4,
        y : y + NAME_ROW,
        columns : columns,
        w : pitch - 1,
        h : domain.cell - 1,
        pitchX : pitch,
        pitchY : domain.cell,
        bottom : y + NAME_ROW + Math.ceil(group.inside / columns) * domain.cell + 3
    };
}

/* Wide enough for all names, and for grids that are wider than high. */
function domainWidth(domain, big, small, each) {
    var most = domain.copies === 1 ? 6 : 3;
    var widths = big.map(function(group) {
        return Math.max(
            Math.ceil(Math.sqrt(1.6 * group.inside)) * domain.cell, nameWidth(group) + 30);
    });
    return Math.max.apply(
        null, widths.concat(Math.min(small.length, most) * each, domain.least || 0));
}

function domainSize(domain) {
    var height = 3, across = 0, many = domain.copies > 24, row = many ? 13 : 20;
    var big = domain.groups.filter(function(g) { return g.inside > 4; });
    var small = domain.groups.filter(function(g) { return g.inside <= 4; });
    var each = Math.max.apply(null, small.map(nameWidth).concat(many ? 22 : 64));
    var width = domainWidth(domain, big, small, each);
    var perRow = Math.max(1, Math.min(small.length, Math.floor(width / each)));
    var wide = width / perRow;
    domain.blocks = big.map(function(group) {
        var block = bigBlock(domain, group, height, width);
        height = block.bottom;
        return block;
    });
    small.forEach(function(group) {
        var part = wide / group.inside;
        domain.blocks.push({
            group : group,
            x : 4 + across * wide,
            y : height,
            columns : group.inside,
            w : part - (group.inside > 1 ? 0.6 : 1.5),
            h : row - 2,
            pitchX : part,
            pitchY : row
        });
        if (++across === perRow) {
            across = 0;
            height += row;
        }
    });
    if (across)
        height += row;
    domain.width = width + 8;
    domain.height = height + 4;
}

/* A grid has its name above it, others inside: on the unit, or across all copies of it. */
function drawName(block, left, top, layer) {
    var group = block.group, name = unitName(group), grid = group.inside > 4;
    var wide = block.columns * block.pitchX - 1.5;
    var size = Math.min(NAME_MOST, grid ? 9 : block.h - 3, wide / (0.6 * name.length));
    return layer.appendChild(drawn(
        'text', {
            x : left + block.x + (grid ? 0 : wide / 2),
            y : grid ? top + block.y - 3 : top + block.y + block.h / 2 + size * 0.36,
            'class' : grid ? 'soft' : null,
            'text-anchor' : grid ? 'start' : 'middle',
            'data-unit' : name,
            style : 'font-size:' + (grid ? 8.5 : size).toFixed(1) + 'px;pointer-events:none'
        },
        grid ? group.inside + ' × ' + name : name));
}

function drawUnits(domain, block, copy, left, top, layer, run) {
    var group = block.group, number = run.groups.indexOf(group);
    for (var i = 0; i < group.inside; i++) {
        var x = left + block.x + (i % block.columns) * block.pitchX;
        var y = top + block.y + Math.floor(i / block.columns) * block.pitchY;
        var unit = drawn('rect', {
            'class' : 'unit plain',
            x : x.toFixed(1),
            y : y.toFixed(1),
            width : block.w.toFixed(1),
            height : block.h,
            rx : 1
        });
        unit.group = number;
        unit.copy = copy * group.inside + i;
        unit.name = group.name.replace('.', (group.domains > 1 ? '[' + copy + ']' : '') + '.') +
            (group.inside > 1 ? '[' + i + ']' : '');
        chip.cells.push(unit);
        layer.appendChild(unit);
    }
    var name = drawName(block, left, top, layer);
    if (group.inside <= 4)
        chip.cells[chip.cells.length - Math.ceil(group.inside / 2)].label = name;
}

/* A line of the architecture, with what its links carried where that was counted. */
function linkWords(run, link, index) {
    var line = run.traffic && run.traffic[index], cycles = run.summary.cycles || 1;
    function rate(messages) { return exact(Number((messages / cycles).toPrecision(4))); }
    var words = link.link + ': ' + link.latency_cycles + ' cycles';
    if (line)
        words += ', ' + rate(line.sent) + ' messages/cycle' +
            (line.answered === null ? '' : ' there, ' + rate(line.answered) + ' back');
    return words;
}

/* Where the copies of a domain go, from a height on: in rows as wide as the picture. */
function domainPlace(domain, y) {
    var gap = domain.copies > 24 ? 6 : 10;
    var perRow = Math.max(1, Math.floor((CHIP_WIDTH + gap) / (domain.width + gap)));
    var place = { domain : domain, gap : gap, copies : [] };
    for (var copy = 0; copy < domain.copies; copy++)
        place.copies.push({
            left : 2 + (copy % perRow) * (domain.width + gap),
            top : y + Math.floor(copy / perRow) * (domain.height + gap)
        });
    place.right = 2 + Math.min(perRow, domain.copies) * (domain.width + gap);
    place.bottom = y + Math.ceil(domain.copies / perRow) * (domain.height + gap);
    return place;
}

function drawDomain(place, layer, run) {
    var domain = place.domain;
    place.copies.forEach(function(at, copy) {
        layer.appendChild(drawn('rect', {
            'class' : 'domain',
            x : at.left,
            y : at.top,
            width : domain.width,
            height : domain.height,
            rx : 4
        }));
        domain.blocks.forEach(function(
            block) { drawUnits(domain, block, copy, at.left, at.top, layer, run); });
    });
}

function drawHeading(domain, y, layer) {
    layer.appendChild(drawn(
        'text',
        { x : 2, y : y + 12, 'class' : 'over', style : 'font-weight:600;font-size:13px' },
        domain.name + (domain.copies > 1 ? ' × ' + domain.copies : '')));
}

/* The links that begin in a domain and leave it: a line of words for each, above its trunk. The
 * height below them. */
function drawLinkNames(domain, y, layer, run) {
    (run.run.links || []).forEach(function(link, index) {
        if (link.within || link.link.split(/[.\[ ]/)[0] !== domain.name)
            return;
        var words = linkWords(run, link, index);
        chip.wide = Math.max(chip.wide, 30 + 5.6 * words.length);
        layer.appendChild(
            drawn('text', { x : 14, y : y + 10, 'class' : 'soft link over' }, '↕ ' + words));
        chip.trunks[index] = y + 18;
        y += 26;
    });
    return y;
}

function drawChip() {
    var run = runs[chip.run], y = 6, back = drawn('g'), layer = drawn('g'), front = drawn('g');
    chip.cells = [];
    chip.places = {}; /* of domains: where their copies are */
    chip.trunks = {}; /* of links between domains: at which height */
    chip.wide = CHIP_WIDTH / CHIP_LARGEST;
    chipLayout(run).forEach(function(domain, index, all) {
        domain.least = all.length === 1 && domain.copies === 1 ? chip.wide - 20 : 0;
        domainSize(domain);
        var place = chip.places[domain.name] = domainPlace(domain, y + 20);
        chip.wide = Math.max(chip.wide, place.right);
        drawHeading(domain, y, layer);
        drawDomain(place, layer, run);
        y = drawLinkNames(domain, place.bottom, layer, run) + 8;
    });
    var svg = drawn(
        'svg', {
            viewBox : '0 0 ' + Math.ceil(chip.wide + 12) + ' ' + Math.ceil(y),
            id : 'chip-svg',
            role : 'img'
        },
        [ back, layer, front ]);
    drawLinks(run, back, front);
    svg.addEventListener('mousemove', function(event) {
        if (event.target.name !== undefined)
            showTip(event, (event.target.words || unitWords)(event.target));
        else
            hideTip();
    });
    svg.addEventListener('mouseleave', hideTip);
    clear(byId('chip-picture'));
    byId('chip-picture').appendChild(svg);
    colourChip();
}

/* The resources of a group that count for what is shown. */
function chipResources(run, group) {
    var list = [];
    run.bottleneck.resources.forEach(function(r, index) {
        if (r.group === run.groups[group].name && r.kind === chip.kind &&
            run.cells.resources[index])
            list.push(index);
    });
    return list;
}

function cellBytes(run, index, key) {
    var cells = run.cells.resources[index];
    if (!cells[key])
        return null;
    if (!cells[key + 'Bytes'])
        cells[key + 'Bytes'] = decoded(cells[key]);
    return cells[key + 'Bytes'];
}

/* 0: the whole run; else an interval, of units where they are known, else of their group. */
function unitShare(run, resource, unit) {
    if (!chip.at)
        return cellBytes(run, resource, 'total')[unit.copy] / 250;
    var bytes = cellBytes(run, resource, 'time');
    if (bytes)
        return bytes[(chip.at - 1) * run.groups[unit.group].copies + unit.copy] / 250;
    return chip.over[resource] ? chip.over[resource][chip.at - 1] : 0;
}

function busiestOf(run, unit) {
    var best = null;
    chip.known[unit.group].forEach(function(resource) {
        var share = unitShare(run, resource, unit);
        if (!best || share > best.share)
            best = { share : share, resource : resource };
    });
    return best;
}

function unitWords(unit) {
    var run = runs[chip.run], words = [ unit.name + ' (' + run.groups[unit.group].type + ')' ];
    chip.known[unit.group].forEach(function(resource) {
        words.push(
            run.bottleneck.resources[resource].name + ': ' +
            percent(unitShare(run, resource, unit)));
    });
    return words.join('\n');
}

function chipTimes(run) {
    if (run.cells.ends.length)
        return run.cells.ends;
    return run.series ? run.series.ends : [];
}

function colourChip() {
    var run = runs[chip.run], sum = 0, count = 0;
    chip.known = run.groups.map(function(g, index) { return chipResources(run, index); });
    chip.over = {};
    if (!run.cells.ends.length && run.series && chip.at) {
        var view = grouped(run, 1);
        chip.known.forEach(function(list) {
            list.forEach(function(
                r) { chip.over[r] = utilisationOver(run, view, run.bottleneck.resources[r]); });
        });
    }
    chip.cells.forEach(function(unit) {
        var best = busiestOf(run, unit);
        unit.style.fill = best ? heat(best.share) : '';
        if (unit.label)
            unit.label.style.fill = best ? readableOn(heat(best.share)) : '';
        sum += best ? best.share : 0;
        count += best ? 1 : 0;
    });
    chip.mean = count ? sum / count : 0;
    var ends = chipTimes(run),
        from = chip.at > 1 ? ends[chip.at - 2] :
        run.series         ? run.series.start :
                             0;
    byId('chip-when').textContent =
        chip.at ? 'cycles ' + exact(from) + ' to ' + exact(ends[chip.at - 1]) :
                  run.now || 'the whole run';
    colourLinks(run, chip.at ? [ from, ends[chip.at - 1] ] : null);
    byId('chip-grain').textContent = !chip.at || run.cells.ends.length ?
        '' :
        'Over time all copies have the colour of their group: for each by itself, run with ' +
            '--series all.';
}

function showChip() {
    var body = byId('chip-body');
    var slider = element('input', {
        type : 'range',
        id : 'chip-slider',
        min : 0,
        value : 0,
        step : 1,
        oninput : function() {
            chip.at = Number(slider.value);
            colourChip();
        }
    });
    function choose(index) {
        chip.run = index;
        chip.at = 0;
        slider.max = chipTimes(runs[index]).length;
        slider.value = 0;
        drawChip();
    }
    var controls = [];
    if (runs.length > 1)
        controls.push(element('label', {}, [
            'run',
            element(
                'select',
                { id : 'chip-run', onchange : function(e) { choose(Number(e.target.value)); } },
                runs.map(function(
                    run, index) { return element('option', { value : index }, run.folder); }))
        ]));
    controls.push(element('label', {}, [
        'colour',
        element(
            'select', {
                id : 'chip-kind',
                onchange : function(e) {
                    chip.kind = e.target.value;
                    colourChip();
                }
            },
            [
                element('option', { value : 'work' }, 'busy: work done of what is possible'),
                element('option', { value : 'room' }, 'full: slots in use')
            ])
    ]));
    controls.push(element('label', {}, [
        'links',
        element(
            'select', {
                id : 'chip-links',
                onchange : function(e) {
                    chip.links = e.target.value;
                    drawChip();
                }
            },
            [
                element('option', { value : 'outer' }, 'between domains'),
                element('option', { value : 'all' }, 'all'),
                element('option', { value : 'none' }, 'none')
            ])
    ]));
    controls.push(element('label', {}, [ 'time', slider ]));
    controls.push(element('b', { id : 'chip-when' }));
    controls.push(element(
        'span', { 'class' : 'scale' },
        [ '0%' ].concat(
            [ 0, 0.2, 0.4, 0.6, 0.8, 1 ].map(function(share) {
                return element('span', {
                    style :
                        'display:inline-block;width:1.4rem;height:.8rem;background:' + heat(share)
                });
            }),
            [ '100%' ])));
    saveButtons('chip', function() { return byId('chip-svg'); })
        .forEach(function(button) { controls.push(button); });
    body.appendChild(element('div', { 'class' : 'controls' }, controls));
    body.appendChild(element('p', { 'class' : 'note', id : 'chip-grain' }));
    body.appendChild(element('p', { 'class' : 'note', id : 'chip-wires' }));
    body.appendChild(element('div', { id : 'chip-picture' }));
    choose(0);
}
