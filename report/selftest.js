/* selftest.js - the page tries itself: opened with #selftest it zooms, slides and sorts, and says
 * what came of it in an element that a script can read. */

/* Rows of the rays' picture in three orders, and what the table says. */
function tracesTest(traces) {
    function lengths(order) {
        byId('traces-order').value = order;
        byId('traces-order').dispatchEvent(new Event('change'));
        return [].map.call(
            document.querySelectorAll('.traces .trace'),
            function(trace) { return Number(trace.getAttribute('data-cycles')); });
    }
    function bars() { return document.querySelectorAll('.traces rect').length; }
    var result = { kept : traces.kept, median : traces.median, totals : traces.totals };
    result.longest = lengths('longest first');
    result.shortest = lengths('shortest first');
    result.bars = bars();
    byId('traces-time').value = 'since it had a slot';
    byId('traces-time').dispatchEvent(new Event('change'));
    result.barsInSlot = bars();
    result.reasons =
        [].map.call(document.querySelectorAll('#traces-table tbody tr'), function(row) {
            return row.children[0].textContent;
        });
    result.words = byId('traces-body').querySelector('.sentences').textContent;
    return result;
}

/* The links of the chip: how many are drawn, and what the trunks carry in the whole run and at all
 * times, in messages. */
function wiresTest(slider) {
    var run = runs[chip.run], ends = chipTimes(run), before = run.series ? run.series.start : 0;
    function at(value) {
        slider.value = value;
        slider.dispatchEvent(new Event('input'));
        return chip.carried;
    }
    function count(mode) {
        byId('chip-links').value = mode;
        byId('chip-links').dispatchEvent(new Event('change'));
        return document.querySelectorAll('#chip-picture .wire').length;
    }
    var result = { none : count('none'), all : count('all'), outer : count('outer') };
    result.over = ends.reduce(function(sum, end, b) {
        var cycles = end - before;
        before = end;
        return sum + at(b + 1) * cycles;
    }, 0);
    result.carried = at(0) * run.summary.cycles;
    return result;
}

function textsOf(selector) {
    return [].map.call(
        document.querySelectorAll(selector), function(node) { return node.textContent; });
}

/* The least contrast of any words on a colour: in bars, and on units of the chip. */
function contrastTest() {
    var least = 21;
    document.querySelectorAll('.tree .bar span').forEach(function(label) {
        var style = window.getComputedStyle(label);
        least = Math.min(
            least, contrast(colourParts(style.color), colourParts(style.backgroundColor)));
    });
    chip.cells.filter(function(unit) { return unit.label; }).forEach(function(unit) {
        var words = window.getComputedStyle(unit.label).fill;
        var under = window.getComputedStyle(unit).fill;
        least = Math.min(least, contrast(colourParts(words), colourParts(under)));
    });
    return least;
}

/* Whether no two names of links lie on each other, and all lie in the picture. */
function linkNamesTest() {
    var box = byId('chip-svg').viewBox.baseVal;
    var names = [].map.call(
        document.querySelectorAll('#chip-picture .link'),
        function(node) { return node.getBBox(); });
    return names.every(function(a, i) {
        return a.x + a.width <= box.width && names.slice(i + 1).every(function(b) {
            return a.y + a.height <= b.y || b.y + b.height <= a.y;
        });
    });
}

/* Lines of a chart that look the same in the legend. */
function alikeTest() {
    return charts.reduce(function(count, chart) {
        var seen = {};
        chartLines(chart).forEach(function(line) {
            var look = line.colour + line.dash;
            count += seen[look] ? 1 : 0;
            seen[look] = true;
        });
        return count;
    }, 0);
}

/* Units of the architecture without a name in the picture. */
function unnamedTest() {
    var named = {};
    document.querySelectorAll('#chip-picture [data-unit]').forEach(function(node) {
        named[node.getAttribute('data-unit')] = true;
    });
    return runs[chip.run].groups.map(unitName).filter(function(name) { return !named[name]; });
}

