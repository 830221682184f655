/* lives.js - single rays of a run with --trace-rays: each as a bar of what it waited for, from the
 * core's request to the hit's return. */
var LIVES_WIDTH = 1180, LIVES_ROW = 15, LIVES_LEFT = 150, LIVES_RIGHT = 80, LIVES_TOP = 22;

/* The colour of each reason, and how strong it is: waiting for something is paler than having it.
 */
var LIFE_COLOURS = {
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

function lifeFill(name) {
    var found = LIFE_COLOURS[name] || [ 11, 1 ];
    return 'fill:var(--c' + found[0] + ');fill-opacity:' + found[1];
}

function lifeLength(ray) { return ray.end - ray.begin; }
/* When the RT core had a slot for it. */
function lifeSlot(ray) { return ray.begin + (ray.cycles.sent || 0) + (ray.cycles.queued || 0); }
function lifeName(ray) { return ray.unit + ' ray ' + exact(ray.number); }

/* The reason that took most of some cycles by reason. */
function mostOf(cycles) {
    return Object.keys(cycles).reduce(function(best, name) {
        return best === null || cycles[name] > cycles[best] ? name : best;
    }, null);
}

function sumOf(cycles) {
    return Object.keys(cycles).reduce(function(sum, name) { return sum + cycles[name]; }, 0);
}

function helpOf(lives, name) {
    return lives.reasons.filter(function(r) { return r.name === name; })[0].help;
}

/* "node 17", or nothing where it is not known which. */
function placeWords(lives, name, address, bytes) {
    var tree = lives.tree, where = 'address 0x' + address.toString(16) + ', ' + bytes + ' bytes';
    if (tree && /^(node|box)/.test(name))
        return 'node ' + exact((address - tree.nodes) / tree.node_bytes) + ' at ' + where;
    if (tree && /^(block|triangle)/.test(name) && bytes === tree.block_bytes)
        return 'block ' + exact((address - tree.blocks) / tree.block_bytes) + ' at ' + where;
    return where;
}

function eventWords(lives, ray, event) {
    var name = lives.reasons[event[2]].name;
    var words = [
        lifeName(ray), name + ': ' + helpOf(lives, name),
        exact(event[1]) + ' cycles, from ' + exact(event[0]) + ' to ' + exact(event[0] + event[1])
    ];
    if (event.length > 3)
        words.push(placeWords(lives, name, event[3], event[4]));
    if (/_fetch$/.test(name))
        words.push(
            event[5] ? 'not in the nearest ' + (event[5] > 1 ? event[5] + ' caches' : 'cache') :
                       'found in the nearest cache');
    return words.join('\n');
}

var LIFE_ORDERS = {
    'longest first' : function(a, b) { return lifeLength(b) - lifeLength(a); },
    'longest in their slot first' : function(
        a, b) { return b.end - lifeSlot(b) - a.end + lifeSlot(a); },
    'shortest first' : function(a, b) { return lifeLength(a) - lifeLength(b); },
    'as they began' : function(a, b) { return a.begin - b.begin; },
    'by RT core' : function(a, b) {
        return a.unit === b.unit ? a.number - b.number :
                                   a.unit.localeCompare(b.unit, 'en', { numeric : true });
    }
};

/* What a ray's bar begins with. */
var LIFE_TIMES = {
    'since the request' : function(ray) { return ray.begin; },
    'since it had a slot' : lifeSlot,
    'of the run' : null
};

/* view: { order, time, rows }. */
function livesShown(lives, view) {
    return lives.rays.slice().sort(LIFE_ORDERS[view.order]).slice(0, view.rows);
}

function drawLifeAxis(svg, from, span, height) {
    if (typeof d3 === 'undefined')
        return;
    d3.select(svg)
        .append('g')
        .attr('class', 'axis')
        .attr('transform', 'translate(0,' + LIVES_TOP + ')')
        .call(d3.svg.axis()
                  .scale(d3.scale.linear()
                             .domain([ from, from + span ])
                             .range([ LIVES_LEFT, LIVES_WIDTH - LIVES_RIGHT ]))
                  .orient('top')
                  .ticks(8)
                  .tickSize(-height)
                  .tickFormat(short)
                  .tickPadding(4));
}

function drawLife(lives, ray, row, x, length) {
    var y = LIVES_TOP + 3 + row * LIVES_ROW;
    var shown = ray.events.filter(function(event) { return x(event[0]) >= LIVES_LEFT; });
    var bars = shown.map(function(event) {
        return withTip(
            drawn('rect', {
                x : x(event[0]).toFixed(2),
                y : y,
                width : (x(event[0] + event[1]) - x(event[0]) + 0.5).toFixed(2),
                height : LIVES_ROW - 3,
                style : lifeFill(lives.reasons[event[2]].name)
            }),
            function() { return eventWords(lives, ray, event); });
    });
    return drawn('g', { 'class' : 'life', 'data-cycles' : lifeLength(ray) }, [
        drawn('text', { x : LIVES_LEFT - 6, y : y + 10, 'text-anchor' : 'end' }, lifeName(ray))
    ].concat(bars, [
        drawn(
            'text',
            { x : LIVES_WIDTH - LIVES_RIGHT + 6, y : y + 10, 'class' : 'soft' },
            exact(length) + (ray.ended ? '' : ' …') + (ray.lost ? ' (cut)' : ''))
    ]));
}

function drawLives(lives, place, view) {
    var rays = livesShown(lives, view), height = rays.length * LIVES_ROW + 4;
    var own = LIFE_TIMES[view.time];
    var from = own ? 0 : Math.min.apply(null, rays.map(function(ray) { return ray.begin; }));
    var span = Math.max.apply(
        null, rays.map(function(ray) { return ray.end - (own ? own(ray) : from); }));
    var svg = drawn('svg', {
        viewBox : '0 0 ' + LIVES_WIDTH + ' ' + (LIVES_TOP + height + 4),
        'class' : 'lives',
        role : 'img'
    });
    drawLifeAxis(svg, from, span, height);
    rays.forEach(function(ray, row) {
        var zero = own ? own(ray) : from;
        svg.appendChild(drawLife(lives, ray, row, function(cycle) {
            return LIVES_LEFT + (cycle - zero) / span * (LIVES_WIDTH - LIVES_LEFT - LIVES_RIGHT);
        }, own ? ray.end - zero : lifeLength(ray)));
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

function livesControls(lives, place, view, suffix) {
    function set(key) {
        return function(value) {
            view[key] = value === 'all' ? Infinity : value;
            drawLives(lives, place, view);
        };
    }
    return element('div', { 'class' : 'controls' }, [
        choice('order', 'lives-order' + suffix, Object.keys(LIFE_ORDERS), set('order')),
        choice('time', 'lives-time' + suffix, Object.keys(LIFE_TIMES), set('time')),
        choice('rays', 'lives-rows' + suffix, [ '40', '200', 'all' ], set('rows')),
        element('span', { 'class' : 'note' }, 'cycles; hover for what, where and how long')
    ].concat(saveButtons('rays', function() { return place.firstChild; })));
}

function livesLegend(lives) {
    return element('div', { 'class' : 'legend' }, lives.reasons.filter(function(reason) {
        return lives.totals[reason.name];
    }).map(function(reason) {
        var found = LIFE_COLOURS[reason.name] || [ 11, 1 ];
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
function lifeWords(lives, ray, cycles, took) {
    var most = mostOf(cycles), sum = sumOf(cycles);
    return lifeName(ray) + ', took ' + exact(sum) + ' cycles' + took + '; ' +
        percent(cycles[most] / sum) + ' of them ' + helpOf(lives, most) + ' (' + most + ').';
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
function livesWords(lives) {
    var slowest = lives.rays[0], all = mostOf(lives.totals);
    var inSlot = lives.rays.slice().sort(LIFE_ORDERS['longest in their slot first'])[0];
    var words = [
        'Of ' + exact(lives.rays_in_all) + ' rays in RT cores the lives of ' + exact(lives.kept) +
            ' were kept, from the core’s request to the hit’s return' +
            (lives.median === null ?
                 '.' :
                 ': half of them took ' + exact(lives.median) + ' cycles or more.'),
        'Of their time, ' + percent(lives.totals[all] / sumOf(lives.totals)) + ' passed ' +
            helpOf(lives, all) + ' (' + all + ').',
        'The slowest, ' + lifeWords(lives, slowest, slowest.cycles, '')
    ];
    if (sumOf(cyclesInSlot(inSlot)))
        words.push(
            'The longest in a slot of an RT core, ' +
            lifeWords(lives, inSlot, cyclesInSlot(inSlot), ' there'));
    if (lives.rays.length < lives.kept)
        words.push(
            'Here are ' + exact(lives.rays.length) +
            ' of them, long and short; ray_lives.json has all.');
    if (lives.events_lost)
        words.push(
            exact(lives.events_lost) + ' waits did not fit into memory: those rays are cut short ' +
            'in the picture, not in the table.');
    return words;
}

function livesTable(lives, suffix) {
    var sum = sumOf(lives.totals), slowest = lives.rays[0];
    return table(
        [
            { label : 'reason' }, { label : 'meaning' }, { label : 'share of all kept rays' },
            { label : 'cycles per ray', number : true },
            { label : 'cycles of the slowest', number : true }
        ],
        lives.reasons.filter(function(reason) { return lives.totals[reason.name]; })
            .map(function(reason) {
                var total = lives.totals[reason.name];
                return [
                    text(reason.name), text(reason.help), {
                        node : meter(total / sum, 'waiting'),
                        value : total,
                        help : exact(total) + ' cycles'
                    },
                    number(total / lives.kept, (total / lives.kept).toFixed(1)),
                    number(slowest.cycles[reason.name] || 0)
                ];
            }),
        'lives-table' + suffix);
}

function showLives() {
    var body = byId('lives-body'), any = false;
    runs.forEach(function(run, index) {
        var lives = run.lives, suffix = any ? '-' + index : '';
        if (!lives)
            return;
        any = true;
        if (runs.length > 1)
            body.appendChild(element('h3', {}, run.folder));
        if (lives.problem || !lives.rays.length) {
            body.appendChild(element(
                'p', { 'class' : 'note' },
                'The rays cannot be shown: ' + (lives.problem || 'none came to an RT core')));
            return;
        }
        var view = { order : 'longest first', time : 'since the request', rows : 40 };
        var place = element('div', { 'class' : 'scroll' });
        body.appendChild(element(
            'ul', { 'class' : 'sentences' },
            livesWords(lives).map(function(words) { return element('li', {}, words); })));
        body.appendChild(livesControls(lives, place, view, suffix));
        body.appendChild(place);
        body.appendChild(livesLegend(lives));
        drawLives(lives, place, view);
        body.appendChild(element('h3', {}, 'Where their time went'));
        body.appendChild(livesTable(lives, suffix));
        body.appendChild(element(
            'p', { 'class' : 'note' },
            'trace.json in the folder opens in Perfetto and chrome://tracing.'));
    });
    byId('lives').hidden = !any;
    byId('lives-link').hidden = !any;
}
