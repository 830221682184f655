/* study_test.js - with #selftest, the page uses itself and says what it saw. */
function studyTest() {
    var result = { errors : errors };
    function change(id, value) {
        byId(id).value = value;
        byId(id).dispatchEvent(new Event('change'));
    }
    function rows() { return document.querySelectorAll('#runs-table tbody tr').length; }
    function marks(name) { return document.querySelectorAll('.study-chart .' + name).length; }
    result.counts = byId('counts').textContent;
    result.rows = rows();
    result.lines = marks('line');
    change('choose-kind', 'bars');
    result.bars = marks('bar');
    change('choose-kind', 'heat');
    result.cells = marks('cell');
    change('choose-kind', 'lines');
    change('choose-series', '-1');
    result.alone = marks('line');
    result.values = chartOf().values;
    var box = document.querySelector('#filters input');
    box.click();
    result.filtered = rows();
    box.click();
    result.links = [].map.call(document.querySelectorAll('#runs-table a'), function(link) {
        return link.getAttribute('href');
    });
    document.querySelectorAll('#runs-table th')[data.axes.length].click();
    result.sorted = [].map.call(document.querySelectorAll('#runs-table tbody tr'), function(row) {
        return row.children[data.axes.length].textContent;
    });
    document.body.appendChild(element('pre', { id : 'selftest' }, JSON.stringify(result)));
}
