/* page.js - what the report shows, from the data in the page.
 *
 * Everything but the charts over time works without the charting library (d3, version 3). Texts
 * reach the page only as text, never as markup: they come from files that may be anybody's. */
(function () {
'use strict';

var data = JSON.parse(document.getElementById('data').textContent);
var runs = data.runs;
var errors = [];
window.addEventListener('error', function (event) { errors.push(String(event.message)); });

/* ---- Small things ---- */

function element(name, attributes, children) {
  var node = document.createElement(name);
  return fill(node, attributes, children);
}

var SVG = 'http://www.w3.org/2000/svg';

function drawn(name, attributes, children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  Object.keys(attributes || {}).forEach(function (key) {
    if (key.slice(0, 2) === 'on') node.addEventListener(key.slice(2), attributes[key]);
    else if (attributes[key] !== null) node.setAttribute(key, attributes[key]);
  });
  [].concat(children === undefined ? [] : children).forEach(function (child) {
    node.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  });
  return node;
}

function byId(id) { return document.getElementById(id); }
function clear(node) { while (node.firstChild) node.removeChild(node.firstChild); }
function percent(share, digits) { return (100 * share).toFixed(digits === undefined ? 1 : digits) + '%'; }
function plainName(path) { return path.replace(/\[[^\]]*\]/g, ''); }
function runName(index) {
  var folder = runs[index].folder.replace(/\/+$/, '');
  return runs.length === 1 ? '' : folder.split('/').pop() || folder;
}

/* 1234567 as 1,234,567; 0.123456789 as 0.123457. Numbers above 2^53 come as text. */
function exact(value) {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return BigInt(value).toLocaleString('en-US');
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return Math.abs(value) >= 1e5 ? value.toLocaleString('en-US', { maximumFractionDigits: 1 })
                                : String(Number(value.toPrecision(6)));
}

/* Short, for axes and cards: 1.23 M. */
function short(value) {
  var steps = [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e3, ' k']];
  for (var i = 0; i < steps.length; i++)
    if (Math.abs(value) >= steps[i][0]) return Number((value / steps[i][0]).toPrecision(4)) + steps[i][1];
  return String(Number(value.toPrecision(4)));
}

/* ---- Words on hover ---- */

var tip = byId('tip');

function showTip(event, words) {
  tip.textContent = words;
  tip.hidden = false;
  var x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  var y = event.clientY + 18;
  if (y + tip.offsetHeight > window.innerHeight) y = event.clientY - tip.offsetHeight - 10;
  tip.style.left = Math.max(4, x) + 'px';
  tip.style.top = Math.max(4, y) + 'px';
}

function hideTip() { tip.hidden = true; }

function withTip(node, words) {
  node.addEventListener('mousemove', function (event) {
    showTip(event, typeof words === 'function' ? words() : words);
  });
  node.addEventListener('mouseleave', hideTip);
  return node;
}

/* ---- Saving a drawing ---- */

var KEPT = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'fill-opacity',
  'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor', 'shape-rendering'];

/* A copy that looks the same outside the page. */
function standalone(svg) {
  var copy = svg.cloneNode(true);
  var from = svg.querySelectorAll('*'), to = copy.querySelectorAll('*');
  for (var i = 0; i < from.length; i++) {
    var style = window.getComputedStyle(from[i]);
    KEPT.forEach(function (key) { to[i].setAttribute(key, style.getPropertyValue(key)); });
    to[i].removeAttribute('class');
  }
  var box = svg.viewBox.baseVal;
  copy.setAttribute('xmlns', SVG);
  copy.setAttribute('width', box.width);
  copy.setAttribute('height', box.height);
  copy.removeAttribute('style');
  var card = window.getComputedStyle(document.body).getPropertyValue('--card').trim() || '#fff';
  copy.insertBefore(drawn('rect', { width: box.width, height: box.height, fill: card }), copy.firstChild);
  return new XMLSerializer().serializeToString(copy);
}

function save(name, address) {
  var link = element('a', { href: address, download: name });
  document.body.appendChild(link);
  link.click();
  document.body.removeChild(link);
}

function svgAddress(svg) {
  return 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(standalone(svg));
}

/* Calls back with the address of a PNG at twice the size. */
function pngAddress(svg, then) {
  var box = svg.viewBox.baseVal, picture = new Image();
  picture.onload = function () {
    var canvas = element('canvas', { width: 2 * box.width, height: 2 * box.height });
    var context = canvas.getContext('2d');
    context.scale(2, 2);
    context.drawImage(picture, 0, 0, box.width, box.height);
    then(canvas.toDataURL('image/png'));
  };
  picture.src = svgAddress(svg);
}

function saveButtons(name, svgOf) {
  return [
    element('button', { type: 'button', 'class': 'save-svg', title: 'Save this chart as SVG',
      onclick: function () { save(name + '.svg', svgAddress(svgOf())); } }, 'SVG'),
    element('button', { type: 'button', 'class': 'save-png', title: 'Save this chart as PNG',
      onclick: function () { pngAddress(svgOf(), function (address) { save(name + '.png', address); }); } },
      'PNG')];
}

/* ---- Tables ---- */

/* columns: { label, number, help }; rows: arrays of { text, value, node, help }. */
function table(columns, rows, id) {
  var body = element('tbody');
  var heads = columns.map(function (column, index) {
    var head = element('th', { 'class': 'sortable' + (column.number ? ' number' : ''), scope: 'col',
      onclick: function () { sort(index); } }, column.label);
    return column.help ? withTip(head, column.help) : head;
  });
  function show() {
    clear(body);
    rows.forEach(function (row) {
      body.appendChild(element('tr', {}, row.map(function (cell, index) {
        var node = element('td', { 'class': columns[index].number ? 'number' : null }, cell.node || cell.text);
        return cell.help ? withTip(node, cell.help) : node;
      })));
    });
  }
  function sort(index) {
    var down = heads[index].getAttribute('aria-sort') === 'descending' ? false
             : heads[index].getAttribute('aria-sort') === 'ascending' ? true : !!columns[index].number;
    heads.forEach(function (head) { head.removeAttribute('aria-sort'); });
    heads[index].setAttribute('aria-sort', down ? 'descending' : 'ascending');
    rows.sort(function (a, b) {
      var x = a[index].value, y = b[index].value;
      if (x === null || y === null) return (x === null) - (y === null);
      var order = typeof x === 'number' ? x - y : String(x).localeCompare(String(y));
      return down ? -order : order;
    });
    show();
  }
  show();
  return element('table', { id: id || null }, [element('thead', {}, element('tr', {}, heads)), body]);
}

function text(value, help) { return { text: value, value: value, help: help }; }
function number(value, shown, help) {
  var amount = value === undefined || value === null ? null : Number(value);
  return { text: shown === undefined ? exact(value) : shown, value: amount, help: help };
}

