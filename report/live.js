/* live.js - the page of a run under way: asks for its state every second and shows it; asks for
 * what its buttons say.
 *
 * What a run is made of is in the page; the rest comes as JSON. Intervals come once each: the page
 * says how many it has. */
var PERIOD = 1000, SOON = 100, LOST = 3000;
var FIRST = 300; /* what comes first may be old: what is asked for is published after the answer */
var live = {
    token : new URLSearchParams(location.search).get('token') || '',
    run : runs[0],
    number : 0, /* of the state that is shown */
    image : 0,
    wanted : 0, /* number of the last thing asked for */
    taken : 0,  /* and of the last one done */
    generation : 0,
    asked : 0, /* how often */
    ended : false,
    timer : null
};

function liveAddress(path, query) {
    var words = new URLSearchParams(query || {});
    words.set('token', live.token);
    return path + '?' + words.toString();
}

/* ---- Intervals ---- */

function emptySeries(part) {
    var columns = {};
    live.run.columns.forEach(function(name) { columns[name] = []; });
    return { start : part.start, ends : [], columns : columns };
}

/* True if there is something new. Answers may cross: one can be older than what is kept, or have a
 * part of it again. */
function takeSeries(part) {
    var run = live.run, had;
    if (!part || part.generation < live.generation)
        return false;
    if (!run.kept || part.generation > live.generation)
        run.kept = emptySeries(part);
    live.generation = part.generation;
    had = run.kept.ends.length;
    if (part.from > had)
        return false;
    part.ends.slice(had - part.from).forEach(function(end, b) {
        var row = part.rows[had - part.from + b];
        run.kept.ends.push(end);
        run.columns.forEach(function(name, i) { run.kept.columns[name].push(row[i]); });
    });
    run.series = run.kept.ends.length ? run.kept : null;
    return run.kept.ends.length > had;
}

/* How many charts have lines; when there are more than before, all are made anew. */
function drawTime() {
    var run = live.run;
    if (!run.series || typeof d3 === 'undefined') {
        if (!byId('time-body').firstChild)
            byId('time-body')
                .appendChild(element(
                    'p', { 'class' : 'note' },
                    typeof d3 === 'undefined' ? 'There are no charts: install the package ' +
                                                    data.package + ' where the simulator runs.'
                                              : 'No interval has ended yet.'));
        return;
    }
    run.view = grouped(run, step);
    var full = chartKinds().filter(function(kind) { return kind.lines(run, run.view).length; });
    if (full.length !== live.kinds) {
        live.kinds = full.length;
        charts = [];
        step = 1;
        zoom = null;
        clear(byId('time-body'));
        showTime();
        return;
    }
    extent = [ run.series.start, run.series.ends[run.series.ends.length - 1] ];
    charts.forEach(function(chart) { chart.draw(); });
}

/* ---- The run ---- */

function span(value) {
    var whole = Math.round(value);
    return whole >= 3600 ? Math.floor(whole / 3600) + ' h ' + Math.floor(whole / 60) % 60 + ' min'
           : whole >= 60 ? Math.floor(whole / 60) + ' min ' + whole % 60 + ' s'
                         : whole + ' s';
}

function ofAll(done, all) { return all ? short(done) + ' of ' + short(all) : short(done); }

