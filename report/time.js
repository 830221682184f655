/* time.js - which charts there are. */
function resourceLines(kind) {
    return function(run, view) {
        return run.bottleneck.resources
            .filter(function(r) { return r.kind === kind && r.utilisation !== null; })
            .map(function(r) {
                return {
                    label : r.group + ' ' + r.name,
                    values : utilisationOver(run, view, r),
                    help : r.sentence
                };
            });
    };
}

function statLines(choose) {
    return function(run, view) {
        var lines = [];
        run.groups.forEach(function(group) {
            var rows = run.types[group.type];
            Object.keys(rows).forEach(function(stat) {
                var values = choose(group, stat, rows[stat]) ? view.at(group.path, stat) : null;
                if (values && values.some(function(v) { return v; }))
                    lines.push({
                        label : group.name + '.' + stat,
                        values : values,
                        help : rows[stat].help
                    });
            });
        });
        return lines;
    };
}

/* The parts of a tree's first level as shares of the whole, from the counters below. */
function treeLines(name, type) {
    return function(run, view) {
        var tree = run.bottleneck.trees.filter(
            function(t) { return t.name === name && t.type === type; })[0];
        var groups = run.groups.filter(function(g) { return g.type === type; });
        function sum(stat) {
            var total = view.ends.map(function() { return 0; });
            groups.forEach(function(
                g) { (view.at(g.path, stat) || []).forEach(function(v, b) { total[b] += v; }); });
            return total;
        }
        /* A part that is not counted itself is the sum of its own parts. */
        function valuesOf(part) {
            if (run.types[type][part.name])
                return sum(part.name);
            return part.parts.reduce(function(total, inner) {
                return valuesOf(inner).map(function(v, b) { return v + total[b]; });
            }, view.ends.map(function() { return 0; }));
        }
        if (!tree)
            return [];
        var whole = valuesOf(tree);
        return tree.parts.filter(function(p) { return p.cycles > 0; }).map(function(part) {
            return {
                label : part.label,
                colour : 'var(--c' + tree.parts.indexOf(part) % 12 + ')',
                values :
                    valuesOf(part).map(function(v, b) { return whole[b] ? v / whole[b] : null; })
            };
        });
    };
}

/* A chart for what the threads or rays of each type did, in any of the runs. */
function treeCharts() {
    var charts = [];
    runs.forEach(function(run) {
        (run.bottleneck ? run.bottleneck.trees : []).forEach(function(tree) {
            var file = tree.type + '-' + tree.name;
            if (tree.first && !charts.some(function(chart) { return chart.file === file; }))
                charts.push({
                    title : 'Where the ' + tree.label + ' went',
                    file : file,
                    measure : 'share of these cycles',
                    share : true,
                    stack : true,
                    lines : treeLines(tree.name, tree.type)
                });
        });
    });
    return charts;
}

/* Statistics of memories that count bytes by what they are for: [, which way, what for]. */
function purposeOf(stat) {
    return /^bytes_(read|written)_(\w+)$/.exec(stat);
}

/* Of all memories together, per cycle. */
function purposeLines(run, view) {
    var lines = [], known = {};
    run.groups.forEach(function(group) {
        Object.keys(run.types[group.type]).forEach(function(stat) {
            var found = purposeOf(stat), values = found ? view.at(group.path, stat) : null;
            if (!values || !values.some(function(v) { return v; }))
                return;
            if (!known[stat])
                lines.push(known[stat] = {
                    label : found[2] + (found[1] === 'read' ? ' reads' : ' writes'),
                    values : values.map(function() { return 0; }),
                    help : run.types[group.type][stat].help
                });
            values.forEach(function(v, b) { known[stat].values[b] += v / view.lengths[b]; });
        });
    });
    return lines;
}

function bytesPerCycle(run, view) {
    var lines = statLines(function(group, stat, row) {
        return row.unit === 'bytes' && row.over_units === 'sum' && !purposeOf(stat);
    })(run, view);
    lines.forEach(function(
        line) { line.values = line.values.map(function(v, b) { return v / view.lengths[b]; }); });
    return lines;
}

function statNames() {
    var names = {};
    runs.forEach(function(run) {
        run.groups.forEach(function(group) {
            Object.keys(run.types[group.type])
                .forEach(function(stat) { names[group.name + '.' + stat] = true; });
        });
    });
    return Object.keys(names);
}

/* The unit of measure that the chosen statistics have in common. */
function chosenMeasure(chosen) {
    var measures = {};
    runs.forEach(function(run) {
        run.groups.forEach(function(group) {
            Object.keys(run.types[group.type]).forEach(function(stat) {
                if (chosen.indexOf(group.name + '.' + stat) >= 0)
                    measures[run.types[group.type][stat].unit] = true;
            });
        });
    });
    var names = Object.keys(measures);
    return names.length === 1 && names[0] ? names[0] + ' in an interval' : 'in an interval';
}

