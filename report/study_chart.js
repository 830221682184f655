/* study_chart.js - lines, bars and heat maps of a study's runs.
 *
 * chart: { kind, categories, series, values[series][category], xTitle, yTitle }; null: no value. */
var CHART = { width : 900, height : 420, left : 90, right : 20, top : 16, bottom : 56, legend : 18 };

function roundStep(largest) {
    var raw = largest / 5, power = Math.pow(10, Math.floor(Math.log10(raw))), digit = raw / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

function shortNumber(value) {
    var marks = [ [ 1e12, 'T' ], [ 1e9, 'G' ], [ 1e6, 'M' ], [ 1e3, 'k' ] ];
    for (var i = 0; i < marks.length; i++)
        if (value >= marks[i][0])
            return Number((value / marks[i][0]).toPrecision(4)) + marks[i][1];
    return String(Number(value.toPrecision(4)));
}

function chartRange(chart) {
    var low = Infinity, high = -Infinity;
    chart.values.forEach(function(row) {
        row.forEach(function(value) {
            if (value === null)
                return;
            low = Math.min(low, value);
            high = Math.max(high, value);
        });
    });
    return { low : low, high : high };
}

function colour(index) { return 'var(--c' + index % 12 + ')'; }

function words(x, y, anchor, text) {
    return drawn('text', { x : x, y : y, 'text-anchor' : anchor }, text);
}

function planeDraw(svg, chart, area) {
    var range = chartRange(chart), low = Math.min(0, range.low);
    var high = range.high > 0 ? range.high : 1;
    var step = roundStep(high - low);
    function y(value) { return area.top + area.height * (1 - (value - low) / (high - low)); }
    function x(category) {
        var slots = chart.categories.length;
        return area.left + (category + 0.5) / slots * area.width;
    }
    for (var tick = Math.ceil(low / step) * step; tick <= high * 1.0001; tick += step) {
        svg.appendChild(drawn('path', { 'class' : 'rule',
            d : 'M' + area.left + ' ' + y(tick) + 'h' + area.width }));
        svg.appendChild(words(area.left - 6, y(tick) + 4, 'end', shortNumber(tick)));
    }
    chart.categories.forEach(function(name, i) {
        svg.appendChild(words(x(i), area.top + area.height + 18, 'middle', name));
    });
    chart.values.forEach(function(row, s) {
        if (chart.kind === 'bars')
            barsDraw(svg, chart, area, row, s, x, y);
        else
            lineDraw(svg, chart, row, s, x, y);
    });
}

function lineDraw(svg, chart, row, s, x, y) {
    var path = '', down = false;
    row.forEach(function(value, i) {
        if (value !== null)
            path += (down ? 'L' : 'M') + x(i) + ' ' + y(value);
        down = value !== null;
    });
    svg.appendChild(drawn('path', { 'class' : 'line', d : path, fill : 'none', stroke : colour(s),
        'stroke-width' : 1.5 }));
    row.forEach(function(value, i) {
        if (value !== null)
            svg.appendChild(drawn('circle', { cx : x(i), cy : y(value), r : 3, fill : colour(s) },
                drawn('title', {}, chart.series[s] + ' ' + chart.categories[i] + ': ' +
                    exact(value))));
    });
}

function barsDraw(svg, chart, area, row, s, x, y) {
    var slot = area.width / chart.categories.length, width = slot * 0.8 / chart.series.length;
    row.forEach(function(value, i) {
        if (value === null)
            return;
        var top = y(Math.max(value, 0));
        svg.appendChild(drawn('rect', { 'class' : 'bar', x : x(i) - slot * 0.4 + s * width, y : top,
            width : width * 0.95, height : y(Math.min(value, 0)) - top, fill : colour(s) },
            drawn('title', {}, chart.series[s] + ' ' + chart.categories[i] + ': ' + exact(value))));
    });
}

function heatDraw(svg, chart, area) {
    var range = chartRange(chart);
    var width = area.width / chart.categories.length, height = area.height / chart.series.length;
    chart.values.forEach(function(row, r) {
        svg.appendChild(words(area.left - 6, area.top + (r + 0.5) * height + 4, 'end',
            chart.series[r]));
        row.forEach(function(value, c) {
            if (value === null)
                return;
            var share = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5;
            svg.appendChild(drawn('rect', { 'class' : 'cell', x : area.left + c * width,
                y : area.top + r * height, width : width, height : height, fill : 'var(--bar)',
                'fill-opacity' : 0.08 + 0.7 * share }));
            svg.appendChild(words(area.left + (c + 0.5) * width, area.top + (r + 0.5) * height + 4,
                'middle', shortNumber(value)));
        });
    });
    chart.categories.forEach(function(name, c) {
        svg.appendChild(words(area.left + (c + 0.5) * width, area.top + area.height + 18, 'middle',
            name));
    });
}

function studyChart(chart) {
    var several = chart.kind !== 'heat' && chart.series.length > 1;
    var legend = several ? CHART.legend * chart.series.length : 0;
    var area = { left : chart.kind === 'heat' ? 150 : CHART.left, top : CHART.top + legend,
        height : CHART.height - CHART.top - CHART.bottom };
    area.width = CHART.width - area.left - CHART.right;
    var all = area.top + area.height + CHART.bottom;
    var svg = drawn('svg', { 'class' : 'study-chart', viewBox : '0 0 ' + CHART.width + ' ' + all,
        width : CHART.width, height : all, role : 'img' });
    if (isFinite(chartRange(chart).low))
        (chart.kind === 'heat' ? heatDraw : planeDraw)(svg, chart, area);
    for (var s = 0; several && s < chart.series.length; s++) {
        svg.appendChild(drawn('path', { d : 'M' + area.left + ' ' + (CHART.top + CHART.legend * s) +
            'h20', stroke : colour(s), 'stroke-width' : 8 }));
        svg.appendChild(words(area.left + 26, CHART.top + CHART.legend * s + 4, 'start',
            chart.series[s]));
    }
    svg.appendChild(words(area.left + area.width / 2, area.top + area.height + 44, 'middle',
        chart.xTitle));
    svg.appendChild(drawn('text', { transform : 'translate(16 ' + (area.top + area.height / 2) +
        ') rotate(-90)', 'text-anchor' : 'middle' }, chart.yTitle));
    return svg;
}