/* ---- Summary ---- */

var SUMMARY = [
  ['cycles', 'cycles', exact], ['simulated_seconds', 'simulated time', seconds],
  ['mrays_per_s', 'rays traced per second', function (v) { return exact(Number(v.toPrecision(5))) + ' Mrays/s'; }],
  ['rays', 'rays', exact], ['instructions', 'instructions', exact],
  ['l1_hit_rate', 'L1 hit rate', percent2], ['l2_hit_rate', 'L2 hit rate', percent2],
  ['l2_bandwidth_share', 'of the L2 bandwidth', percent2],
  ['dram_bandwidth_share', 'of the DRAM bandwidth', percent2],
  ['dram_read_bytes', 'read from DRAM', bytes], ['dram_write_bytes', 'written to DRAM', bytes],
  ['wall_seconds', 'host time', seconds], ['cycles_per_wall_second', 'simulation speed', function (v) { return short(v) + ' cycles/s'; }]];

function percent2(v) { return percent(v, 2); }
function seconds(v) {
  return v >= 1 ? exact(Number(v.toPrecision(4))) + ' s' : v >= 1e-3 ? Number((v * 1e3).toPrecision(4)) + ' ms'
       : Number((v * 1e6).toPrecision(4)) + ' µs';
}
function bytes(v) {
  var names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'], i = 0;
  while (v >= 1024 && i < 4) { v /= 1024; i++; }
  return Number(v.toPrecision(4)) + ' ' + names[i];
}

function workloadWords(run) {
  var load = run.workload, options = run.options || {};
  var words = [run.architecture + ', ' + short(run.clock_hz) + 'Hz'];
  if (options.program) words.push('program ' + options.program + (options.arguments || []).map(function (a) { return ' ' + a; }).join(''));
  if (load) words.push('scene ' + load.scene + ' (' + exact(load.triangles) + ' triangles, ' + load.nodes + ', ' +
    load.primitives + '), rays ' + load.rays + ', ' + load.width_pixels + ' x ' + load.height_pixels + ' pixels');
  (run.settings || []).forEach(function (setting) { words.push(setting); });
  return words.join(' · ');
}

function picture(run, key, caption) {
  if (run[key] === false)
    return element('p', { 'class': 'note' }, caption + ': too large for this page; see ' + key + '.png in the folder.');
  return run[key] ? element('figure', {}, [element('img', { src: run[key], alt: caption, id: key + '-picture' }),
    element('figcaption', {}, caption)]) : null;
}

function showSummary() {
  var body = byId('summary-body');
  document.title = runs.map(function (r) { return r.run.architecture; }).join(', ') + ' – Ogive report';
  byId('title').textContent = runs.map(function (r) { return r.folder; }).join('  |  ');
  runs.forEach(function (run, index) {
    var cards = SUMMARY.filter(function (row) { return typeof run.summary[row[0]] === 'number'; }).map(function (row) {
      var value = run.summary[row[0]], type = { 'class': 'card', 'data-name': row[0], 'data-value': String(value) };
      return withTip(element('div', type, [element('b', {}, row[2](value)), element('span', {}, row[1])]),
        'summary.' + row[0] + ' = ' + value);
    });
    var parts = [element('p', {}, [element('b', {}, run.folder), ' – ' + run.summary.status + ' – ' + workloadWords(run.run)])];
    if (run.summary.status !== 'finished' && run.summary.status !== 'stopped')
      parts.push(element('p', { 'class': 'warn' }, 'This run ended as “' + run.summary.status + '”: the numbers cover what it did until then.'));
    var pictures = [picture(run, 'image', 'the picture'), picture(run, 'heatmap', 'what each pixel cost')].filter(Boolean);
    parts.push(element('div', { 'class': 'beside' }, [element('div', { 'class': 'cards' }, cards)].concat(
      pictures.length ? [element('div', { 'class': 'pictures' }, pictures)] : [])));
    parts.push(element('p', { 'class': 'note' }, 'started ' + run.run.started + ' · digest ' + run.summary.digest + ' · ogive ' + run.run.ogive));
    body.appendChild(element('div', { 'class': 'run', style: 'border-color: var(--c' + index % 12 + ')' }, parts));
  });
}

/* ---- What limited it ---- */

function meter(share, kind) {
  if (share === null) return element('span', { 'class': 'note' }, '–');
  return element('div', { 'class': 'meter ' + kind }, [
    element('i', { style: 'width:' + Math.min(100, 100 * share).toFixed(2) + '%' }), element('em', {}, percent(share))]);
}

var KIND_HELP = {
  work: 'something is done with it: used cycles of all cycles',
  room: 'something stays in it: slots in use of all slots',
  delay: 'takes time, but has no limit of its own' };

function resourceTable(run) {
  var columns = [{ label: 'unit' }, { label: 'resource' },
    { label: 'utilisation', help: 'How much of it was used, over the whole run. Rows: share of requests in conflict.' },
    { label: 'waiting', help: 'The share of all waiting that passed here. A thread that waits for a ray that waits for ' +
      'the L2 counts at each of them, so shares do not add up. The time of memory requests is divided among caches, ' +
      'links and DRAM by how many requests passed each and how long that takes.' },
    { label: 'in words' }];
  var rows = run.bottleneck.resources.map(function (r) {
    return [text(r.group, KIND_HELP[r.kind]), text(r.name, KIND_HELP[r.kind]),
      { node: meter(r.utilisation, r.kind), value: r.utilisation }, { node: meter(r.waiting, 'waiting'), value: r.waiting },
      text(r.sentence)];
  });
  return table(columns, rows, 'resources-' + runs.indexOf(run));
}

function treeNode(node, whole, colour) {
  var line = [element('i', { style: 'background:' + (colour || 'none') }), element('span', { 'class': 'value' }, percent(node.cycles / whole, 2)), element('span', {}, node.label),
    element('span', { 'class': 'cycles' }, short(node.cycles))];
  var words = node.name + ': ' + exact(node.cycles) + ' of ' + exact(whole) + ' cycles';
  if (!node.parts.length) return withTip(element('div', { 'class': 'leaf' }, line), words);
  var parts = node.parts.slice().sort(function (a, b) { return b.cycles - a.cycles; });
  return element('details', {}, [withTip(element('summary', {}, line), words)].concat(
    parts.filter(function (p) { return p.cycles > 0; }).map(function (part) { return treeNode(part, whole); })));
}

function treeBar(tree) {
  return element('div', { 'class': 'bar' }, tree.parts.map(function (part, index) {
    var share = part.cycles / tree.cycles;
    return share > 0 ? withTip(element('span', { style: 'width:' + 100 * share + '%;background:var(--c' + index % 12 + ')' },
      share > 0.07 ? part.label : ''), part.label + ': ' + percent(share, 2)) : null;
  }).filter(Boolean));
}

