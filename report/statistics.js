/* statistics.js - all statistics and parameters. */
function statRows(filter) {
    var rows = [], first = runs[0];
    var paths = {};
    runs.forEach(function(run) { run.groups.forEach(function(g) { paths[g.path] = g; }); });
    Object.keys(paths).forEach(function(path) {
        var group = paths[path], owner = runs.filter(function(r) { return r.stats[path]; })[0];
        Object.keys(owner.types[group.type]).forEach(function(stat) {
            var row = owner.types[group.type][stat], name = plainName(path) + '.' + stat;
            if (filter && name.indexOf(filter) < 0)
                return;
            var values =
                runs.map(function(run) { return run.stats[path] ? run.stats[path][stat] : null; });
            if (byId('hide-zero').checked && values.every(function(v) { return !Number(v); }))
                return;
            rows.push([
                text(
                    plainName(path),
                    group.type + ', ' + group.copies + (group.copies > 1 ? ' copies' : ' copy')),
                text(stat, row.help)
            ]
                          .concat(
                              values.map(function(v, i) {
                                  return number(
                                      v === undefined ? null : v, undefined,
                                      i && typeof values[0] === 'number' && values[0] ?
                                          percent(v / values[0] - 1) + ' against ' + first.folder :
                                          row.help);
                              }),
                              [ text(row.unit || '', row.help), text(row.help) ]));
        });
    });
    return rows;
}

function showStatistics() {
    var body = byId('statistics-body'), place = element('div', { 'class' : 'scroll' });
    function show() {
        clear(place);
        var columns = [ { label : 'unit' }, { label : 'statistic' } ].concat(
            runs.map(function(
                run,
                i) { return { label : runs.length > 1 ? runName(i) : 'value', number : true }; }),
            [ { label : 'measure' }, { label : 'meaning' } ]);
        place.appendChild(table(columns, statRows(byId('stat-filter').value.trim()), 'stat-table'));
    }
    body.appendChild(element('div', { 'class' : 'controls' }, [
        element(
            'label', {},
            [
                'show',
                element(
                    'input', { id : 'stat-filter', placeholder : 'part of a name', oninput : show })
            ]),
        element(
            'label', {},
            [
                element(
                    'input',
                    { type : 'checkbox', id : 'hide-zero', checked : '', onchange : show }),
                'leave out zeros'
            ]),
        element(
            'span', { 'class' : 'note' },
            'All copies of a unit together. A click on a heading sorts; stats.json has every ' +
                'unit by itself.')
    ]));
    body.appendChild(place);
    show();
}

function showParameters() {
    var rows = [], units = {};
    runs.forEach(function(run) {
        Object.keys(run.run.parameters || {}).forEach(function(unit) { units[unit] = true; });
    });
    Object.keys(units).forEach(function(unit) {
        var names = {};
        runs.forEach(function(run) {
            Object.keys(run.run.parameters[unit] || {}).forEach(function(n) { names[n] = true; });
        });
        Object.keys(names).forEach(function(name) {
            rows.push([ text(unit), text(name) ].concat(runs.map(function(run) {
                var value = (run.run.parameters[unit] || {})[name];
                return text(
                    value === undefined     ? '–' :
                        name === 'clock_hz' ? short(value) + 'Hz' :
                                              String(value));
            })));
        });
    });
    byId('parameters-body').appendChild(element('details', {}, [
        element('summary', {}, exact(rows.length) + ' parameters, after defaults'),
        element(
            'div', { 'class' : 'scroll' },
            table(
                [ { label : 'unit' }, { label : 'parameter' } ].concat(runs.map(function(
                    run, i) { return { label : runs.length > 1 ? runName(i) : 'value' }; })),
                rows, 'parameter-table'))
    ]));
}
