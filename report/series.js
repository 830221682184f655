/* series.js - the intervals of a run: put together, and as utilisation. */
/* The intervals of a run, `step` of them put together: { ends, lengths, at } where at(name) gives
 * an array of values, or null where there is none. */
function grouped(run, step) {
    var series = run.series, ends = [], lengths = [], before = series.start, kept = {};
    for (var i = 0; i < series.ends.length; i += step) {
        var end = series.ends[Math.min(i + step, series.ends.length) - 1];
        ends.push(end);
        lengths.push(end - before);
        before = end;
    }
    function raw(column, largest) {
        var key = column + (largest ? '!' : '');
        if (kept[key])
            return kept[key];
        var from = series.columns[column], to = new Array(ends.length);
        for (var b = 0; b < to.length; b++) {
            to[b] = 0;
            for (var k = b * step; from && k < Math.min((b + 1) * step, from.length); k++)
                to[b] = largest ? Math.max(to[b], from[k]) : to[b] + from[k];
        }
        return (kept[key] = to);
    }
    function at(path, stat) {
        var group = groupOf(run, path), row = group && run.types[group.type][stat];
        if (!row)
            return null;
        if (row.over_units !== 'ratio')
            return raw(path + '.' + stat, row.over_units === 'max');
        var above = raw(path + '.' + row.above), below = raw(path + '.' + row.below);
        return above.map(function(value, b) { return below[b] ? value / below[b] : null; });
    }
    return { ends : ends, lengths : lengths, at : at, start : series.start };
}

function groupOf(run, path) {
    return run.groups.filter(function(g) { return g.path === path || g.name === path; })[0];
}

/* What was used of a resource in each interval. Its formula comes as steps on a stack: numbers,
 * names of statistics, signs. */
function usedOver(run, view, resource) {
    var group = groupOf(run, resource.group), stack = [];
    var signs = {
        '+' : function(a, b) { return a + b; },
        '-' : function(a, b) { return a - b; },
        '*' : function(a, b) { return a * b; },
        '/' : function(a, b) { return b ? a / b : 0; }
    };
    resource.used.forEach(function(step) {
        if (typeof step === 'string' && signs[step]) {
            var right = stack.pop(), left = stack.pop();
            stack.push(left.map(function(value, b) { return signs[step](value, right[b]); }));
        } else
            stack.push(view.ends.map(function(end, b) {
                return typeof step === 'number' ? step : (view.at(group.path, step) || [])[b] || 0;
            }));
    });
    return stack[0] || view.ends.map(function() { return 0; });
}

/* How busy a resource was in each interval. */
function utilisationOver(run, view, resource) {
    return usedOver(run, view, resource).map(function(sum, b) {
        var whole = resource.capacity_per_cycle * view.lengths[b];
        return whole > 0 ? Math.max(0, Math.min(1, sum / whole)) : null;
    });
}