/* Any statistics: chosen by name. */
function ownChart(place) {
    var chosen = [];
    var list = element(
        'datalist', { id : 'stat-names' },
        statNames().map(function(n) { return element('option', { value : n }); }));
    var input = element('input', {
        list : 'stat-names',
        placeholder : 'add a statistic',
        id : 'pick',
        size : 28,
        onchange : function() {
            if (statNames().indexOf(input.value) < 0)
                return;
            chosen.push(input.value);
            input.value = '';
            chart.draw();
        }
    });
    var first = statNames().filter(function(n) { return /\.(issued|sent|reads)$/.test(n); })[0];
    if (first)
        chosen.push(first);
    var chart = {
        title : 'Your choice',
        file : 'choice',
        pick : input,
        measure : function() { return chosenMeasure(chosen); },
        lines : statLines(function(
            group, stat) { return chosen.indexOf(group.name + '.' + stat) >= 0; })
    };
    place.appendChild(list);
    newChart(place, chart);
}

/* All but the one whose lines are chosen. */
function chartKinds() {
    return [
        {
            title : 'Busy: work done of what is possible',
            file : 'busy',
            measure : 'share of what is possible',
            share : true,
            lines : resourceLines('work')
        },
        {
            title : 'Full: slots in use',
            file : 'full',
            measure : 'share of all slots',
            share : true,
            lines : resourceLines('room')
        },
        {
            title : 'Hit rates',
            file : 'hit-rates',
            measure : 'share of lookups',
            share : true,
            lines : statLines(function(g, stat) { return /hit_rate$/.test(stat); })
        }
    ].concat(treeCharts(), [
        {
            title : 'Memory traffic by purpose',
            file : 'purposes',
            measure : 'bytes per cycle',
            stack : true,
            lines : purposeLines
        },
        { title : 'Traffic', file : 'bytes', measure : 'bytes per cycle', lines : bytesPerCycle },
        { title : 'Power', file : 'power', measure : 'watts', stack : true, lines : powerLines }
    ]);
}

function showTime() {
    var body = byId('time-body');
    var timed = runs.filter(function(run) { return run.series; });
    if (!timed.length) {
        body.appendChild(element(
            'p', { 'class' : 'note' },
            'The run kept no intervals (it was made with --interval 0).'));
        return;
    }
    if (typeof d3 === 'undefined') {
        body.appendChild(element(
            'p', { 'class' : 'warn', id : 'no-charts' },
            'There are no charts: the library that draws them was ' +
                'not found when this page was made. Install the package ' + data.package +
                ' and make the page again with “ogive report”.'));
        return;
    }
    extent = [
        Math.min.apply(null, timed.map(function(r) { return r.series.start; })),
        Math.max.apply(
            null, timed.map(function(r) { return r.series.ends[r.series.ends.length - 1]; }))
    ];
    timed.forEach(function(run) { run.view = grouped(run, 1); });
    var most = Math.max.apply(null, timed.map(function(r) { return r.series.ends.length; }));
    var steps =
        [ 1, 2, 5, 10, 20, 50, 100 ].filter(function(s) { return s === 1 || s <= most / 4; });
    var length = timed[0].view.lengths[0];
    body.appendChild(element('div', { 'class' : 'controls' }, [
        element(
            'label', {},
            [
                'interval',
                element(
                    'select', {
                        id : 'step',
                        onchange : function(event) { setStep(Number(event.target.value)); }
                    },
                    steps.map(function(s) {
                        return element('option', { value : s }, short(s * length) + ' cycles');
                    }))
            ]),
        element(
            'button', { type : 'button', id : 'unzoom', onclick : function() { setZoom(null); } },
            'show all'),
        element(
            'span', { 'class' : 'note' },
            [
                'showing ', element('b', { id : 'zoom-range' }, 'all cycles'),
                '; drag in a chart to zoom all of them, double-click to go back'
            ])
    ]));
    var place = body.appendChild(element('div', { 'class' : 'charts' }));
    function any(lines) {
        return timed.some(function(run) { return lines(run, run.view).length; });
    }
    chartKinds().forEach(function(chart) {
        if (any(chart.lines))
            newChart(place, chart);
    });
    ownChart(place);
    charts.forEach(function(chart) { chart.draw(); });
    timed.forEach(function(run) {
        if (run.series.intervals > run.series.ends.length)
            body.appendChild(element(
                'p', { 'class' : 'note' },
                run.folder + ': ' + exact(run.series.intervals) +
                    ' intervals were put together into ' + exact(run.series.ends.length) +
                    '; series.csv has them all.'));
    });
}
