/* ray_traces.js - single rays of a run with --trace-rays: each as a bar of what it waited for, from
 * the core's request to the hit's return. */
var TRACES_WIDTH = 1180, TRACES_ROW = 15, TRACES_LEFT = 150, TRACES_RIGHT = 80, TRACES_TOP = 22;

/* The colour of each reason, and how strong it is: waiting for something is paler than having it.
 */
var TRACE_COLOURS = {
    sent : [ 6, 0.45 ],
    queued : [ 6, 0.8 ],
    schedule : [ 4, 1 ],
    node_port : [ 1, 1 ],
    node_fetch : [ 0, 1 ],
    box_queue : [ 2, 0.5 ],
    box : [ 2, 1 ],
    block_port : [ 1, 0.6 ],
    block_fetch : [ 5, 1 ],
    triangle_queue : [ 3, 0.5 ],
    triangle : [ 3, 1 ],
    stack_port : [ 10, 0.5 ],
    stack_fetch : [ 10, 1 ],
    warp : [ 8, 0.6 ],
    answer : [ 9, 1 ],
    held : [ 7, 1 ],
    returned : [ 6, 0.45 ]
};

function traceFill(name) {
    var found = TRACE_COLOURS[name] || [ 11, 1 ];
    return 'fill:var(--c' + found[0] + ');fill-opacity:' + found[1];
}

function traceLength(ray) { return ray.end - ray.begin; }
/* When the RT core had a slot for it. */
function traceSlot(ray) { return ray.begin + (ray.cycles.sent || 0) + (ray.cycles.queued || 0); }
function traceName(ray) { return ray.unit + ' ray ' + exact(ray.number); }

/* The reason that took most of some cycles by reason. */
function mostOf(cycles) {
    return Object.keys(cycles).reduce(function(best, name) {
        return best === null || cycles[name] > cycles[best] ? name : best;
    }, null);
}

function sumOf(cycles) {
    return Object.keys(cycles).reduce(function(sum, name) { return sum + cycles[name]; }, 0);
}

function helpOf(traces, name) {
    return traces.reasons.filter(function(r) { return r.name === name; })[0].help;
}

/* "node 17", or nothing where it is not known which. */
function placeWords(traces, name, address, bytes) {
    var tree = traces.tree, where = 'address 0x' + address.toString(16) + ', ' + bytes + ' bytes';
    if (tree && /^(node|box)/.test(name))
        return 'node ' + exact((address - tree.nodes) / tree.node_bytes) + ' at ' + where;
    if (tree && /^(block|triangle)/.test(name) && bytes === tree.block_bytes)
        return 'block ' + exact((address - tree.blocks) / tree.block_bytes) + ' at ' + where;
    return where;
}

function eventWords(traces, ray, event) {
    var name = traces.reasons[event[2]].name;
    var words = [
        traceName(ray), name + ': ' + helpOf(traces, name),
        exact(event[1]) + ' cycles, from ' + exact(event[0]) + ' to ' + exact(event[0] + event[1])
    ];
    if (event.length > 3)
        words.push(placeWords(traces, name, event[3], event[4]));
    if (/_fetch$/.test(name))
        words.push(
            event[5] ? 'not in the nearest ' + (event[5] > 1 ? event[5] + ' caches' : 'cache') :
                       'found in the nearest cache');
    return words.join('\n');
}

var TRACE_ORDERS = {
    'longest first' : function(a, b) { return traceLength(b) - traceLength(a); },
    'longest in their slot first' : function(
        a, b) { return b.end - traceSlot(b) - a.end + traceSlot(a); },
    'shortest first' : function(a, b) { return traceLength(a) - traceLength(b); },
    'as they began' : function(a, b) { return a.begin - b.begin; },
    'by RT core' : function(a, b) {
        return a.unit === b.unit ? a.number - b.number :
                                   a.unit.localeCompare(b.unit, 'en', { numeric : true });
    }
};

/* What a ray's bar begins with. */
var TRACE_TIMES = {
    'since the request' : function(ray) { return ray.begin; },
    'since it had a slot' : traceSlot,
    'of the run' : null
};

/* view: { order, time, rows }. */
function tracesShown(traces, view) {
    return traces.rays.slice().sort(TRACE_ORDERS[view.order]).slice(0, view.rows);
}

