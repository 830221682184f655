/* energy.js - energy, power and area. What is not known is null in the data, and said here. */
function amount(value, unit) {
    var prefixes = [ [ 1e6, 'M' ], [ 1e3, 'k' ], [ 1, '' ], [ 1e-3, 'm' ], [ 1e-6, 'µ' ], [ 1e-9, 'n' ] ];
    if (typeof value !== 'number')
        return 'not known';
    if (!value)
        return '0 ' + unit;
    var fit = prefixes.filter(function(p) { return value >= p[0]; })[0] || prefixes[5];
    return Number((value / fit[0]).toPrecision(4)) + ' ' + fit[1] + unit;
}
function squareMillimetres(value) {
    return typeof value === 'number' ? Number(value.toPrecision(4)) + ' mm²' : 'not known';
}

/* Sums that lack something are bounds. */
function atLeast(run, key, complete, words) {
    var bound = typeof run.summary[key] === 'number' && !run.summary[complete];
    return (bound ? '≥ ' : '') + words(run.summary[key]);
}

function energyGroups(run) {
    var groups = run.energy && run.energy.groups || {};
    return Object.keys(groups).map(function(path) {
        var group = groups[path], events = group.events || {};
        return {
            path : path,
            type : group.type,
            units : group.units,
            joules : group.energy_j,
            leakage : typeof group.unit_leakage_mw === 'number' ?
                group.unit_leakage_mw * group.units / 1e3 :
                null,
            area : typeof group.unit_area_mm2 === 'number' ? group.unit_area_mm2 * group.units : null,
            events : Object.keys(events).map(function(name) {
                var event = events[name];
                return {
                    name : name,
                    counter : event.counter,
                    count : event.count,
                    pj : event.pj,
                    joules : event.energy_j,
                    help : event.help
                };
            })
        };
    });
}

/* Watts of each group in each interval: what its counters grew by, and its leakage. */
function powerLines(run, view) {
    return energyGroups(run)
        .filter(function(group) { return group.joules > 0; })
        .sort(function(a, b) { return b.joules - a.joules; })
        .map(function(group) {
            var watts = view.ends.map(function() { return group.leakage || 0; });
            group.events.forEach(function(event) {
                var counts = typeof event.pj === 'number' ? view.at(group.path, event.counter) : null;
                (counts || []).forEach(function(count, b) {
                    var time = view.lengths[b] / run.run.clock_hz;
                    watts[b] += time > 0 ? count * event.pj * 1e-12 / time : 0;
                });
            });
            return {
                label : plainName(group.path),
                values : watts,
                help : amount(group.joules, 'J') + ' in all'
            };
        });
}

/* Its events cost nothing by themselves: somebody else charges for them. */
function chargedElsewhere(group) {
    return !(group.joules > 0) && group.events.length > 0 &&
        group.events.every(function(event) { return event.pj === 0; });
}

function energyTable(run) {
    var whole = run.summary.energy_j || 0, time = run.summary.simulated_seconds || 0;
    var rows = energyGroups(run).map(function(group) {
        var known = typeof group.joules === 'number' && !chargedElsewhere(group);
        return [
            text(plainName(group.path)), text(String(group.type)), number(group.units),
            number(
                known ? group.joules : null,
                chargedElsewhere(group) ? 'elsewhere' : amount(group.joules, 'J'),
                chargedElsewhere(group) ? group.events[0].help : undefined),
            known && whole ? { node : meter(group.joules / whole, 'work'), value : group.joules } :
                             number(null, '–'),
            number(
                known && time ? group.joules / time : null,
                chargedElsewhere(group) ? '–' :
                                          amount(known && time ? group.joules / time : null, 'W')),
            number(group.leakage, amount(group.leakage, 'W')),
            number(group.area, squareMillimetres(group.area))
        ];
    });
    return table(
        [
            { label : 'unit' }, { label : 'type' }, { label : 'units', number : true },
            { label : 'energy', number : true, help : 'events and leakage' }, { label : 'share' },
            { label : 'power', number : true }, { label : 'of it leakage', number : true },
            { label : 'area', number : true }
        ],
        rows, 'energy-table');
}

function eventTable(run) {
    var rows = [];
    energyGroups(run).forEach(function(group) {
        group.events.filter(function(event) { return event.count; }).forEach(function(event) {
            rows.push([
                text(plainName(group.path)), text(event.name, event.help), number(event.count),
                number(event.pj, typeof event.pj === 'number' ? exact(event.pj) : 'not known'),
                number(event.joules, amount(event.joules, 'J')), text(String(event.help))
            ]);
        });
    });
    return table(
        [
            { label : 'unit' }, { label : 'event' }, { label : 'times', number : true },
            { label : 'pJ each', number : true }, { label : 'energy', number : true },
            { label : 'where the number comes from' }
        ],
        rows, 'event-table');
}

/* "leakage of 128 core, 24 sfu": what is missing, put together by type. */
function missingWords(run) {
    var whats = {};
    (run.energy.missing || []).forEach(function(row) {
        var types = whats[row.what] = whats[row.what] || {};
        types[row.type] = (types[row.type] || 0) + row.units;
    });
    return Object.keys(whats).map(function(what) {
        return what + ' of ' + Object.keys(whats[what]).map(function(type) {
            return exact(whats[what][type]) + ' ' + type;
        }).join(', ');
    });
}

function energySection(run) {
    var technology = run.energy.technology || {}, missing = missingWords(run), parts = [];
    if (runs.length > 1)
        parts.push(element('h3', {}, run.folder));
    parts.push(element(
        'p', {},
        'Energy ' +
            atLeast(
                run, 'energy_j', 'energy_complete', function(v) { return amount(v, 'J'); }) +
            ', power ' +
            atLeast(run, 'power_w', 'energy_complete', function(v) { return amount(v, 'W'); }) +
            ' on average, area ' +
            atLeast(run, 'area_mm2', 'area_complete', squareMillimetres) + '; ' +
            exact(technology.node_nm) + ' nm at ' + short(Number(technology.supply_v)) + ' V.'));
    if (missing.length)
        parts.push(element('p', { 'class' : 'warn', id : 'energy-missing' }, [
            'Not known, and so not counted: ' + missing.join('; ') +
                '. Sums are bounds from below; docs/energy.md says how to set these numbers.'
        ]));
    parts.push(element(
        'p', { 'class' : 'note' }, 'Not modelled: ' + (run.energy.left_out || []).join(', ') + '.'));
    parts.push(element('div', { 'class' : 'scroll' }, energyTable(run)));
    parts.push(element('details', {}, [
        element('summary', {}, 'Energy per event, and where each number comes from'),
        element('div', { 'class' : 'scroll' }, eventTable(run))
    ]));
    return parts;
}

function showEnergy() {
    var body = byId('energy-body'), told = runs.filter(function(run) { return run.energy; });
    told.forEach(function(run) {
        energySection(run).forEach(function(part) { body.appendChild(part); });
    });
    if (!told.length)
        body.appendChild(element(
            'p', { 'class' : 'note' }, 'The run says nothing of energy: an older version made it.'));
}
