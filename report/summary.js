/* summary.js - what was run, and what came out. */
var SUMMARY = [
    [ 'cycles', 'cycles', exact ], [ 'simulated_seconds', 'simulated time', seconds ],
    [
        'mrays_per_s', 'rays traced per second',
        function(v) { return exact(Number(v.toPrecision(5))) + ' Mrays/s'; }
    ],
    [ 'energy_j', 'energy', joules ], [ 'power_w', 'power', watts ],
    [ 'mrays_per_j', 'rays for energy', raysPerJoule ], [ 'area_mm2', 'area', areaOf ],
    [ 'rays', 'rays', exact ], [ 'instructions', 'instructions', exact ],
    [ 'l1_hit_rate', 'L1 hit rate', percent2 ], [ 'l2_hit_rate', 'L2 hit rate', percent2 ],
    [ 'l2_bandwidth_share', 'of the L2 bandwidth', percent2 ],
    [ 'dram_bandwidth_share', 'of the DRAM bandwidth', percent2 ],
    [ 'dram_read_bytes', 'read from DRAM', bytes ],
    [ 'dram_write_bytes', 'written to DRAM', bytes ], [ 'wall_seconds', 'host time', seconds ],
    [ 'cycles_per_wall_second', 'simulation speed', function(v) { return short(v) + ' cycles/s'; } ]
];

function joules(v, run) { return atLeast(run, 'energy_complete', amount(v, 'J')); }
function watts(v, run) { return atLeast(run, 'energy_complete', amount(v, 'W')); }
function areaOf(v, run) { return atLeast(run, 'area_complete', squareMillimetres(v)); }
function raysPerJoule(v, run) {
    return atMost(run, 'energy_complete', exact(Number(v.toPrecision(4))) + ' Mrays/J');
}
function percent2(v) { return percent(v, 2); }
function seconds(v) {
    return v >= 1 ? exact(Number(v.toPrecision(4))) + ' s' :
        v >= 1e-3 ? Number((v * 1e3).toPrecision(4)) + ' ms' :
                    Number((v * 1e6).toPrecision(4)) + ' µs';
}
function bytes(v) {
    var names = [ 'B', 'KiB', 'MiB', 'GiB', 'TiB' ], i = 0;
    while (v >= 1024 && i < 4) {
        v /= 1024;
        i++;
    }
    return Number(v.toPrecision(4)) + ' ' + names[i];
}

function workloadWords(run) {
    var load = run.workload, options = run.options || {};
    var words = [ run.architecture + ', ' + short(run.clock_hz) + 'Hz' ];
    if (options.program)
        words.push(
            'program ' + options.program +
            (options.arguments || []).map(function(a) { return ' ' + a; }).join(''));
    if (load)
        words.push(
            'scene ' + load.scene + ' (' + exact(load.triangles) + ' triangles, ' + load.nodes +
            ', ' + load.primitives + '), rays ' + load.rays + ', ' + load.width_pixels + ' x ' +
            load.height_pixels + ' pixels');
    (run.settings || []).forEach(function(setting) { words.push(setting); });
    return words.join(' · ');
}

function picture(run, key, caption) {
    if (run[key] === false)
        return element(
            'p', { 'class' : 'note' },
            caption + ': too large for this page; see ' + key + '.png in the folder.');
    return run[key] ?
        element(
            'figure', {},
            [
                element('img', { src : run[key], alt : caption, id : key + '-picture' }),
                element('figcaption', {}, caption)
            ]) :
        null;
}

function showSummary() {
    var body = byId('summary-body');
    document.title =
        runs.map(function(r) { return r.run.architecture; }).join(', ') + ' – Ogive report';
    byId('title').textContent = runs.map(function(r) { return r.folder; }).join('  |  ');
    runs.forEach(function(run, index) {
        var cards =
            SUMMARY.filter(function(row) { return typeof run.summary[row[0]] === 'number'; })
                .map(function(row) {
                    var value = run.summary[row[0]], type = {
                        'class' : 'card',
                        'data-name' : row[0],
                        'data-value' : String(value)
                    };
                    return withTip(
                        element(
                            'div', type,
                            [ element('b', {}, row[2](value, run)), element('span', {}, row[1]) ]),
                        'summary.' + row[0] + ' = ' + value);
                });
        var parts = [ element('p', {}, [
            element('b', {}, run.folder),
            ' – ' + run.summary.status + ' – ' + workloadWords(run.run)
        ]) ];
        if (run.summary.status !== 'finished' && run.summary.status !== 'stopped')
            parts.push(element(
                'p', { 'class' : 'warn' },
                'This run ended as “' + run.summary.status +
                    '”: the numbers cover what it did until then.'));
        var pictures = [
            picture(run, 'image', 'the picture'), picture(run, 'heatmap', 'what each pixel cost')
        ].filter(Boolean);
        parts.push(element('div', { 'class' : 'beside' }, [
            element('div', { 'class' : 'cards' }, cards)
        ].concat(pictures.length ? [ element('div', { 'class' : 'pictures' }, pictures) ] : [])));
        parts.push(element(
            'p', { 'class' : 'note' },
            'started ' + run.run.started + ' · digest ' + run.summary.digest + ' · ogive ' +
                run.run.ogive));
        body.appendChild(element(
            'div', { 'class' : 'run', style : 'border-color: var(--c' + index % 12 + ')' }, parts));
    });
}