function drawTraceAxis(svg, from, span, height) {
    if (typeof d3 === 'undefined')
        return;
    d3.select(svg)
        .append('g')
        .attr('class', 'axis')
        .attr('transform', 'translate(0,' + TRACES_TOP + ')')
        .call(d3.svg.axis()
                  .scale(d3.scale.linear()
                             .domain([ from, from + span ])
                             .range([ TRACES_LEFT, TRACES_WIDTH - TRACES_RIGHT ]))
                  .orient('top')
                  .ticks(8)
                  .tickSize(-height)
                  .tickFormat(short)
                  .tickPadding(4));
}

function drawTrace(traces, ray, row, x, length) {
    var y = TRACES_TOP + 3 + row * TRACES_ROW;
    var shown = ray.events.filter(function(event) { return x(event[0]) >= TRACES_LEFT; });
    var bars = shown.map(function(event) {
        return withTip(
            drawn('rect', {
                x : x(event[0]).toFixed(2),
                y : y,
                width : (x(event[0] + event[1]) - x(event[0]) + 0.5).toFixed(2),
                height : TRACES_ROW - 3,
                style : traceFill(traces.reasons[event[2]].name)
            }),
            function() { return eventWords(traces, ray, event); });
    });
    return drawn('g', { 'class' : 'trace', 'data-cycles' : traceLength(ray) }, [
        drawn('text', { x : TRACES_LEFT - 6, y : y + 10, 'text-anchor' : 'end' }, traceName(ray))
    ].concat(bars, [
        drawn(
            'text',
            { x : TRACES_WIDTH - TRACES_RIGHT + 6, y : y + 10, 'class' : 'soft' },
            exact(length) + (ray.ended ? '' : ' …') + (ray.lost ? ' (cut)' : ''))
    ]));
}

function drawTraces(traces, place, view) {
    var rays = tracesShown(traces, view), height = rays.length * TRACES_ROW + 4;
    var own = TRACE_TIMES[view.time];
    var from = own ? 0 : Math.min.apply(null, rays.map(function(ray) { return ray.begin; }));
    var span = Math.max.apply(
        null, rays.map(function(ray) { return ray.end - (own ? own(ray) : from); }));
    var svg = drawn('svg', {
        viewBox : '0 0 ' + TRACES_WIDTH + ' ' + (TRACES_TOP + height + 4),
        'class' : 'traces',
        role : 'img'
    });
    drawTraceAxis(svg, from, span, height);
    rays.forEach(function(ray, row) {
        var zero = own ? own(ray) : from;
        svg.appendChild(drawTrace(traces, ray, row, function(cycle) {
            return TRACES_LEFT +
                (cycle - zero) / span * (TRACES_WIDTH - TRACES_LEFT - TRACES_RIGHT);
        }, own ? ray.end - zero : traceLength(ray)));
    });
    clear(place);
    place.appendChild(svg);
}

function choice(label, id, names, then) {
    return element('label', {}, [
        label,
        element(
            'select', { id : id, onchange : function(event) { then(event.target.value); } },
            names.map(function(name) { return element('option', { value : name }, name); }))
    ]);
}

function tracesControls(traces, place, view, suffix) {
    function set(key) {
        return function(value) {
            view[key] = value === 'all' ? Infinity : value;
            drawTraces(traces, place, view);
        };
    }
    return element('div', { 'class' : 'controls' }, [
        choice('order', 'traces-order' + suffix, Object.keys(TRACE_ORDERS), set('order')),
        choice('time', 'traces-time' + suffix, Object.keys(TRACE_TIMES), set('time')),
        choice('rays', 'traces-rows' + suffix, [ '40', '200', 'all' ], set('rows')),
        element('span', { 'class' : 'note' }, 'cycles; hover for what, where and how long')
    ].concat(saveButtons('rays', function() { return place.firstChild; })));
}

function tracesLegend(traces) {
    return element('div', { 'class' : 'legend' }, traces.reasons.filter(function(reason) {
        return traces.totals[reason.name];
    }).map(function(reason) {
        var found = TRACE_COLOURS[reason.name] || [ 11, 1 ];
        return withTip(
            element('span', {}, [
                element(
                    'i', { style : 'background:var(--c' + found[0] + ');opacity:' + found[1] }),
                reason.name
            ]),
            reason.help);
    }));
}