function showTree(tree) {
  var parts = tree.parts.filter(function (p) { return p.cycles > 0; }).sort(function (a, b) { return b.cycles - a.cycles; });
  return element('div', { 'class': 'tree', 'data-tree': tree.name }, [
    element('h3', {}, 'Where the ' + tree.label + ' went'), treeBar(tree),
    element('div', { 'class': 'top' }, parts.map(function (part) {
      return treeNode(part, tree.cycles, 'var(--c' + tree.parts.indexOf(part) % 12 + ')');
    })),
    element('p', { 'class': 'note' }, 'Parts of ' + exact(tree.cycles) + ' cycles; they add up exactly.')]);
}

function showLimits() {
  var body = byId('limits-body');
  runs.forEach(function (run, index) {
    var found = run.bottleneck, parts = [];
    if (runs.length > 1) parts.push(element('h3', {}, run.folder));
    if (found.words.length)
      parts.push(element('ul', { 'class': 'sentences' }, found.words.map(function (s) { return element('li', {}, s); })));
    if (found.trees.length) parts.push(element('div', { 'class': 'trees' }, found.trees.map(showTree)));
    if (found.resources.length) {
      parts.push(element('h3', {}, 'Resources, those that caused most waiting first'));
      parts.push(element('div', { 'class': 'scroll' }, resourceTable(run)));
    } else parts.push(element('p', { 'class': 'note' }, 'No unit of this chip has a limit that the report knows.'));
    body.appendChild(element('div', { 'class': 'run', style: 'border-color: var(--c' + index % 12 + ')' }, parts));
  });
}

/* ---- Series ---- */

/* The intervals of a run, `step` of them put together: { ends, lengths, at } where at(name) gives an
 * array of values, or null where there is none. */
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
    if (kept[key]) return kept[key];
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
    if (!row) return null;
    if (row.over_units !== 'ratio') return raw(path + '.' + stat, row.over_units === 'max');
    var above = raw(path + '.' + row.above), below = raw(path + '.' + row.below);
    return above.map(function (value, b) { return below[b] ? value / below[b] : null; });
  }
  return { ends: ends, lengths: lengths, at: at, start: series.start };
}

function groupOf(run, path) {
  return run.groups.filter(function (g) { return g.path === path || g.name === path; })[0];
}

/* How busy a resource was in each interval. */
function utilisationOver(run, view, resource) {
  var group = groupOf(run, resource.group);
  var sums = view.ends.map(function () { return 0; });
  resource.uses.forEach(function (stat) {
    (view.at(group.path, stat) || []).forEach(function (value, b) { sums[b] += value; });
  });
  return sums.map(function (sum, b) {
    var whole = resource.capacity_per_cycle * view.lengths[b];
    return whole > 0 ? Math.min(1, sum / whole) : null;
  });
}

/* ---- Charts ---- */

var charts = [], zoom = null, step = 1, extent = [0, 1];
var WIDTH = 600, HEIGHT = 250, LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 26;

function chartLines(chart) {
  var lines = [];
  runs.forEach(function (run, index) {
    if (!run.series) return;
    chart.lines(run, run.view).forEach(function (line) {
      lines.push({ run: index, ends: run.view.ends, start: run.view.start, label: line.label, values: line.values, help: line.help });
    });
  });
  var names = [];
  lines.forEach(function (line) {
    if (names.indexOf(line.label) < 0) names.push(line.label);
    line.colour = 'var(--c' + names.indexOf(line.label) % 12 + ')';
    line.dash = ['', '6 3', '2 3', '8 3 2 3'][line.run % 4];
    line.key = line.run + line.label;
    line.full = (runName(line.run) ? runName(line.run) + ': ' : '') + line.label;
  });
  return lines;
}

function chartLegend(chart, lines) {
  clear(chart.legend);
  lines.forEach(function (line) {
    var item = element('span', { 'class': chart.hidden[line.key] ? 'off' : null, onclick: function () {
      chart.hidden[line.key] = !chart.hidden[line.key];
      chart.draw();
    } }, [element('i', { style: 'background:' + line.colour + (line.run ? ';opacity:.55' : '') }), line.full]);
    chart.legend.appendChild(line.help ? withTip(item, line.help) : item);
  });
}

function newChart(place, chart) {
  chart.hidden = {};
  chart.legend = element('div', { 'class': 'legend' });
  chart.svg = drawn('svg', { viewBox: '0 0 ' + WIDTH + ' ' + HEIGHT, role: 'img' });
  var head = [element('h3', {}, chart.title)].concat(saveButtons(chart.file, function () { return chart.svg; }));
  if (chart.pick) head.splice(1, 0, chart.pick);
  place.appendChild(element('div', { 'class': 'chart', 'data-chart': chart.file }, [
    element('div', { 'class': 'chart-head' }, head), chart.svg, chart.legend]));
  chart.draw = function () { drawChart(chart); };
  charts.push(chart);
}

function drawChart(chart) {
  var lines = chartLines(chart);
  chartLegend(chart, lines);
  var shown = lines.filter(function (line) { return !chart.hidden[line.key]; });
  var domain = zoom || extent;
  var x = d3.scale.linear().domain(domain).range([LEFT, WIDTH - RIGHT]);
  var largest = 0;
  shown.forEach(function (line) {
    line.values.forEach(function (value, b) {
      if (line.ends[b] >= domain[0] && (b ? line.ends[b - 1] : line.start) <= domain[1] && value > largest) largest = value;
    });
  });
  if (chart.share) largest = largest > 0.5 || !largest ? 1 : largest * 1.08;
  if (chart.stack && runs.length === 1) {
    largest = 1;
    pile(shown);
  }
  var y = d3.scale.linear().domain([0, largest || 1]).range([HEIGHT - BOTTOM, TOP]);
  var root = d3.select(chart.svg);
  root.selectAll('*').remove();
  var clip = 'clip-' + charts.indexOf(chart);
  root.append('defs').append('clipPath').attr('id', clip).append('rect')
    .attr({ x: LEFT, y: TOP - 2, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM + 4 });
  root.append('g').attr('class', 'axis').attr('transform', 'translate(0,' + (HEIGHT - BOTTOM) + ')')
    .call(d3.svg.axis().scale(x).orient('bottom').ticks(6).tickSize(-(HEIGHT - TOP - BOTTOM)).tickFormat(short).tickPadding(6));
  root.append('g').attr('class', 'axis').attr('transform', 'translate(' + LEFT + ',0)')
    .call(d3.svg.axis().scale(y).orient('left').ticks(5).tickSize(-(WIDTH - LEFT - RIGHT))
      .tickFormat(chart.share ? function (v) { return percent(v, largest < 0.05 ? 1 : 0); } : short).tickPadding(5));
  var path = d3.svg.line().defined(function (p) { return p[1] !== null; })
    .x(function (p) { return x(p[0]); }).y(function (p) { return y(p[1]); }).interpolate('step-before');
  var area = root.append('g').attr('clip-path', 'url(#' + clip + ')');
  shown.forEach(function (line) {
    var points = line.values.map(function (value, b) { return [line.ends[b], value]; });
    points.unshift([line.start, line.values[0]]);
    if (line.base) {
      area.append('path').attr('class', 'series').style({ fill: line.colour, stroke: 'none' }).attr('d', d3.svg.area()
        .defined(function (p) { return p[1] !== null; }).interpolate('step-before').x(function (p) { return x(p[0]); })
        .y0(function (p, i) { return y(line.base[Math.max(0, i - 1)]); })
        .y1(function (p, i) { return y(line.base[Math.max(0, i - 1)] + p[1]); })(points));
      return;
    }
    area.append('path').attr('class', 'series').attr('d', path(points)).style('stroke', line.colour)
      .style('stroke-dasharray', line.dash || null);
  });
  addBrush(chart, root, x, shown);
}

