/* basics.js - the data, elements, numbers in words, words on hover, saving a drawing.
 *
 * Texts reach the page only as text, never as markup: they come from files that may be anybody's.
 */
var data = JSON.parse(document.getElementById('data').textContent);
var runs = data.runs;
var errors = [];
window.addEventListener('error', function(event) { errors.push(String(event.message)); });

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
    Object.keys(attributes || {}).forEach(function(key) {
        if (key.slice(0, 2) === 'on')
            node.addEventListener(key.slice(2), attributes[key]);
        else if (attributes[key] !== null)
            node.setAttribute(key, attributes[key]);
    });
    [].concat(children === undefined ? [] : children).forEach(function(child) {
        node.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
    });
    return node;
}

function byId(id) { return document.getElementById(id); }
function clear(node) {
    while (node.firstChild)
        node.removeChild(node.firstChild);
}
function percent(share, digits) {
    return (100 * share).toFixed(digits === undefined ? 1 : digits) + '%';
}
function plainName(path) { return path.replace(/\[[^\]]*\]/g, ''); }
function runName(index) {
    var folder = runs[index].folder.replace(/\/+$/, '');
    return runs.length === 1 ? '' : folder.split('/').pop() || folder;
}

/* 1234567 as 1,234,567; 0.123456789 as 0.123457. Numbers above 2^53 come as text. */
function exact(value) {
    if (value === null || value === undefined)
        return '–';
    if (typeof value === 'string')
        return BigInt(value).toLocaleString('en-US');
    if (Number.isInteger(value))
        return value.toLocaleString('en-US');
    return Math.abs(value) >= 1e5 ? value.toLocaleString('en-US', { maximumFractionDigits : 1 }) :
                                    String(Number(value.toPrecision(6)));
}

/* Short, for axes and cards: 1.23 M. */
function short(value) {
    var steps = [ [ 1e12, ' T' ], [ 1e9, ' G' ], [ 1e6, ' M' ], [ 1e3, ' k' ] ];
    for (var i = 0; i < steps.length; i++)
        if (Math.abs(value) >= steps[i][0])
            return Number((value / steps[i][0]).toPrecision(4)) + steps[i][1];
    return String(Number(value.toPrecision(4)));
}

/* ---- Colours ---- */

/* [ red, green, blue ] of any colour that a style may have. */
function colourParts(colour) {
    var probe = document.body.appendChild(element('i', { style : 'color:' + colour }));
    var parts = window.getComputedStyle(probe).color.match(/[\d.]+/g).map(Number);
    document.body.removeChild(probe);
    return parts;
}

/* Relative luminance, and the contrast of two colours, as in WCAG 2. */
function luminance(parts) {
    var linear = parts.slice(0, 3).map(function(part) {
        var share = part / 255;
        return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}
function contrast(a, b) {
    var x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

/* Black or white, whichever is easier to read on a colour. */
var readable = {};
function readableOn(colour) {
    if (!readable[colour]) {
        var parts = colourParts(colour), white = contrast(parts, [ 255, 255, 255 ]);
        readable[colour] = white >= contrast(parts, [ 0, 0, 0 ]) ? '#fff' : '#000';
    }
    return readable[colour];
}

/* ---- Copying ---- */

/* Pages opened from a disk may not use the clipboard everywhere: then the text is only selected. */
function copyText(words, button) {
    function done() { button.textContent = 'copied'; }
    var range = document.createRange();
    range.selectNodeContents(button.parentNode.querySelector('code'));
    window.getSelection().removeAllRanges();
    window.getSelection().addRange(range);
    if (navigator.clipboard)
        navigator.clipboard.writeText(words).then(done, function() {});
    else if (document.execCommand('copy'))
        done();
}

/* ---- Words on hover ---- */

var tip = byId('tip');

function showTip(event, words) {
    tip.textContent = words;
    tip.hidden = false;
    var x = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
    var y = event.clientY + 18;
    if (y + tip.offsetHeight > window.innerHeight)
        y = event.clientY - tip.offsetHeight - 10;
    tip.style.left = Math.max(4, x) + 'px';
    tip.style.top = Math.max(4, y) + 'px';
}

function hideTip() { tip.hidden = true; }

function withTip(node, words) {
    node.addEventListener(
        'mousemove',
        function(event) { showTip(event, typeof words === 'function' ? words() : words); });
    node.addEventListener('mouseleave', hideTip);
    return node;
}

/* ---- Saving a drawing ---- */

var KEPT = [
    'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity', 'fill-opacity',
    'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor', 'shape-rendering'
];

/* A copy that looks the same outside the page. */
function standalone(svg) {
    var copy = svg.cloneNode(true);
    var from = svg.querySelectorAll('*'), to = copy.querySelectorAll('*');
    for (var i = 0; i < from.length; i++) {
        var style = window.getComputedStyle(from[i]);
        KEPT.forEach(function(key) { to[i].setAttribute(key, style.getPropertyValue(key)); });
        to[i].removeAttribute('class');
    }
    var box = svg.viewBox.baseVal;
    copy.setAttribute('xmlns', SVG);
    copy.setAttribute('width', box.width);
    copy.setAttribute('height', box.height);
    copy.removeAttribute('style');
    var card = window.getComputedStyle(document.body).getPropertyValue('--card').trim() || '#fff';
    copy.insertBefore(
        drawn('rect', { width : box.width, height : box.height, fill : card }), copy.firstChild);
    return new XMLSerializer().serializeToString(copy);
}

function save(name, address) {
    var link = element('a', { href : address, download : name });
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
    picture.onload = function() {
        var canvas = element('canvas', { width : 2 * box.width, height : 2 * box.height });
        var context = canvas.getContext('2d');
        context.scale(2, 2);
        context.drawImage(picture, 0, 0, box.width, box.height);
        then(canvas.toDataURL('image/png'));
    };
    picture.src = svgAddress(svg);
}

function saveButtons(name, svgOf) {
    return [
        element(
            'button', {
                type : 'button',
                'class' : 'save-svg',
                title : 'Save this chart as SVG',
                onclick : function() { save(name + '.svg', svgAddress(svgOf())); }
            },
            'SVG'),
        element(
            'button', {
                type : 'button',
                'class' : 'save-png',
                title : 'Save this chart as PNG',
                onclick : function() {
                    pngAddress(svgOf(), function(address) { save(name + '.png', address); });
                }
            },
            'PNG')
    ];
}