function drawCards(state) {
    var p = state.progress, rows = [
        [ 'cycle', 'cycle', exact(state.cycle) ],
        [ 'simulated', 'simulated time', seconds(p.simulated_seconds) ],
        [ 'speed', 'simulation speed', short(p.cycles_per_second) + ' cycles/s' ],
        [ 'host', 'host time', span(p.wall_seconds) ]
    ];
    if (p.pixels_in_all)
        rows.push([ 'pixels', 'pixels', ofAll(p.pixels, p.pixels_in_all) ]);
    if (p.rays)
        rows.push([ 'rays', 'rays', ofAll(p.rays, p.rays_in_all) ]);
    if (p.seconds_left !== null && !live.ended)
        rows.push([ 'left', 'left, about', span(p.seconds_left) ]);
    if (state.checkpoint_cycle !== undefined)
        rows.push([ 'checkpoint', 'cycle of the checkpoint', exact(state.checkpoint_cycle) ]);
    clear(byId('cards'));
    rows.forEach(function(row) {
        byId('cards').appendChild(element(
            'div', { 'class' : 'card', 'data-name' : row[0] },
            [ element('b', {}, row[2]), element('span', {}, row[1]) ]));
    });
    byId('progress').firstChild.style.width = percent(p.share || 0);
    byId('progress').hidden = p.share === null;
}

function drawStatus(word, kind) {
    byId('status').textContent = word;
    byId('status').className = 'status ' + (kind || word);
    ['pause', 'continue', 'step-go', 'checkpoint', 'stop'].forEach(function(id) {
        byId(id).disabled = kind === 'ended' || kind === 'lost' ||
                            (id === 'pause' && word === 'paused') ||
                            (id === 'continue' && word === 'running');
    });
    document.title = word + ' – ' + live.run.run.architecture + ' – Ogive';
}

function say(words) {
    byId('message').textContent = words;
    byId('message').hidden = !words;
}

/* ---- What limits it, the chip, queues ---- */

function drawLimits(state) {
    var body = byId('limits-body'), found = state.bottleneck,
        scroll = body.querySelector('.scroll');
    var at = scroll ? scroll.scrollTop : 0;
    clear(body);
    body.appendChild(element(
        'p', { 'class' : 'note' },
        'In the cycles ' + exact(state.from) + ' to ' + exact(state.cycle) + ':'));
    body.appendChild(element(
        'ul', { 'class' : 'sentences' },
        found.words.map(function(words) { return element('li', {}, words); })));
    if (!found.resources.length)
        return;
    scroll = body.appendChild(
        element('div', { 'class' : 'scroll' }, resourceTable({ bottleneck : found })));
    scroll.scrollTop = at;
}

function drawQueues(state) {
    var body = byId('queues-body'), links = state.links;
    clear(body);
    body.appendChild(element(
        'p', { 'class' : 'note' },
        exact(links.used) + ' of ' + exact(links.all) +
            ' links hold messages; the fullest first, then those whose writer waits longest.'));
    body.appendChild(element(
        'div', { 'class' : 'scroll' }, element('table', { id : 'queue-table' }, [
            element(
                'thead', {},
                element(
                    'tr', {},
                    [
                        'from', 'to', 'fill', 'messages', 'of', 'latency, cycles',
                        'its writer waits, cycles'
                    ].map(function(words) { return element('th', {}, words); }))),
            element('tbody', {}, links.fullest.map(function(link) {
                function cell(value) { return element('td', { 'class' : 'number' }, exact(value)); }
                var waits = link.waiting_since === null ? null : state.cycle - link.waiting_since;
                return element('tr', {}, [
                    element('td', {}, link.from), element('td', {}, link.to),
                    element('td', {}, meter(link.held / link.capacity, 'work')), cell(link.held),
                    cell(link.capacity), cell(link.latency_cycles), cell(waits)
                ]);
            }))
        ])));
    if (state.waits)
        body.appendChild(element('pre', { id : 'waits' }, state.waits));
}

/* In an order that stays, so that colours do. */
function takeResources(state) {
    var order = state.bottleneck.resources.map(function(r, i) { return i; });
    function name(i) {
        return state.bottleneck.resources[i].group + ' ' + state.bottleneck.resources[i].name;
    }
    order.sort(function(a, b) { return name(a) < name(b) ? -1 : 1; });
    live.run.bottleneck = {
        words : state.bottleneck.words,
        trees : state.bottleneck.trees,
        resources : order.map(function(i) { return state.bottleneck.resources[i]; })
    };
    live.run.cells = {
        ends : [],
        resources : order.map(function(i) { return state.cells.resources[i]; })
    };
}