/* What is read first, and whether it can be read. */
function wordsTest(result) {
    result.headline = textsOf('#limits-body .headline')[0];
    result.command = textsOf('#limits-body .command code')[0] || null;
    result.bounds = textsOf('.bounds')[0] || null;
    result.waitingSum = textsOf('.waiting-sum')[0] || null;
    result.waitingOver = waitingNote({
        bottleneck : { resources : [ { waiting : 0.7 }, { waiting : 0.6 }, { waiting : null } ] }
    }).textContent;
    result.axes = charts.map(function(chart) {
        return [].map.call(
            chart.svg.querySelectorAll('.axis-title'),
            function(title) { return title.textContent; });
    });
    result.alike = alikeTest();
    result.contrast = contrastTest();
    result.unnamed = unnamedTest();
    result.linkNames = linkNamesTest();
    result.chipWidth = byId('chip-svg').viewBox.baseVal.width;
}

function selfTest() {
    var result = {
        runs : runs.length,
        folder : runs[0].folder,
        charts : charts.length,
        units : chip.cells.length,
        errors : errors
    };
    function when() { return byId('chip-when').textContent; }
    function ticks() {
        return charts.length ? charts[0].svg.querySelector('.axis').textContent : '';
    }
    result.cards = {};
    document.querySelectorAll('.card').forEach(function(card) {
        if (!(card.getAttribute('data-name') in result.cards))
            result.cards[card.getAttribute('data-name')] = card.getAttribute('data-value');
    });
    wordsTest(result);
    if (charts.length) {
        var before = ticks(), third = (extent[1] - extent[0]) / 3;
        setZoom([ extent[0] + third, extent[1] - third ]);
        result.zoomed = ticks() !== before && byId('zoom-range').textContent !== 'all cycles';
        result.linked = charts.every(function(
            c) { return c.svg.querySelector('.axis').textContent === ticks(); });
        setZoom(null);
        result.unzoomed = ticks() === before;
        var points = charts[0].svg.querySelector('.series').getAttribute('d').length;
        setStep(2);
        result.grouped = charts[0].svg.querySelector('.series').getAttribute('d').length <= points;
        setStep(1);
        result.saved = standalone(charts[0].svg).indexOf('<path') > 0;
    }
    var slider = byId('chip-slider'), whole = when();
    result.slider = Number(slider.max);
    result.mean = chip.mean;
    if (result.slider) {
        slider.value = 1;
        slider.dispatchEvent(new Event('input'));
        result.slid = when() !== whole;
        result.firstMean = chip.mean;
        slider.value = 0;
        slider.dispatchEvent(new Event('input'));
    }
    result.wires = wiresTest(slider);
    var heads = document.querySelectorAll('#stat-table th');
    function column(index) {
        return [].map.call(
            document.querySelectorAll('#stat-table tbody tr'),
            function(tr) { return tr.children[index].textContent; });
    }
    result.rows = column(0).length;
    heads[2].click();
    var values = column(2)
                     .map(function(v) { return Number(v.replace(/,/g, '')); })
                     .filter(function(v) { return !isNaN(v); });
    result.sorted = values.every(function(v, i) { return !i || values[i - 1] >= v; });
    byId('hide-zero').checked = false;
    byId('stat-filter').dispatchEvent(new Event('input'));
    result.stats = {};
    var units = column(0), stats = column(1), shown = column(2);
    units.forEach(function(unit, i) { result.stats[unit + '.' + stats[i]] = shown[i]; });
    result.energy = document.querySelectorAll('#energy-table tbody tr').length;
    result.missing = byId('energy-missing') ? byId('energy-missing').textContent : '';
    result.watts = runs[0].view ? powerLines(runs[0], runs[0].view).reduce(function(sum, line) {
        return sum + line.values.reduce(function(all, watt, b) {
            return all + watt * runs[0].view.lengths[b] / runs[0].run.clock_hz;
        }, 0);
    }, 0) : null;
    result.functions = {};
    (runs[0].calls && runs[0].calls.nodes || []).forEach(function(node) {
        result.functions[node.name] = (result.functions[node.name] || 0) + node.own;
    });
    result.flames = document.querySelectorAll('.flames rect').length;
    result.trees = {};
    runs[0].bottleneck.trees.forEach(function(tree) {
        result.trees[tree.name] = [
            tree.cycles, tree.parts.reduce(function(sum, part) { return sum + part.cycles; }, 0)
        ];
    });
    result.traces = runs[0].traces && !runs[0].traces.problem ? tracesTest(runs[0].traces) : null;
    function done() {
        document.body.appendChild(element('pre', { id : 'selftest' }, JSON.stringify(result)));
    }
    if (charts.length)
        pngAddress(charts[0].svg, function(address) {
            result.png = address.length;
            done();
        });
    else
        done();
}
