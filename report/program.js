/* program.js - the program of a profiled run: flames and functions. */
var FLAME_WIDTH = 1180, FLAME_ROW = 18;

/* Children of each node, by cost; how deep the tree is. */
function callTree(calls) {
    calls.nodes.forEach(function(node, index) {
        node.below = [];
        node.index = index;
        node.depth = index ? calls.nodes[node.parent].depth + 1 : 0;
        if (index)
            calls.nodes[node.parent].below.push(node);
    });
    calls.nodes.forEach(function(
        node) { node.below.sort(function(a, b) { return b.all - a.all; }); });
}

function flameColour(name) {
    var sum = 0;
    for (var i = 0; i < name.length; i++)
        sum = (sum * 31 + name.charCodeAt(i)) % 997;
    return 'hsl(' + (15 + sum % 40) + ',' + (60 + sum % 20) + '%,' + (58 + sum % 12) + '%)';
}

function nodeWords(calls, node) {
    var words = node.name + '\n' + exact(node.all) + ' cycles with what it calls, ' +
        percent(node.all / calls.cycles, 2) + '\n' + exact(node.own) + ' of its own, ' +
        percent(node.own / calls.cycles, 2);
    if (node.calls !== null)
        words += '\n' + exact(node.calls) + ' calls';
    if (node.stall)
        words += '\nmost waiting: ' + node.stall + ', ' + percent(node.stall_cycles / node.own) +
            ' of its own cycles';
    return words;
}

/* Boxes from `top` down, each as wide as its share; a click makes a box the top, one on it goes
 * back up. */
function drawFlames(calls, place, top) {
    var deepest = 0, layer = drawn('g');
    function box(node, x, width) {
        if (width < 0.6)
            return;
        var y = (node.depth - top.depth) * FLAME_ROW;
        deepest = Math.max(deepest, y + FLAME_ROW);
        var rect = withTip(
            drawn('rect', {
                x : x.toFixed(2),
                y : y,
                width : Math.max(0.5, width - 0.8).toFixed(2),
                height : FLAME_ROW - 1,
                rx : 2,
                style : 'cursor:pointer;fill:' + flameColour(node.name),
                onclick : function() {
                    drawFlames(
                        calls, place, node === top && node.index ? calls.nodes[node.parent] : node);
                }
            }),
            function() { return nodeWords(calls, node); });
        layer.appendChild(rect);
        if (width > 34)
            layer.appendChild(drawn(
                'text', {
                    x : (x + 4).toFixed(2),
                    y : y + 12.5,
                    style : 'pointer-events:none;fill:#1c1408'
                },
                node.name.length * 6.3 > width - 6 ?
                    node.name.slice(0, Math.max(1, Math.floor((width - 12) / 6.3))) + '…' :
                    node.name));
        node.below.forEach(function(child) {
            var wide = width * child.all / node.all;
            box(child, x, wide);
            x += wide;
        });
    }
    box(top, 0, FLAME_WIDTH);
    clear(place);
    place.appendChild(drawn(
        'svg', { viewBox : '0 0 ' + FLAME_WIDTH + ' ' + deepest, 'class' : 'flames', role : 'img' },
        layer));
}

function functionRows(calls) {
    var by = {};
    calls.nodes.forEach(function(node) {
        var f = by[node.name] = by[node.name] || { own : 0, all : 0, calls : 0, most : null, pj : null };
        var above = node.index ? calls.nodes[node.parent] : null, nested = false;
        for (; above; above = above.index ? calls.nodes[above.parent] : null)
            nested = nested || above.name === node.name;
        f.own += node.own;
        if (typeof node.own_pj === 'number')
            f.pj += node.own_pj;
        f.all += nested ? 0 : node.all;
        f.calls += node.calls || 0;
        if (node.stall && (!f.most || node.stall_cycles > f.most.stall_cycles))
            f.most = node;
    });
    return Object.keys(by)
        .sort(function(a, b) { return by[b].own - by[a].own; })
        .map(function(name) {
            var f = by[name];
            return [
                text(name), {
                    node : meter(f.own / calls.cycles, 'work'),
                    value : f.own,
                    help : exact(f.own) + ' thread-cycles'
                },
                {
                    node : meter(f.all / calls.cycles, 'work'),
                    value : f.all,
                    help : exact(f.all) + ' thread-cycles'
                },
                number(f.pj, f.pj === null ? '–' : amount(f.pj * 1e-12, 'J')),
                f.calls ? number(f.calls) : number(null, 'inlined'),
                text(f.most ? f.most.stall : '')
            ];
        });
}

function showProgram() {
    var body = byId('program-body'), any = false;
    runs.forEach(function(run) {
        if (!run.calls)
            return;
        any = true;
        if (runs.length > 1)
            body.appendChild(element('h3', {}, run.folder));
        if (run.calls.problem || !run.calls.nodes.length) {
            body.appendChild(element(
                'p', { 'class' : 'note' },
                'The profile cannot be shown: ' + (run.calls.problem || 'it is empty')));
            return;
        }
        callTree(run.calls);
        var place = element('div');
        body.appendChild(element('div', { 'class' : 'controls' }, [
            element(
                'span', { 'class' : 'note' },
                'Where ' + exact(run.calls.cycles) +
                    ' thread-cycles went, callers above what they call. A click enlarges; a ' +
                        'click on the topmost goes back.')
        ].concat(saveButtons('flames', function() { return place.firstChild; }))));
        body.appendChild(place);
        drawFlames(run.calls, place, run.calls.nodes[0]);
        body.appendChild(element('h3', {}, 'Functions by their own cycles'));
        body.appendChild(element(
            'div', { 'class' : 'scroll' },
            table(
                [
                    { label : 'function' }, { label : 'own' }, { label : 'with what it calls' },
                    {
                        label : 'own energy',
                        number : true,
                        help : 'fetching, registers and computing in cores'
                    },
                    { label : 'calls', number : true }, {
                        label : 'waits most for',
                        help : 'see `ogive profile` for lines and instructions'
                    }
                ],
                functionRows(run.calls))));
    });
    if (!any) {
        byId('program').hidden = true;
        byId('program-link').hidden = true;
    }
}