/* Each line begins where the one before ends. */
function pile(lines) {
  lines.forEach(function (line, index) {
    line.base = line.values.map(function (value, b) {
      return index ? lines[index - 1].base[b] + (lines[index - 1].values[b] || 0) : 0;
    });
  });
}

/* Dragging zooms all charts; moving shows the values. */
function addBrush(chart, root, x, lines) {
  var cursor = root.append('line').attr('class', 'cursor').attr({ y1: TOP, y2: HEIGHT - BOTTOM }).style('display', 'none');
  var brush = d3.svg.brush().x(x).on('brushend', function () {
    if (!brush.empty()) setZoom(brush.extent());
  });
  var layer = root.append('g').attr('class', 'brush').call(brush);
  layer.selectAll('rect').attr({ y: TOP, height: HEIGHT - TOP - BOTTOM });
  layer.on('mousemove', function () {
    var at = x.invert(d3.mouse(chart.svg)[0]);
    var words = ['cycle ' + exact(Math.round(at))];
    lines.forEach(function (line) {
      var b = d3.bisectLeft(line.ends, at);
      if (b < line.values.length && line.values[b] !== null)
        words.push(line.full + ': ' + (chart.share ? percent(line.values[b], 2) : exact(line.values[b])));
    });
    cursor.style('display', null).attr({ x1: x(at), x2: x(at) });
    showTip(d3.event, words.slice(0, 20).join('\n'));
  }).on('mouseleave', function () { cursor.style('display', 'none'); hideTip(); })
    .on('dblclick', function () { setZoom(null); });
}

function setZoom(range) {
  zoom = range;
  byId('zoom-range').textContent = zoom ? 'cycles ' + exact(Math.round(zoom[0])) + ' to ' + exact(Math.round(zoom[1])) : 'all cycles';
  charts.forEach(function (chart) { chart.draw(); });
}

function setStep(value) {
  step = value;
  runs.forEach(function (run) { if (run.series) run.view = grouped(run, step); });
  charts.forEach(function (chart) { chart.draw(); });
}

/* ---- Which charts there are ---- */

function resourceLines(kind) {
  return function (run, view) {
    return run.bottleneck.resources.filter(function (r) { return r.kind === kind && r.utilisation !== null; })
      .map(function (r) { return { label: r.group + ' ' + r.name, values: utilisationOver(run, view, r), help: r.sentence }; });
  };
}

function statLines(choose) {
  return function (run, view) {
    var lines = [];
    run.groups.forEach(function (group) {
      var rows = run.types[group.type];
      Object.keys(rows).forEach(function (stat) {
        var values = choose(group, stat, rows[stat]) ? view.at(group.path, stat) : null;
        if (values && values.some(function (v) { return v; }))
          lines.push({ label: group.name + '.' + stat, values: values, help: rows[stat].help });
      });
    });
    return lines;
  };
}

/* The parts of a tree's first level as shares of the whole, from the counters below. */
function treeLines(name) {
  return function (run, view) {
    var tree = run.bottleneck.trees.filter(function (t) { return t.name === name; })[0];
    var type = name === 'cycles' ? 'core' : 'rtcore';
    var groups = run.groups.filter(function (g) { return g.type === type; });
    function sum(stat) {
      var total = view.ends.map(function () { return 0; });
      groups.forEach(function (g) {
        (view.at(g.path, stat) || []).forEach(function (v, b) { total[b] += v; });
      });
      return total;
    }
    if (!tree) return [];
    var whole = sum(name);
    return tree.parts.filter(function (p) { return p.cycles > 0; }).map(function (part) {
      var stats = run.types[type][part.name] ? [part.name] : part.parts.map(function (p) { return p.name; });
      var values = view.ends.map(function () { return 0; });
      stats.forEach(function (stat) { sum(stat).forEach(function (v, b) { values[b] += v; }); });
      return { label: part.label, values: values.map(function (v, b) { return whole[b] ? v / whole[b] : null; }) };
    });
  };
}

function bytesPerCycle(run, view) {
  var lines = statLines(function (group, stat, row) {
    return row.unit === 'bytes' && /^(bytes_answered|bytes_read|bytes_written|bytes_fetched)$/.test(stat);
  })(run, view);
  lines.forEach(function (line) { line.values = line.values.map(function (v, b) { return v / view.lengths[b]; }); });
  return lines;
}

function statNames() {
  var names = {};
  runs.forEach(function (run) {
    run.groups.forEach(function (group) {
      Object.keys(run.types[group.type]).forEach(function (stat) { names[group.name + '.' + stat] = true; });
    });
  });
  return Object.keys(names);
}

/* Any statistics: chosen by name. */
function ownChart(place) {
  var chosen = [];
  var list = element('datalist', { id: 'stat-names' }, statNames().map(function (n) { return element('option', { value: n }); }));
  var input = element('input', { list: 'stat-names', placeholder: 'add a statistic', id: 'pick', size: 28, onchange: function () {
    if (statNames().indexOf(input.value) < 0) return;
    chosen.push(input.value);
    input.value = '';
    chart.draw();
  } });
  var first = statNames().filter(function (n) { return /\.(issued|sent|reads)$/.test(n); })[0];
  if (first) chosen.push(first);
  var chart = { title: 'Your choice', file: 'choice', pick: input, lines: statLines(function (group, stat) {
    return chosen.indexOf(group.name + '.' + stat) >= 0;
  }) };
  place.appendChild(list);
  newChart(place, chart);
}