function drawChipNow() {
    if (!chip.cells.length)
        showChip();
    byId('chip-slider').max = chipTimes(live.run).length;
    colourChip();
}

/* ---- State ---- */

function takeState(answer) {
    var state = answer.snapshot, longer = takeSeries(answer.series);
    if (live.ended && answer.ended === null)
        return;
    live.ended = answer.ended !== null;
    if (state && answer.number > live.number) {
        live.number = answer.number;
        live.state = state;
        live.run.stats = state.stats;
        live.run.energy = state.energy;
        live.run.summary = { cycles : state.cycle };
        live.run.now = 'cycles ' + exact(state.from) + ' to ' + exact(state.cycle);
        takeResources(state);
        drawCards(state);
        drawLimits(state);
        drawChipNow();
        drawQueues(state);
    }
    if (state && (longer || !byId('time-body').firstChild))
        drawTime();
    if (live.ended) {
        drawStatus(answer.ended, 'ended');
        say('The run has ended as “' + answer.ended + '”' +
            (answer.report ? '; its results: ' + answer.report : '') +
            '. This page keeps what it last showed.');
    } else {
        drawStatus(state ? state.status : 'preparing');
        say('');
    }
    live.taken = Math.max(live.taken, answer.taken);
    if (live.taken >= live.wanted)
        byId('answer').textContent = '';
}

function takeImage(picture) {
    if (!picture || picture.status !== 200)
        return null;
    live.image = Number(picture.headers.get('X-Ogive-Number'));
    return picture.blob().then(function(blob) {
        var image = byId('image-picture'), old = image.src;
        image.src = URL.createObjectURL(blob);
        if (old)
            URL.revokeObjectURL(old);
        byId('picture').hidden = false;
    });
}

function ask() {
    var have = live.run.kept ? live.run.kept.ends.length : 0;
    return fetch(liveAddress('state', { from : have, generation : live.generation }))
        .then(function(answer) {
            if (!answer.ok)
                throw new Error('the simulator answers ' + answer.status);
            return answer.json();
        })
        .then(takeState)
        .then(function() { return fetch(liveAddress('image.png', { have : live.image })); })
        .then(takeImage);
}

function later(milliseconds) {
    clearTimeout(live.timer);
    live.timer = setTimeout(keepAsking, milliseconds);
}

function keepAsking() {
    ask().then(
        function() {
            if (!live.ended)
                later(live.taken < live.wanted ? SOON : live.asked++ < 3 ? FIRST : PERIOD);
        },
        function(error) {
            if (live.ended)
                return;
            drawStatus('no answer', 'lost');
            say('The simulator does not answer (' + error.message +
                '): it has ended, or cannot be reached. This page keeps what it last showed.');
            later(LOST);
        });
}

/* ---- Buttons ---- */

function order(path, query) {
    byId('answer').textContent = 'asked for…';
    return fetch(liveAddress(path, query), { method : 'POST' })
        .then(function(answer) {
            return answer.ok ? answer.json()
                             : answer.text().then(function(words) { throw new Error(words); });
        })
        .then(function(answer) {
            live.wanted = answer.request;
            later(0);
        })
        .catch(function(error) { byId('answer').textContent = error.message; });
}

function beginLive() {
    var run = live.run;
    run.series = run.kept = run.traffic = run.energy = null;
    run.stats = {};
    run.summary = { cycles : 0 };
    byId('title').textContent = run.folder;
    byId('about').textContent = workloadWords(run.run);
    ['pause', 'continue', 'checkpoint', 'stop'].forEach(function(
        id) { byId(id).addEventListener('click', function() { order(id); }); });
    byId('step-go').addEventListener(
        'click', function() { order('step', { cycles : byId('step-cycles').value }); });
    keepAsking();
}
