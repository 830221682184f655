/* study.js - the page of a study: filters, a chart over any axes, all runs with their reports. */
var TABLE_MAX = 2000; /* rows that are shown at once */
var hidden = data.axes.map(function() { return {}; }); /* by axis: values that are filtered out */
var choice = { stat : 0, x : 0, series : -1, kind : 'lines' };

function labelOf(axis, value) { return value === null ? '–' : data.axes[axis].values[value]; }

function filteredRuns() {
    return runs.filter(function(run) {
        return run.at.every(function(value, axis) { return !hidden[axis][value]; });
    });
}

/* ---- Summary and filters ---- */

function showCounts() {
    var counts = {}, body = byId('summary-body');
    runs.forEach(function(run) { counts[run.state] = (counts[run.state] || 0) + 1; });
    document.title = data.study + ' – Ogive study';
    byId('title').textContent = data.study;
    if (data.about)
        body.appendChild(element('p', {}, data.about));
    body.appendChild(element('p', { id : 'counts' }, runs.length + ' runs: ' +
        Object.keys(counts).map(function(state) { return counts[state] + ' ' + state; }).join(', ')));
    body.appendChild(element('p', { 'class' : 'note' }, 'Made by Ogive ' + data.ogive + ', build ' +
        data.build + '.'));
}

function showFilters() {
    data.axes.forEach(function(axis, a) {
        var boxes = axis.values.map(function(label, v) {
            return element('label', {}, [
                element('input', { type : 'checkbox', checked : '', 'data-axis' : a, 'data-value' : v,
                    onchange : function(event) {
                        hidden[a][v] = !event.target.checked;
                        showChart();
                    } }),
                ' ' + label
            ]);
        });
        byId('filters-body').appendChild(
            element('div', { 'class' : 'filter' }, [ element('b', {}, axis.name) ].concat(boxes)));
    });
}

/* ---- The chart ---- */

function chooser(id, name, options, selected, change) {
    var select = element('select', { id : id, onchange : function(event) {
        change(event.target.value);
        showChart();
    } }, options.map(function(option) {
        return element('option', { value : option[0], selected : option[0] === selected ? '' : null },
            option[1]);
    }));
    return element('label', {}, [ name + ' ', select ]);
}

function numericStats() {
    var found = [];
    data.stats.forEach(function(stat, i) {
        if (runs.some(function(run) { return run.values && run.values[i] !== null; }))
            found.push([ i, stat[0] ]);
    });
    return found;
}

function showControls() {
    var axes = data.axes.map(function(axis, i) { return [ i, axis.name ]; });
    var stats = numericStats();
    var cycles = stats.filter(function(stat) { return stat[1] === 'cycles'; })[0] || stats[0];
    choice.stat = cycles ? cycles[0] : 0;
    choice.series = data.axes.length > 1 ? 1 : -1;
    byId('chart-controls').appendChild(element('div', { 'class' : 'controls' }, [
        chooser('choose-stat', 'statistic', stats, choice.stat,
            function(value) { choice.stat = Number(value); }),
        chooser('choose-kind', 'as',
            [ [ 'lines', 'lines' ], [ 'bars', 'bars' ], [ 'heat', 'heat map' ] ], 'lines',
            function(value) { choice.kind = value; }),
        chooser('choose-x', 'along x', axes, 0, function(value) { choice.x = Number(value); }),
        chooser('choose-series', 'series', [ [ -1, 'none' ] ].concat(axes), choice.series,
            function(value) { choice.series = Number(value); })
    ]));
}

/* Means of the runs that pass the filters, by value of the two axes. */
function chartOf() {
    var unit = (data.stats[choice.stat] || [ '', '' ]);
    var x = data.axes[choice.x] ? data.axes[choice.x].values : [ '' ];
    var alone = choice.series < 0 || choice.series === choice.x;
    var series = alone ? [ unit[0] ] : data.axes[choice.series].values;
    var sums = series.map(function() { return x.map(function() { return [ 0, 0 ]; }); });
    filteredRuns().forEach(function(run) {
        var value = run.values ? run.values[choice.stat] : null;
        var column = data.axes.length ? run.at[choice.x] : 0;
        var row = alone ? 0 : run.at[choice.series];
        if (value === null || column === null || row === null)
            return;
        sums[row][column][0] += value;
        sums[row][column][1]++;
    });
    return { kind : choice.kind, categories : x, series : series,
        xTitle : data.axes[choice.x] ? data.axes[choice.x].name : '',
        yTitle : unit[0] + (unit[1] ? ' (' + unit[1] + ')' : ''),
        values : sums.map(function(row) {
            return row.map(function(sum) { return sum[1] ? sum[0] / sum[1] : null; });
        }) };
}

function showChart() {
    clear(byId('chart-body'));
    if (data.stats.length)
        byId('chart-body').appendChild(studyChart(chartOf()));
    else
        byId('chart-body').appendChild(element('p', { 'class' : 'note' }, 'No run is done yet.'));
    showRuns();
}

/* ---- Runs ---- */

function showRuns() {
    var shown = filteredRuns(), stat = data.stats[choice.stat];
    var columns = data.axes.map(function(axis) { return { label : axis.name }; });
    columns.push({ label : stat ? stat[0] : 'value', number : true }, { label : 'state' },
        { label : 'run' });
    var rows = shown.slice(0, TABLE_MAX).map(function(run) {
        var cells = run.at.map(function(value, axis) {
            return { text : labelOf(axis, value), value : value };
        });
        var value = run.values ? run.values[choice.stat] : null;
        var name = run.key.slice(0, 8);
        cells.push(number(value), text(run.state), {
            value : name,
            help : run.command,
            node : run.report ? element('a', { href : run.report }, name) : element('span', {}, name)
        });
        return cells;
    });
    clear(byId('runs-body'));
    byId('runs-body').appendChild(element('p', { 'class' : 'note', id : 'shown' },
        shown.length + ' of ' + runs.length + ' runs' +
        (shown.length > TABLE_MAX ? '; the first ' + TABLE_MAX + ' are listed' : '')));
    byId('runs-body').appendChild(table(columns, rows, 'runs-table'));
}

function showStudy() {
    showCounts();
    showFilters();
    showControls();
    showChart();
}
