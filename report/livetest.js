/* livetest.js - the live page tries itself: opened with #selftest it presses its buttons, and says
 * what came of it in an element that a script can read. With #selftest-small it asks for no
 * checkpoint, which can be large. */

/* Asks again until something is true, or too often. */
function until(test, left) {
    if (left === undefined)
        left = 2000;
    if (test() || !left)
        return Promise.resolve(Boolean(test()));
    return ask()
        .then(function() { return new Promise(function(resolve) { setTimeout(resolve, 20); }); })
        .then(function() { return until(test, left - 1); });
}

function press(id) {
    var before = live.wanted;
    byId(id).disabled = false;
    byId(id).click();
    return until(function() { return live.wanted > before && live.taken >= live.wanted; });
}

function status() { return live.state.status; }

/* Whether intervals that come once more, or from before they were put together, change nothing. */
function keepsIntervals() {
    var series = live.run.series, count = series.ends.length;
    function again(generation, from) {
        var ends = series.ends.slice(from);
        return takeSeries({
            start : series.start,
            generation : generation,
            from : from,
            ends : ends,
            rows : ends.map(function() { return live.run.columns; })
        });
    }
    return !again(live.generation, count - 1) && !again(live.generation - 1, 0) &&
        live.run.series === series && series.ends.length === count;
}

function liveTest() {
    var result = { errors : errors }, at;
    function note(key) {
        return function(value) { result[key] = value; };
    }
    until(function() { return live.state && live.run.series && charts.length; })
        .then(note('shown'))
        .then(function() { return press('pause'); })
        .then(function() { return until(function() { return status() === 'paused'; }); })
        .then(note('paused'))
        .then(function() {
            at = live.state.cycle;
            byId('step-cycles').value = 123;
            return press('step-go');
        })
        .then(function() {
            return until(function() { return live.state.cycle !== at && status() === 'paused'; });
        })
        .then(function() {
            result.stepped = live.state.cycle - at;
            return location.hash === '#selftest' && press('checkpoint');
        })
        .then(function() { return press('continue'); })
        .then(function() { return until(function() { return live.state.cycle > at + 123; }); })
        .then(note('continued'))
        .then(function() {
            result.checkpoint = live.state.checkpoint_cycle - at;
            result.charts = charts.length;
            result.units = chip.cells.length;
            result.mean = chip.mean;
            result.kept = keepsIntervals();
            result.links = document.querySelectorAll('#queue-table tbody tr').length;
            result.sentences = document.querySelectorAll('.sentences li').length;
            result.picture = !byId('picture').hidden && byId('image-picture').naturalWidth;
            return press('stop');
        })
        .then(function() { return until(function() { return live.ended; }); })
        .then(function() {
            result.ended = byId('status').textContent;
            result.message = byId('message').textContent;
        })
        .catch(function(error) { result.errors.push(String(error)); })
        .then(function() {
            document.body.appendChild(element('pre', { id : 'selftest' }, JSON.stringify(result)));
        });
}