function showTime() {
  var body = byId('time-body');
  var timed = runs.filter(function (run) { return run.series; });
  if (!timed.length) {
    body.appendChild(element('p', { 'class': 'note' }, 'The run kept no intervals (it was made with --interval 0).'));
    return;
  }
  if (typeof d3 === 'undefined') {
    body.appendChild(element('p', { 'class': 'warn', id: 'no-charts' }, 'There are no charts: the library that draws them was ' +
      'not found when this page was made. Install the package ' + data.package + ' and make the page again with “ogive report”.'));
    return;
  }
  extent = [Math.min.apply(null, timed.map(function (r) { return r.series.start; })),
    Math.max.apply(null, timed.map(function (r) { return r.series.ends[r.series.ends.length - 1]; }))];
  timed.forEach(function (run) { run.view = grouped(run, 1); });
  var most = Math.max.apply(null, timed.map(function (r) { return r.series.ends.length; }));
  var steps = [1, 2, 5, 10, 20, 50, 100].filter(function (s) { return s === 1 || s <= most / 4; });
  var length = timed[0].view.lengths[0];
  body.appendChild(element('div', { 'class': 'controls' }, [
    element('label', {}, ['interval', element('select', { id: 'step', onchange: function (event) { setStep(Number(event.target.value)); } },
      steps.map(function (s) { return element('option', { value: s }, short(s * length) + ' cycles'); }))]),
    element('button', { type: 'button', id: 'unzoom', onclick: function () { setZoom(null); } }, 'show all'),
    element('span', { 'class': 'note' }, ['showing ', element('b', { id: 'zoom-range' }, 'all cycles'),
      '; drag in a chart to zoom all of them, double-click to go back'])]));
  var place = body.appendChild(element('div', { 'class': 'charts' }));
  function any(lines) { return timed.some(function (run) { return lines(run, run.view).length; }); }
  [{ title: 'Busy: work done of what is possible', file: 'busy', share: true, lines: resourceLines('work') },
   { title: 'Full: slots in use', file: 'full', share: true, lines: resourceLines('room') },
   { title: 'Hit rates', file: 'hit-rates', share: true, lines: statLines(function (g, stat) { return /hit_rate$/.test(stat); }) },
   { title: 'Where thread-cycles went', file: 'threads', share: true, stack: true, lines: treeLines('cycles') },
   { title: 'Where ray-cycles went', file: 'rays', share: true, stack: true, lines: treeLines('ray_cycles') },
   { title: 'Bytes per cycle', file: 'bytes', lines: bytesPerCycle }]
    .forEach(function (chart) { if (any(chart.lines)) newChart(place, chart); });
  ownChart(place);
  charts.forEach(function (chart) { chart.draw(); });
  timed.forEach(function (run) {
    if (run.series.intervals > run.series.ends.length)
      body.appendChild(element('p', { 'class': 'note' }, run.folder + ': ' + exact(run.series.intervals) +
        ' intervals were put together into ' + exact(run.series.ends.length) + '; series.csv has them all.'));
  });
}

/* ---- The chip ---- */

var chip = { run: 0, kind: 'work', at: 0, cells: [] };

function decoded(base64) {
  var binary = atob(base64), cells = new Uint8Array(binary.length);
  for (var i = 0; i < binary.length; i++) cells[i] = binary.charCodeAt(i);
  return cells;
}

/* From idle (like the page) over yellow to red. */
function heat(share) {
  var stops = window.matchMedia('(prefers-color-scheme: dark)').matches
    ? [[38, 52, 69], [45, 110, 150], [220, 180, 70], [225, 75, 50]]
    : [[219, 231, 244], [110, 170, 210], [245, 195, 70], [205, 50, 35]];
  var at = Math.max(0, Math.min(0.9999, share)) * (stops.length - 1), i = Math.floor(at), part = at - i;
  return 'rgb(' + [0, 1, 2].map(function (k) {
    return Math.round(stops[i][k] + part * (stops[i + 1][k] - stops[i][k]));
  }).join(',') + ')';
}

/* Where the units are: domains one below the other, their copies beside each other, the copies of a
 * unit as a grid of small squares. */
function chipLayout(run) {
  var domains = {}, order = [];
  run.groups.forEach(function (group) {
    var name = group.name.split('.')[0];
    if (!domains[name]) { domains[name] = { name: name, copies: group.domains, groups: [] }; order.push(name); }
    domains[name].groups.push(group);
  });
  return order.map(function (name) {
    var domain = domains[name];
    domain.groups.forEach(function (group) { group.inside = Math.round(group.copies / group.domains); });
    domain.cell = domain.copies > 60 ? 5 : domain.copies > 24 ? 7 : 10;
    return domain;
  });
}

var CHIP_WIDTH = 1180;

/* Wider than high, and without gaps where there is such a number. */
function gridColumns(count) {
  var wish = Math.sqrt(1.6 * count), best = Math.ceil(wish), distance = 1.6;
  for (var columns = 1; columns <= count; columns++) {
    var ratio = Math.max(columns / wish, wish / columns);
    if (count % columns === 0 && ratio < distance) { best = columns; distance = ratio; }
  }
  return best;
}

function domainSize(domain) {
  var cell = domain.cell, width = 0, height = 4;
  domain.blocks = [];
  var big = domain.groups.filter(function (g) { return g.inside > 4; });
  var small = domain.groups.filter(function (g) { return g.inside <= 4; });
  var across = 0;
  big.forEach(function (group) {
    var columns = gridColumns(group.inside);
    domain.blocks.push({ group: group, x: 4, y: height, columns: columns, w: cell - 1, h: cell - 1, pitchX: cell, pitchY: cell });
    width = Math.max(width, columns * cell);
    height += Math.ceil(group.inside / columns) * cell + 3;
  });
  var each = domain.copies > 24 ? 22 : 64, row = domain.copies > 24 ? 13 : 20;
  width = Math.max(width, Math.min(small.length, 3) * each);
  var perRow = Math.max(1, Math.floor(width / each)), wide = width / perRow;
  small.forEach(function (group) {
    var part = wide / group.inside;
    domain.blocks.push({ group: group, x: 4 + across * wide, y: height, columns: group.inside, w: part - 1.5, h: row - 2,
      pitchX: part, pitchY: row, named: domain.copies <= 24 || wide >= 22 });
    if (++across === perRow) { across = 0; height += row; }
  });
  if (across) height += row;
  domain.width = width + 8;
  domain.height = height + 4;
}

function drawUnits(domain, block, copy, left, top, layer, run) {
  var group = block.group, number = run.groups.indexOf(group);
  for (var i = 0; i < group.inside; i++) {
    var x = left + block.x + (i % block.columns) * block.pitchX;
    var y = top + block.y + Math.floor(i / block.columns) * block.pitchY;
    var unit = drawn('rect', { 'class': 'unit plain', x: x.toFixed(1), y: y.toFixed(1), width: block.w.toFixed(1), height: block.h, rx: 1 });
    unit.group = number;
    unit.copy = copy * group.inside + i;
    unit.name = group.name.replace('.', (group.domains > 1 ? '[' + copy + ']' : '') + '.') + (group.inside > 1 ? '[' + i + ']' : '');
    chip.cells.push(unit);
    layer.appendChild(unit);
  }
  if (block.named && group.inside === 1) {
    var size = Math.min(10.5, block.h - 3, 1.7 * block.w / group.name.split('.')[1].length);
    if (size >= 5)
      layer.appendChild(drawn('text', { x: left + block.x + block.w / 2, y: top + block.y + block.h / 2 + size * 0.36,
        'text-anchor': 'middle', style: 'font-size:' + size.toFixed(1) + 'px;pointer-events:none' }, group.name.split('.')[1]));
  }
}

