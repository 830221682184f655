/* charts.js - line charts over time, drawn with d3 (version 3); all share one zoom. */
var charts = [], zoom = null, step = 1, extent = [ 0, 1 ];
var WIDTH = 600, HEIGHT = 264, LEFT = 64, RIGHT = 12, TOP = 10, BOTTOM = 40;
var DASHES = [ '', '7 3', '2 2', '10 3 2 3' ];


function chartLines(chart) {
    var lines = [];
    runs.forEach(function(run, index) {
        if (!run.series)
            return;
        chart.lines(run, run.view).forEach(function(line) {
            lines.push({
                run : index,
                ends : run.view.ends,
                start : run.view.start,
                label : line.label,
                values : line.values,
                help : line.help,
                colour : line.colour
            });
        });
    });
    var names = [];
    lines.forEach(function(line) {
        if (names.indexOf(line.label) < 0)
            names.push(line.label);
        line.colour = line.colour || 'var(--c' + names.indexOf(line.label) % 12 + ')';
        lineStyle(line, names.indexOf(line.label));
        line.key = line.run + line.label;
        line.full = (runName(line.run) ? runName(line.run) + ': ' : '') + line.label;
    });
    return lines;
}

/* Lines that lie on each other are told apart: later ones are thinner, and have gaps through which
 * earlier ones show. With several runs, the gaps say which run it is. */
function lineStyle(line, order) {
    line.dash = DASHES[(runs.length > 1 ? line.run : order) % DASHES.length];
    line.width = Math.max(1.4, 2.8 - 0.5 * (runs.length > 1 ? line.run : order));
}

/* A piece of the line; of what is drawn as an area, a patch of its colour. */
function legendSample(chart, line) {
    if (chartIsPile(chart))
        return element('i', { style : 'background:' + line.colour });
    return drawn(
        'svg', { 'class' : 'sample', viewBox : '0 0 26 8', width : 26, height : 8 },
        drawn('path', {
            'class' : 'series',
            d : 'M0 4H26',
            style : 'stroke:' + line.colour + ';stroke-width:' + line.width +
                (line.dash ? ';stroke-dasharray:' + line.dash : '')
        }));
}

function chartIsPile(chart) { return !!chart.stack && runs.length === 1; }

/* What the axes measure. */
function axisTitles(chart, root) {
    var middle = (TOP + HEIGHT - BOTTOM) / 2;
    root.append('text')
        .attr({ 'class' : 'soft axis-title', x : (LEFT + WIDTH - RIGHT) / 2, y : HEIGHT - 5 })
        .attr('text-anchor', 'middle')
        .text('cycle of the chip');
    root.append('text')
        .attr({ 'class' : 'soft axis-title', x : -middle, y : 12, transform : 'rotate(-90)' })
        .attr('text-anchor', 'middle')
        .text(typeof chart.measure === 'function' ? chart.measure() : chart.measure);
}

function chartLegend(chart, lines) {
    clear(chart.legend);
    lines.forEach(function(line) {
        var item = element(
            'span', {
                'class' : chart.hidden[line.key] ? 'off' : null,
                onclick : function() {
                    chart.hidden[line.key] = !chart.hidden[line.key];
                    chart.draw();
                }
            },
            [
                legendSample(chart, line), line.full
            ]);
        chart.legend.appendChild(line.help ? withTip(item, line.help) : item);
    });
}

function newChart(place, chart) {
    chart.hidden = {};
    chart.legend = element('div', { 'class' : 'legend' });
    chart.svg = drawn('svg', { viewBox : '0 0 ' + WIDTH + ' ' + HEIGHT, role : 'img' });
    var head = [ element('h3', {}, chart.title) ].concat(
        saveButtons(chart.file, function() { return chart.svg; }));
    if (chart.pick)
        head.splice(1, 0, chart.pick);
    place.appendChild(element(
        'div', { 'class' : 'chart', 'data-chart' : chart.file },
        [ element('div', { 'class' : 'chart-head' }, head), chart.svg, chart.legend ]));
    chart.draw = function() { drawChart(chart); };
    charts.push(chart);
}

