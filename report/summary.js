/* summary.js - what was run, and what came out. */
var SUMMARY = [
    [ 'cycles', 'cycles', exact ], [ 'simulated_seconds', 'simulated time', seconds ],
    [ 'frames_per_s', 'frames per second', rounded ],
    [
        'mrays_per_s', 'rays traced per second',
        function(v) { return exact(Number(v.toPrecision(5))) + ' Mrays/s'; }
    ],
    [ 'rays', 'rays', exact ], [ 'nodes_per_ray', 'nodes per ray', rounded ],
    [ 'triangles_per_ray', 'triangles tested per ray', rounded ],
    [ 'instructions', 'instructions', exact ], [ 'ipc', 'instructions per cycle', rounded ],
    [ 'ipc_per_core', 'instructions per cycle of a core', rounded ],
    [ 'l1_hit_rate', 'L1 hit rate', percent2 ], [ 'l2_hit_rate', 'L2 hit rate', percent2 ],
    [ 'l2_bandwidth_share', 'of the L2 bandwidth', percent2 ],
    [ 'dram_bandwidth_share', 'of the DRAM bandwidth', percent2 ],
    [ 'dram_read_bytes', 'read from DRAM', bytes ],
    [ 'dram_write_bytes', 'written to DRAM', bytes ], [ 'wall_seconds', 'host time', seconds ],
    [ 'cycles_per_wall_second', 'simulation speed', function(v) { return short(v) + ' cycles/s'; } ]
];

/* Those that are bounds where something is not known: [ name, words, value in words, the key that
 * says whether it is whole, what it is otherwise ]. */
var BOUNDED = [
    [ 'energy_j', 'energy', function(v) { return amount(v, 'J'); }, 'energy_complete', '≥ ' ],
    [ 'power_w', 'power', function(v) { return amount(v, 'W'); }, 'energy_complete', '≥ ' ],
    [
        'mrays_per_j', 'rays for energy', function(v) { return rounded(v) + ' Mrays/J'; },
        'energy_complete', '≤ '
    ],
    [ 'area_mm2', 'area', squareMillimetres, 'area_complete', '≥ ' ]
];

function rounded(v) { return exact(Number(v.toPrecision(4))); }
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

/* What kind of rays these were, where that is known. */
function raysWords(run) {
    var load = run.run.workload, kinds = { 'of the program' : 'rays, made by the program' };
    return load && load.rays ? kinds[load.rays] || load.rays + ' rays' : 'rays';
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

function card(name, value, shown, label) {
    return withTip(
        element(
            'div', { 'class' : 'card', 'data-name' : name, 'data-value' : String(value) },
            [ element('b', {}, shown), element('span', {}, label) ]),
        'summary.' + name + ' = ' + value);
}

/* Nothing is said of a memory that is not there. */
function cardIsKnown(run, name) {
    var bytes = name === 'dram_read_bytes' || name === 'dram_write_bytes';
    return typeof run.summary[name] === 'number' &&
        (!bytes || run.summary[name] > 0 || typeof run.summary.dram_bandwidth_share === 'number');
}

function summaryCards(run) {
    var load = run.run.workload;
    var cards = SUMMARY.filter(function(row) { return cardIsKnown(run, row[0]); })
                    .map(function(row) {
                        var value = run.summary[row[0]];
                        return card(
                            row[0], value, row[2](value),
                            row[0] === 'rays' ? raysWords(run) : row[1]);
                    });
    if (load && load.rays === 'of the program')
        cards.splice(
            1, 0,
            element('div', { 'class' : 'card' }, [
                element('b', {}, exact(load.samples)), element('span', {}, 'samples per pixel')
            ]));
    BOUNDED.forEach(function(row) {
        var value = run.summary[row[0]];
        if (typeof value === 'number' && run.summary[row[3]])
            cards.push(card(row[0], value, row[2](value), row[1]));
    });
    return cards;
}

/* Bounds are no measurements: they have a line of their own, with what is missing in them. */
function boundsLine(run) {
    var bounds = BOUNDED.filter(function(row) {
        return typeof run.summary[row[0]] === 'number' && !run.summary[row[3]];
    });
    if (!bounds.length)
        return null;
    var missing = run.energy ? missingWords(run) : [];
    return element('p', { 'class' : 'note bounds' }, [
        'Bounds: ' + bounds.map(function(row) {
            return row[1] + ' ' + row[4] + row[2](run.summary[row[0]]);
        }).join(', ') + '. ',
        missing.length ? 'Not known, and so not in them: ' + missing.join('; ') + '.' : ''
    ]);
}

function summaryParts(run) {
    var parts = [ element('p', {}, [
        element('b', {}, run.folder),
        ' – ' + run.summary.status + ' – ' + workloadWords(run.run)
    ]) ];
    if (run.summary.status !== 'finished' && run.summary.status !== 'stopped')
        parts.push(element(
            'p', { 'class' : 'warn' },
            'This run ended as “' + run.summary.status +
                '”: the numbers cover what it did until then.'));
    if (run.bottleneck.words.length)
        parts.push(element('p', { 'class' : 'headline' }, run.bottleneck.words[0]));
    var pictures = [
        picture(run, 'image', 'the picture'), picture(run, 'heatmap', 'what each pixel cost')
    ].filter(Boolean);
    parts.push(element('div', { 'class' : 'beside' }, [
        element('div', { 'class' : 'cards' }, summaryCards(run))
    ].concat(pictures.length ? [ element('div', { 'class' : 'pictures' }, pictures) ] : [])));
    var bounds = boundsLine(run);
    if (bounds)
        parts.push(bounds);
    parts.push(element(
        'p', { 'class' : 'note' },
        'started ' + run.run.started + ' · digest ' + run.summary.digest + ' · ogive ' +
            run.run.ogive));
    return parts;
}

function showSummary() {
    document.title =
        runs.map(function(r) { return r.run.architecture; }).join(', ') + ' – Ogive report';
    byId('title').textContent = runs.map(function(r) { return r.folder; }).join('  |  ');
    runs.forEach(function(run, index) {
        byId('summary-body')
            .appendChild(element(
                'div', { 'class' : 'run', style : 'border-color: var(--c' + index % 12 + ')' },
                summaryParts(run)));
    });
}
