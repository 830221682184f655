/* limits.js - what limited a run: sentences, trees of cycles, resources. */
function meter(share, kind) {
    if (share === null)
        return element('span', { 'class' : 'note' }, '–');
    var bar = element('i', { style : 'width:' + Math.min(100, 100 * share).toFixed(2) + '%' });
    return element(
        'div', { 'class' : 'meter ' + kind },
        [ element('span', {}, bar), element('em', {}, percent(share)) ]);
}

var KIND_HELP = {
    work : 'something is done with it: used cycles of all cycles',
    room : 'something stays in it: slots in use of all slots',
    delay : 'takes time',
    unexplained : 'its type says nothing of its limits'
};

function resourceTable(run) {
    var columns = [
        { label : 'unit' }, { label : 'resource' }, {
            label : 'utilisation',
            help : 'How much of it was used, over the whole run.'
        },
        {
            label : 'waiting',
            help :
                'The share of all waiting that passed here. One wait is seen at several depths, ' +
                'so shares do not add up. Waiting for memory is divided among all units on the ' +
                'way there, and the links between them, by the cycles that requests spent at each.'
        },
        { label : 'in words' }
    ];
    var rows = run.bottleneck.resources.map(function(r) {
        return [
            text(r.group, KIND_HELP[r.kind]), text(r.name, KIND_HELP[r.kind]),
            { node : meter(r.utilisation, r.kind), value : r.utilisation },
            { node : meter(r.waiting, 'waiting'), value : r.waiting }, text(r.sentence)
        ];
    });
    return table(columns, rows, 'resources-' + runs.indexOf(run));
}

/* What the shares of waiting add up to, if that is more than all of it. */
function waitingNote(run) {
    var sum = run.bottleneck.resources.reduce(function(all, r) { return all + (r.waiting || 0); }, 0);
    return sum < 1.0005 ?
        null :
        element(
            'p', { 'class' : 'note waiting-sum' },
            'The shares of waiting add up to ' + percent(sum) + ', not to 100%: one wait is seen ' +
                'at several depths. Who is waited for may wait for somebody else meanwhile, and ' +
                'the wait counts at both.');
}

/* A command breaks between its options, and not at their dashes. */
function commandPieces(command) {
    return command.split(/ (?=--)/).reduce(function(pieces, piece) {
        return pieces.concat(pieces.length ? ' ' : [], element('span', {}, piece));
    }, []);
}

/* The command that checks the first sentence. */
function whatIf(run) {
    var offer = run.bottleneck.what_if;
    if (!offer)
        return null;
    var parts = [ element('p', {}, [
        element('b', {}, 'What if: '), 'the same run with ', element('code', {}, offer.setting),
        ', for the ' + offer.resource + ' of ' + offer.group +
            '. If that was the limit, it ' +
            (run.summary.status === 'finished' ? 'takes fewer cycles.' :
                                                 'does more in as many cycles.')
    ]) ];
    if (offer.command)
        parts.push(element('div', { 'class' : 'command' }, [
            element('code', {}, commandPieces(offer.command)),
            element(
                'button', {
                    type : 'button',
                    title : 'Copy the command',
                    onclick : function(event) { copyText(offer.command, event.target); }
                },
                'copy')
        ]));
    return element('div', { 'class' : 'what-if' }, parts);
}

function treeNode(node, whole, colour) {
    var line = [
        element('i', { style : 'background:' + (colour || 'none') }),
        element('span', { 'class' : 'value' }, percent(node.cycles / whole, 2)),
        element('span', {}, node.label), element('span', { 'class' : 'cycles' }, short(node.cycles))
    ];
    var words = node.name + ': ' + exact(node.cycles) + ' of ' + exact(whole) + ' cycles';
    if (!node.parts.length)
        return withTip(element('div', { 'class' : 'leaf' }, line), words);
    var parts = node.parts.slice().sort(function(a, b) { return b.cycles - a.cycles; });
    return element(
        'details', {},
        [ withTip(element('summary', {}, line), words) ].concat(
            parts.filter(function(p) { return p.cycles > 0; })
                .map(function(part) { return treeNode(part, whole); })));
}

function treeBar(tree) {
    return element(
        'div', { 'class' : 'bar' },
        tree.parts
            .map(function(part, index) {
                var share = part.cycles / tree.cycles;
                var colour = 'var(--c' + index % 12 + ')', style = 'width:' + 100 * share +
                    '%;background:' + colour + ';color:' + readableOn(colour);
                return share > 0 ?
                    withTip(
                        element('span', { style : style }, share > 0.07 ? part.label : ''),
                        part.label + ': ' + percent(share, 2)) :
                    null;
            })
            .filter(Boolean));
}

function showTree(tree) {
    var parts = tree.parts.filter(function(p) { return p.cycles > 0; })
                    .sort(function(a, b) { return b.cycles - a.cycles; });
    return element('div', { 'class' : 'tree', 'data-tree' : tree.name }, [
        element('h3', {}, 'Where the ' + tree.label + ' went'), treeBar(tree),
        element('div', { 'class' : 'top' }, parts.map(function(part) {
            return treeNode(part, tree.cycles, 'var(--c' + tree.parts.indexOf(part) % 12 + ')');
        })),
        element(
            'p', { 'class' : 'note' },
            'Parts of ' + exact(tree.cycles) + ' cycles; they add up exactly.')
    ]);
}

function limitParts(run) {
    var found = run.bottleneck, parts = [];
    if (runs.length > 1)
        parts.push(element('h3', {}, run.folder));
    if (found.words.length)
        parts.push(element('p', { 'class' : 'headline' }, found.words[0]));
    parts.push(whatIf(run));
    if (found.words.length > 1)
        parts.push(element(
            'ul', { 'class' : 'sentences' },
            found.words.slice(1).map(function(s) { return element('li', {}, s); })));
    if (found.trees.length)
        parts.push(element('div', { 'class' : 'trees' }, found.trees.map(showTree)));
    if (found.resources.length) {
        parts.push(element('h3', {}, 'Resources: at their limit first, then by waiting'));
        parts.push(element('div', { 'class' : 'scroll' }, resourceTable(run)));
        parts.push(waitingNote(run));
    } else
        parts.push(element(
            'p', { 'class' : 'note' },
            'No unit of this chip has a limit that the report knows.'));
    return parts.filter(Boolean);
}

function showLimits() {
    runs.forEach(function(run, index) {
        byId('limits-body')
            .appendChild(element(
                'div', { 'class' : 'run', style : 'border-color: var(--c' + index % 12 + ')' },
                limitParts(run)));
    });
}
