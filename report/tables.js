/* tables.js - tables that a click on a heading sorts. */
/* columns: { label, number, help }; rows: arrays of { text, value, node, help }. */
function table(columns, rows, id) {
    var body = element('tbody');
    var heads = columns.map(function(column, index) {
        var head = element(
            'th', {
                'class' : 'sortable' + (column.number ? ' number' : ''),
                scope : 'col',
                onclick : function() { sort(index); }
            },
            column.label);
        return column.help ? withTip(head, column.help) : head;
    });
    function show() {
        clear(body);
        rows.forEach(function(row) {
            body.appendChild(element('tr', {}, row.map(function(cell, index) {
                var node = element(
                    'td', { 'class' : columns[index].number ? 'number' : null },
                    cell.node || cell.text);
                return cell.help ? withTip(node, cell.help) : node;
            })));
        });
    }
    function sort(index) {
        var before = heads[index].getAttribute('aria-sort');
        var down = before ? before === 'ascending' : !!columns[index].number;
        heads.forEach(function(head) { head.removeAttribute('aria-sort'); });
        heads[index].setAttribute('aria-sort', down ? 'descending' : 'ascending');
        rows.sort(function(a, b) {
            var x = a[index].value, y = b[index].value;
            if (x === null || y === null)
                return (x === null) - (y === null);
            var order = typeof x === 'number' ? x - y : String(x).localeCompare(String(y));
            return down ? -order : order;
        });
        show();
    }
    show();
    return element(
        'table', { id : id || null }, [ element('thead', {}, element('tr', {}, heads)), body ]);
}

function text(value, help) { return { text : value, value : value, help : help }; }
function number(value, shown, help) {
    var amount = value === undefined || value === null ? null : Number(value);
    return { text : shown === undefined ? exact(value) : shown, value : amount, help : help };
}