function drawChart(chart) {
    var lines = chartLines(chart);
    chartLegend(chart, lines);
    var shown = lines.filter(function(line) { return !chart.hidden[line.key]; });
    var domain = zoom || extent;
    var x = d3.scale.linear().domain(domain).range([ LEFT, WIDTH - RIGHT ]);
    var largest = 0;
    shown.forEach(function(line) {
        line.values.forEach(function(value, b) {
            if (line.ends[b] >= domain[0] && (b ? line.ends[b - 1] : line.start) <= domain[1] &&
                value > largest)
                largest = value;
        });
    });
    if (chart.share)
        largest = largest > 0.5 || !largest ? 1 : largest * 1.08;
    if (chartIsPile(chart)) {
        pile(shown);
        largest = chart.share ? 1 : tallest(shown, domain);
    }
    var y = d3.scale.linear().domain([ 0, largest || 1 ]).range([ HEIGHT - BOTTOM, TOP ]);
    var root = d3.select(chart.svg);
    root.selectAll('*').remove();
    var clip = 'clip-' + charts.indexOf(chart);
    root.append('defs').append('clipPath').attr('id', clip).append('rect').attr({
        x : LEFT,
        y : TOP - 2,
        width : WIDTH - LEFT - RIGHT,
        height : HEIGHT - TOP - BOTTOM + 4
    });
    root.append('g')
        .attr('class', 'axis')
        .attr('transform', 'translate(0,' + (HEIGHT - BOTTOM) + ')')
        .call(d3.svg.axis()
                  .scale(x)
                  .orient('bottom')
                  .ticks(6)
                  .tickSize(-(HEIGHT - TOP - BOTTOM))
                  .tickFormat(short)
                  .tickPadding(6));
    root.append('g')
        .attr('class', 'axis')
        .attr('transform', 'translate(' + LEFT + ',0)')
        .call(d3.svg.axis()
                  .scale(y)
                  .orient('left')
                  .ticks(5)
                  .tickSize(-(WIDTH - LEFT - RIGHT))
                  .tickFormat(
                      chart.share ? function(v) { return percent(v, largest < 0.05 ? 1 : 0); } :
                                    short)
                  .tickPadding(5));
    axisTitles(chart, root);
    var path = d3.svg.line()
                   .defined(function(p) { return p[1] !== null; })
                   .x(function(p) { return x(p[0]); })
                   .y(function(p) { return y(p[1]); })
                   .interpolate('step-before');
    var area = root.append('g').attr('clip-path', 'url(#' + clip + ')');
    shown.forEach(function(line) {
        var points = line.values.map(function(value, b) { return [ line.ends[b], value ]; });
        points.unshift([ line.start, line.values[0] ]);
        if (line.base) {
            area.append('path')
                .attr('class', 'series')
                .style({ fill : line.colour, stroke : 'none' })
                .attr(
                    'd',
                    d3.svg.area()
                        .defined(function(p) { return p[1] !== null; })
                        .interpolate('step-before')
                        .x(function(p) { return x(p[0]); })
                        .y0(function(p, i) { return y(line.base[Math.max(0, i - 1)]); })
                        .y1(function(p, i) { return y(line.base[Math.max(0, i - 1)] + p[1]); })(
                            points));
            return;
        }
        area.append('path')
            .attr('class', 'series')
            .attr('d', path(points))
            .style('stroke', line.colour)
            .style('stroke-width', line.width + 'px')
            .style('stroke-dasharray', line.dash || null);
    });
    addBrush(chart, root, x, shown);
}

/* How high a pile is where it is highest. */
function tallest(lines, domain) {
    var last = lines[lines.length - 1], most = 0;
    (last ? last.values : []).forEach(function(value, b) {
        if (last.ends[b] >= domain[0] && (b ? last.ends[b - 1] : last.start) <= domain[1])
            most = Math.max(most, last.base[b] + (value || 0));
    });
    return most;
}

/* Each line begins where the one before ends. */
function pile(lines) {
    lines.forEach(function(line, index) {
        line.base = line.values.map(function(value, b) {
            return index ? lines[index - 1].base[b] + (lines[index - 1].values[b] || 0) : 0;
        });
    });
}

/* Dragging zooms all charts; moving shows the values. */
function addBrush(chart, root, x, lines) {
    var cursor = root.append('line')
                     .attr('class', 'cursor')
                     .attr({ y1 : TOP, y2 : HEIGHT - BOTTOM })
                     .style('display', 'none');
    var brush = d3.svg.brush().x(x).on('brushend', function() {
        if (!brush.empty())
            setZoom(brush.extent());
    });
    var layer = root.append('g').attr('class', 'brush').call(brush);
    layer.selectAll('rect').attr({ y : TOP, height : HEIGHT - TOP - BOTTOM });
    layer
        .on('mousemove',
            function() {
                var at = x.invert(d3.mouse(chart.svg)[0]);
                var words = [ 'cycle ' + exact(Math.round(at)) ];
                lines.forEach(function(line) {
                    var b = d3.bisectLeft(line.ends, at);
                    if (b < line.values.length && line.values[b] !== null)
                        words.push(
                            line.full + ': ' +
                            (chart.share ? percent(line.values[b], 2) : exact(line.values[b])));
                });
                cursor.style('display', null).attr({ x1 : x(at), x2 : x(at) });
                showTip(d3.event, words.slice(0, 20).join('\n'));
            })
        .on('mouseleave',
            function() {
                cursor.style('display', 'none');
                hideTip();
            })
        .on('dblclick', function() { setZoom(null); });
}

function setZoom(range) {
    zoom = range;
    byId('zoom-range').textContent = zoom ?
        'cycles ' + exact(Math.round(zoom[0])) + ' to ' + exact(Math.round(zoom[1])) :
        'all cycles';
    charts.forEach(function(chart) { chart.draw(); });
}

function setStep(value) {
    step = value;
    runs.forEach(function(run) {
        if (run.series)
            run.view = grouped(run, step);
    });
    charts.forEach(function(chart) { chart.draw(); });
}