/* "ray 7 took 900 cycles; 61% of them for a node from memory (node_fetch)." */
function traceWords(traces, ray, cycles, took) {
    var most = mostOf(cycles), sum = sumOf(cycles);
    return traceName(ray) + ', took ' + exact(sum) + ' cycles' + took + '; ' +
        percent(cycles[most] / sum) + ' of them ' + helpOf(traces, most) + ' (' + most + ').';
}

/* Cycles by reason from when it had a slot on. */
function cyclesInSlot(ray) {
    var cycles = {};
    Object.keys(ray.cycles)
        .filter(function(name) { return name !== 'sent' && name !== 'queued'; })
        .forEach(function(name) { cycles[name] = ray.cycles[name]; });
    return cycles;
}

/* What is to be seen, in words. */
function tracesWords(traces) {
    var slowest = traces.rays[0], all = mostOf(traces.totals);
    var inSlot = traces.rays.slice().sort(TRACE_ORDERS['longest in their slot first'])[0];
    var words = [
        'Of ' + exact(traces.rays_in_all) + ' rays in RT cores ' + exact(traces.kept) +
            ' were followed, from the core’s request to the hit’s return' +
            (traces.median === null ?
                 '.' :
                 ': half of them took ' + exact(traces.median) + ' cycles or more.'),
        'Of their time, ' + percent(traces.totals[all] / sumOf(traces.totals)) + ' passed ' +
            helpOf(traces, all) + ' (' + all + ').',
        'The slowest, ' + traceWords(traces, slowest, slowest.cycles, '')
    ];
    if (sumOf(cyclesInSlot(inSlot)))
        words.push(
            'The longest in a slot of an RT core, ' +
            traceWords(traces, inSlot, cyclesInSlot(inSlot), ' there'));
    if (traces.rays.length < traces.kept)
        words.push(
            'Here are ' + exact(traces.rays.length) +
            ' of them, long and short; ray_traces.json has all.');
    if (traces.events_lost)
        words.push(
            exact(traces.events_lost) + ' waits did not fit into memory: those rays are cut ' +
            'short in the picture, not in the table.');
    return words;
}

function tracesTable(traces, suffix) {
    var sum = sumOf(traces.totals), slowest = traces.rays[0];
    return table(
        [
            { label : 'reason' }, { label : 'meaning' }, { label : 'share of all kept rays' },
            { label : 'cycles per ray', number : true },
            { label : 'cycles of the slowest', number : true }
        ],
        traces.reasons.filter(function(reason) { return traces.totals[reason.name]; })
            .map(function(reason) {
                var total = traces.totals[reason.name];
                return [
                    text(reason.name), text(reason.help), {
                        node : meter(total / sum, 'waiting'),
                        value : total,
                        help : exact(total) + ' cycles'
                    },
                    number(total / traces.kept, (total / traces.kept).toFixed(1)),
                    number(slowest.cycles[reason.name] || 0)
                ];
            }),
        'traces-table' + suffix);
}

function showTraces() {
    var body = byId('traces-body'), any = false;
    runs.forEach(function(run, index) {
        var traces = run.traces, suffix = any ? '-' + index : '';
        if (!traces)
            return;
        any = true;
        if (runs.length > 1)
            body.appendChild(element('h3', {}, run.folder));
        if (traces.problem || !traces.rays.length) {
            body.appendChild(element(
                'p', { 'class' : 'note' },
                'The rays cannot be shown: ' + (traces.problem || 'none came to an RT core')));
            return;
        }
        var view = { order : 'longest first', time : 'since the request', rows : 40 };
        var place = element('div', { 'class' : 'scroll' });
        body.appendChild(element(
            'ul', { 'class' : 'sentences' },
            tracesWords(traces).map(function(words) { return element('li', {}, words); })));
        body.appendChild(tracesControls(traces, place, view, suffix));
        body.appendChild(place);
        body.appendChild(tracesLegend(traces));
        drawTraces(traces, place, view);
        body.appendChild(element('h3', {}, 'Where their time went'));
        body.appendChild(tracesTable(traces, suffix));
        body.appendChild(element(
            'p', { 'class' : 'note' },
            'trace.json in the folder opens in Perfetto and chrome://tracing.'));
    });
    byId('traces').hidden = !any;
    byId('traces-link').hidden = !any;
}