/* Traffic of the links that leave a cache is what it fetched and sent. */
function linkWords(run, link) {
  var ends = link.link.split('->').map(function (end) { return plainName(end.trim()).split('.').slice(0, 2).join('.'); });
  var from = groupOf(run, link.within ? link.within + '.' + ends[0].split('.')[0] : ends[0]);
  var words = link.link + ': ' + link.latency_cycles + ' cycles';
  if (from && from.type === 'cache') {
    var stats = run.stats[from.path];
    words += ', ' + exact(Number((stats.bytes_fetched / (run.summary.cycles || 1)).toPrecision(4))) + ' bytes/cycle fetched, ' +
      exact(Number((stats.bytes_sent / (run.summary.cycles || 1)).toPrecision(4))) + ' sent';
  }
  return words;
}

function drawChip() {
  var run = runs[chip.run], y = 6, layer = drawn('g');
  chip.cells = [];
  var outer = (run.run.links || []).filter(function (link) { return !link.within; });
  chipLayout(run).forEach(function (domain) {
    domainSize(domain);
    var gap = domain.copies > 24 ? 6 : 10;
    var perRow = Math.max(1, Math.floor((CHIP_WIDTH + gap) / (domain.width + gap)));
    layer.appendChild(drawn('text', { x: 2, y: y + 12, style: 'font-weight:600;font-size:13px' },
      domain.name + (domain.copies > 1 ? ' × ' + domain.copies : '')));
    layer.appendChild(drawn('text', { x: 110, y: y + 12, 'class': 'soft' }, domain.groups.map(function (g) {
      return (g.inside > 1 ? g.inside + ' × ' : '') + g.name.split('.')[1];
    }).join(', ')));
    y += 20;
    for (var copy = 0; copy < domain.copies; copy++) {
      var left = 2 + (copy % perRow) * (domain.width + gap), top = y + Math.floor(copy / perRow) * (domain.height + gap);
      layer.appendChild(drawn('rect', { 'class': 'domain', x: left, y: top, width: domain.width, height: domain.height, rx: 4 }));
      domain.blocks.forEach(function (block) { drawUnits(domain, block, copy, left, top, layer, run); });
    }
    y += Math.ceil(domain.copies / perRow) * (domain.height + gap);
    outer.filter(function (link) { return link.link.split(/[.\[ ]/)[0] === domain.name; }).forEach(function (link) {
      layer.appendChild(drawn('text', { x: 14, y: y + 10, 'class': 'soft link' }, '↕ ' + linkWords(run, link)));
      y += 16;
    });
    y += 8;
  });
  var svg = drawn('svg', { viewBox: '0 0 ' + (CHIP_WIDTH + 4) + ' ' + Math.ceil(y), id: 'chip-svg', role: 'img' }, layer);
  svg.addEventListener('mousemove', function (event) {
    if (event.target.name) showTip(event, unitWords(event.target)); else hideTip();
  });
  svg.addEventListener('mouseleave', hideTip);
  clear(byId('chip-picture'));
  byId('chip-picture').appendChild(svg);
  colourChip();
}

/* The resources of a group that count for what is shown. */
function chipResources(run, group) {
  var list = [];
  run.bottleneck.resources.forEach(function (r, index) {
    if (r.group === run.groups[group].name && r.kind === chip.kind && run.cells.resources[index]) list.push(index);
  });
  return list;
}

function cellBytes(run, index, key) {
  var cells = run.cells.resources[index];
  if (!cells[key]) return null;
  if (!cells[key + 'Bytes']) cells[key + 'Bytes'] = decoded(cells[key]);
  return cells[key + 'Bytes'];
}

/* 0: the whole run; else an interval, of units where they are known, else of their group. */
function unitShare(run, resource, unit) {
  if (!chip.at) return cellBytes(run, resource, 'total')[unit.copy] / 250;
  var bytes = cellBytes(run, resource, 'time');
  if (bytes) return bytes[(chip.at - 1) * run.groups[unit.group].copies + unit.copy] / 250;
  return chip.over[resource] ? chip.over[resource][chip.at - 1] : 0;
}

function busiestOf(run, unit) {
  var best = null;
  chip.known[unit.group].forEach(function (resource) {
    var share = unitShare(run, resource, unit);
    if (!best || share > best.share) best = { share: share, resource: resource };
  });
  return best;
}

function unitWords(unit) {
  var run = runs[chip.run], words = [unit.name + ' (' + run.groups[unit.group].type + ')'];
  chip.known[unit.group].forEach(function (resource) {
    words.push(run.bottleneck.resources[resource].name + ': ' + percent(unitShare(run, resource, unit)));
  });
  return words.join('\n');
}

function chipTimes(run) {
  if (run.cells.ends.length) return run.cells.ends;
  return run.series ? run.series.ends : [];
}

function colourChip() {
  var run = runs[chip.run], sum = 0, count = 0;
  chip.known = run.groups.map(function (g, index) { return chipResources(run, index); });
  chip.over = {};
  if (!run.cells.ends.length && run.series && chip.at) {
    var view = grouped(run, 1);
    chip.known.forEach(function (list) {
      list.forEach(function (r) { chip.over[r] = utilisationOver(run, view, run.bottleneck.resources[r]); });
    });
  }
  chip.cells.forEach(function (unit) {
    var best = busiestOf(run, unit);
    if (best) { unit.style.fill = heat(best.share); sum += best.share; count++; }
    else unit.style.fill = '';
  });
  chip.mean = count ? sum / count : 0;
  var ends = chipTimes(run), from = chip.at > 1 ? ends[chip.at - 2] : run.series ? run.series.start : 0;
  byId('chip-when').textContent = chip.at ? 'cycles ' + exact(from) + ' to ' + exact(ends[chip.at - 1]) : 'the whole run';
  byId('chip-grain').textContent = !chip.at || run.cells.ends.length ? ''
    : 'Over time all copies have the colour of their group: for each by itself, run with --series all.';
}

function showChip() {
  var body = byId('chip-body');
  var slider = element('input', { type: 'range', id: 'chip-slider', min: 0, value: 0, step: 1, oninput: function () {
    chip.at = Number(slider.value);
    colourChip();
  } });
  function choose(index) {
    chip.run = index;
    chip.at = 0;
    slider.max = chipTimes(runs[index]).length;
    slider.value = 0;
    drawChip();
  }
  var controls = [];
  if (runs.length > 1)
    controls.push(element('label', {}, ['run', element('select', { id: 'chip-run', onchange: function (e) { choose(Number(e.target.value)); } },
      runs.map(function (run, index) { return element('option', { value: index }, run.folder); }))]));
  controls.push(element('label', {}, ['colour', element('select', { id: 'chip-kind', onchange: function (e) { chip.kind = e.target.value; colourChip(); } }, [
    element('option', { value: 'work' }, 'busy: work done of what is possible'), element('option', { value: 'room' }, 'full: slots in use')])]));
  controls.push(element('label', {}, ['time', slider]));
  controls.push(element('b', { id: 'chip-when' }));
  controls.push(element('span', { 'class': 'scale' }, ['0%'].concat([0, 0.2, 0.4, 0.6, 0.8, 1].map(function (share) {
    return element('span', { style: 'display:inline-block;width:1.4rem;height:.8rem;background:' + heat(share) });
  }), ['100%'])));
  saveButtons('chip', function () { return byId('chip-svg'); }).forEach(function (button) { controls.push(button); });
  body.appendChild(element('div', { 'class': 'controls' }, controls));
  body.appendChild(element('p', { 'class': 'note', id: 'chip-grain' }));
  body.appendChild(element('div', { id: 'chip-picture' }));
  choose(0);
}

/* ---- The program: flames and functions, if the run was profiled ---- */

var FLAME_WIDTH = 1180, FLAME_ROW = 18;

/* Children of each node, by cost; how deep the tree is. */
function callTree(calls) {
  calls.nodes.forEach(function (node, index) {
    node.below = [];
    node.index = index;
    node.depth = index ? calls.nodes[node.parent].depth + 1 : 0;
    if (index) calls.nodes[node.parent].below.push(node);
  });
  calls.nodes.forEach(function (node) { node.below.sort(function (a, b) { return b.all - a.all; }); });
}

function flameColour(name) {
  var sum = 0;
  for (var i = 0; i < name.length; i++) sum = (sum * 31 + name.charCodeAt(i)) % 997;
  return 'hsl(' + (15 + sum % 40) + ',' + (60 + sum % 20) + '%,' + (58 + sum % 12) + '%)';
}

function nodeWords(calls, node) {
  var words = node.name + '\n' + exact(node.all) + ' cycles with what it calls, ' + percent(node.all / calls.cycles, 2) +
    '\n' + exact(node.own) + ' of its own, ' + percent(node.own / calls.cycles, 2);
  if (node.calls !== null) words += '\n' + exact(node.calls) + ' calls';
  if (node.stall) words += '\nmost waiting: ' + node.stall + ', ' + percent(node.stall_cycles / node.own) + ' of its own cycles';
  return words;
}

/* Boxes from `top` down, each as wide as its share; a click makes a box the top, one on it goes back up. */
function drawFlames(calls, place, top) {
  var deepest = 0, layer = drawn('g');
  function box(node, x, width) {
    if (width < 0.6) return;
    var y = (node.depth - top.depth) * FLAME_ROW;
    deepest = Math.max(deepest, y + FLAME_ROW);
    var rect = withTip(drawn('rect', { x: x.toFixed(2), y: y, width: Math.max(0.5, width - 0.8).toFixed(2), height: FLAME_ROW - 1, rx: 2,
      style: 'cursor:pointer;fill:' + flameColour(node.name), onclick: function () {
        drawFlames(calls, place, node === top && node.index ? calls.nodes[node.parent] : node);
      } }), function () { return nodeWords(calls, node); });
    layer.appendChild(rect);
    if (width > 34)
      layer.appendChild(drawn('text', { x: (x + 4).toFixed(2), y: y + 12.5, style: 'pointer-events:none;fill:#1c1408' },
        node.name.length * 6.3 > width - 6 ? node.name.slice(0, Math.max(1, Math.floor((width - 12) / 6.3))) + '…' : node.name));
    node.below.forEach(function (child) {
      var wide = width * child.all / node.all;
      box(child, x, wide);
      x += wide;
    });
  }
  box(top, 0, FLAME_WIDTH);
  clear(place);
  place.appendChild(drawn('svg', { viewBox: '0 0 ' + FLAME_WIDTH + ' ' + deepest, 'class': 'flames', role: 'img' }, layer));
}

function functionRows(calls) {
  var by = {};
  calls.nodes.forEach(function (node) {
    var f = by[node.name] = by[node.name] || { own: 0, all: 0, calls: 0, most: null };
    var above = node.index ? calls.nodes[node.parent] : null, nested = false;
    for (; above; above = above.index ? calls.nodes[above.parent] : null) nested = nested || above.name === node.name;
    f.own += node.own;
    f.all += nested ? 0 : node.all;
    f.calls += node.calls || 0;
    if (node.stall && (!f.most || node.stall_cycles > f.most.stall_cycles)) f.most = node;
  });
  return Object.keys(by).sort(function (a, b) { return by[b].own - by[a].own; }).map(function (name) {
    var f = by[name];
    return [text(name), { node: meter(f.own / calls.cycles, 'work'), value: f.own, help: exact(f.own) + ' thread-cycles' },
      { node: meter(f.all / calls.cycles, 'work'), value: f.all, help: exact(f.all) + ' thread-cycles' },
      f.calls ? number(f.calls) : number(null, 'inlined'), text(f.most ? f.most.stall : '')];
  });
}

function showProgram() {
  var body = byId('program-body'), any = false;
  runs.forEach(function (run) {
    if (!run.calls) return;
    any = true;
    if (runs.length > 1) body.appendChild(element('h3', {}, run.folder));
    if (run.calls.problem || !run.calls.nodes.length) {
      body.appendChild(element('p', { 'class': 'note' }, 'The profile cannot be shown: ' + (run.calls.problem || 'it is empty')));
      return;
    }
    callTree(run.calls);
    var place = element('div');
    body.appendChild(element('div', { 'class': 'controls' }, [element('span', { 'class': 'note' },
      'Where ' + exact(run.calls.cycles) + ' thread-cycles went, callers above what they call. A click enlarges; a click on the topmost goes back.')]
      .concat(saveButtons('flames', function () { return place.firstChild; }))));
    body.appendChild(place);
    drawFlames(run.calls, place, run.calls.nodes[0]);
    body.appendChild(element('h3', {}, 'Functions by their own cycles'));
    body.appendChild(element('div', { 'class': 'scroll' }, table([{ label: 'function' }, { label: 'own' }, { label: 'with what it calls' },
      { label: 'calls', number: true }, { label: 'waits most for', help: 'see `ogive profile` for lines and instructions' }], functionRows(run.calls))));
  });
  if (!any) {
    byId('program').hidden = true;
    byId('program-link').hidden = true;
  }
}

/* ---- Statistics and parameters ---- */

function statRows(filter) {
  var rows = [], first = runs[0];
  var paths = {};
  runs.forEach(function (run) { run.groups.forEach(function (g) { paths[g.path] = g; }); });
  Object.keys(paths).forEach(function (path) {
    var group = paths[path], owner = runs.filter(function (r) { return r.stats[path]; })[0];
    Object.keys(owner.types[group.type]).forEach(function (stat) {
      var row = owner.types[group.type][stat], name = plainName(path) + '.' + stat;
      if (filter && name.indexOf(filter) < 0) return;
      var values = runs.map(function (run) { return run.stats[path] ? run.stats[path][stat] : null; });
      if (byId('hide-zero').checked && values.every(function (v) { return !Number(v); })) return;
      rows.push([text(plainName(path), group.type + ', ' + group.copies + (group.copies > 1 ? ' copies' : ' copy')), text(stat, row.help)].concat(
        values.map(function (v, i) {
          return number(v === undefined ? null : v, undefined, i && typeof values[0] === 'number' && values[0]
            ? percent(v / values[0] - 1) + ' against ' + first.folder : row.help);
        }), [text(row.unit || '', row.help), text(row.help)]));
    });
  });
  return rows;
}

function showStatistics() {
  var body = byId('statistics-body'), place = element('div', { 'class': 'scroll' });
  function show() {
    clear(place);
    var columns = [{ label: 'unit' }, { label: 'statistic' }].concat(runs.map(function (run, i) {
      return { label: runs.length > 1 ? runName(i) : 'value', number: true };
    }), [{ label: 'measure' }, { label: 'meaning' }]);
    place.appendChild(table(columns, statRows(byId('stat-filter').value.trim()), 'stat-table'));
  }
  body.appendChild(element('div', { 'class': 'controls' }, [
    element('label', {}, ['show', element('input', { id: 'stat-filter', placeholder: 'part of a name', oninput: show })]),
    element('label', {}, [element('input', { type: 'checkbox', id: 'hide-zero', checked: '', onchange: show }), 'leave out zeros']),
    element('span', { 'class': 'note' }, 'All copies of a unit together. A click on a heading sorts; stats.json has every unit by itself.')]));
  body.appendChild(place);
  show();
}

function showParameters() {
  var rows = [], units = {};
  runs.forEach(function (run) { Object.keys(run.run.parameters || {}).forEach(function (unit) { units[unit] = true; }); });
  Object.keys(units).forEach(function (unit) {
    var names = {};
    runs.forEach(function (run) { Object.keys(run.run.parameters[unit] || {}).forEach(function (n) { names[n] = true; }); });
    Object.keys(names).forEach(function (name) {
      rows.push([text(unit), text(name)].concat(runs.map(function (run) {
        var value = (run.run.parameters[unit] || {})[name];
        return text(value === undefined ? '–' : name === 'clock_hz' ? short(value) + 'Hz' : String(value));
      })));
    });
  });
  byId('parameters-body').appendChild(element('details', {}, [element('summary', {}, exact(rows.length) + ' parameters, after defaults'),
    element('div', { 'class': 'scroll' }, table([{ label: 'unit' }, { label: 'parameter' }].concat(runs.map(function (run, i) {
      return { label: runs.length > 1 ? runName(i) : 'value' };
    })), rows, 'parameter-table'))]));
}

/* ---- The page tries itself: opened with #selftest it zooms, slides and sorts, and says what came
 * of it in an element that a script can read. ---- */

function selfTest() {
  var result = { runs: runs.length, charts: charts.length, units: chip.cells.length, errors: errors };
  function when() { return byId('chip-when').textContent; }
  function ticks() { return charts.length ? charts[0].svg.querySelector('.axis').textContent : ''; }
  result.cards = {};
  document.querySelectorAll('.card').forEach(function (card) {
    if (!(card.getAttribute('data-name') in result.cards)) result.cards[card.getAttribute('data-name')] = card.getAttribute('data-value');
  });
  if (charts.length) {
    var before = ticks(), third = (extent[1] - extent[0]) / 3;
    setZoom([extent[0] + third, extent[1] - third]);
    result.zoomed = ticks() !== before && byId('zoom-range').textContent !== 'all cycles';
    result.linked = charts.every(function (c) { return c.svg.querySelector('.axis').textContent === ticks(); });
    setZoom(null);
    result.unzoomed = ticks() === before;
    var points = charts[0].svg.querySelector('.series').getAttribute('d').length;
    setStep(2);
    result.grouped = charts[0].svg.querySelector('.series').getAttribute('d').length <= points;
    setStep(1);
    result.saved = standalone(charts[0].svg).indexOf('<path') > 0;
  }
  var slider = byId('chip-slider'), whole = when();
  result.slider = Number(slider.max);
  result.mean = chip.mean;
  if (result.slider) {
    slider.value = 1;
    slider.dispatchEvent(new Event('input'));
    result.slid = when() !== whole;
    result.firstMean = chip.mean;
    slider.value = 0;
    slider.dispatchEvent(new Event('input'));
  }
  var heads = document.querySelectorAll('#stat-table th');
  function column(index) {
    return [].map.call(document.querySelectorAll('#stat-table tbody tr'), function (tr) { return tr.children[index].textContent; });
  }
  result.rows = column(0).length;
  heads[2].click();
  var values = column(2).map(function (v) { return Number(v.replace(/,/g, '')); }).filter(function (v) { return !isNaN(v); });
  result.sorted = values.every(function (v, i) { return !i || values[i - 1] >= v; });
  byId('hide-zero').checked = false;
  byId('stat-filter').dispatchEvent(new Event('input'));
  result.stats = {};
  var units = column(0), stats = column(1), shown = column(2);
  units.forEach(function (unit, i) { result.stats[unit + '.' + stats[i]] = shown[i]; });
  result.functions = {};
  (runs[0].calls && runs[0].calls.nodes || []).forEach(function (node) {
    result.functions[node.name] = (result.functions[node.name] || 0) + node.own;
  });
  result.flames = document.querySelectorAll('.flames rect').length;
  result.trees = {};
  runs[0].bottleneck.trees.forEach(function (tree) {
    result.trees[tree.name] = [tree.cycles, tree.parts.reduce(function (sum, part) { return sum + part.cycles; }, 0)];
  });
  function done() {
    document.body.appendChild(element('pre', { id: 'selftest' }, JSON.stringify(result)));
  }
  if (charts.length) pngAddress(charts[0].svg, function (address) { result.png = address.length; done(); });
  else done();
}

showSummary();
showLimits();
showTime();
showChip();
showProgram();
showStatistics();
showParameters();
if (location.hash === '#selftest') selfTest();
}());
