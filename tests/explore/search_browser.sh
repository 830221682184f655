#!/bin/bash
# search_browser.sh - the page of a search in a browser: it shows without errors, every point has its
# place within its chart, and its numbers are those of the runs.
. "$OGIVE_TEST_DATA/browser.sh"

# study NAME GOALS
study() {
    cat >"$1.yaml" <<YAML
about: "about <b>this</b>"
run: { machine: exchange, set: { node.source.messages: 50, node.tester.requests: 60 } }
axes:
  latency: { set: bank.memory.latency, values: [4 cycles, 8 cycles, 20 cycles, 40 cycles, 80 cycles] }
  width: { set: bank.memory.width, values: [1, 2, 4] }
search:
  $2
  evaluations: 8
  stages: [ { set: { node.source.messages: 20 }, keep: 4 } ]
YAML
    run 0 search "$1.yaml" --progress none -o "$1.html"
    lacks "$1.html" "<b>this</b>"
    lacks "$1.html" "<script"
    cat "$1.html" "$work/look.html" >"$1-tried.html"
    browse "$work/$1-tried.html"
}

# The page has no scripts of its own; this looks at what became of it.
cat >look.html <<'HTML'
<script>
addEventListener('load', () => {
    const all = (within, what) => [...within.querySelectorAll(what)];
    const box = (node) => node.getBoundingClientRect();
    const inside = (node, frame) => box(node).left >= frame.left - 1 && box(node).right <= frame.right + 1 &&
        box(node).top >= frame.top - 1 && box(node).bottom <= frame.bottom + 1;
    const charts = all(document, 'svg').map((svg) => ({
        width: box(svg).width, height: box(svg).height, dots: all(svg, 'circle').length,
        seen: all(svg, 'circle').filter((dot) => box(dot).width > 2 && inside(dot, box(svg))).length,
        words: all(svg, 'circle title').filter((title) => /=/.test(title.textContent)).length,
        labels: all(svg, 'text').filter((text) => inside(text, box(svg))).length, texts: all(svg, 'text').length,
        line: svg.querySelector('polyline').points.length,
    }));
    const found = { title: document.title, about: document.querySelector('p').textContent, charts,
        headings: all(document, 'h2').map((node) => node.textContent),
        tables: all(document, 'table').map((table) => all(table, 'tr').map((row) => all(row, 'td,th').map((cell) => cell.textContent))),
        wide: document.documentElement.scrollWidth > innerWidth };
    const pre = document.createElement('pre');
    pre.id = 'selftest';
    pre.textContent = JSON.stringify(found);
    document.body.append(pre);
});
</script>
HTML

study one 'minimise: cycles'
tried 'r["title"] == "Search one" and r["about"] == "about <b>this</b>" and not r["wide"]'
tried 'r["headings"] == ["The best", "Around the best point", "Stage 1 of 2", "Stage 2 of 2"]'
tried 'all(c["width"] > 300 and c["height"] > 100 for c in r["charts"]) and len(r["charts"]) == 2'
tried 'all(c["dots"] == c["seen"] == c["words"] >= 4 and c["labels"] == c["texts"] > 9 for c in r["charts"])'
tried 'r["charts"][0]["dots"] == 8 and all(1 <= c["line"] <= c["dots"] for c in r["charts"])'
ok the_way_of_a_search_is_shown

run 0 sweep table one --rows latency,width --stat cycles --format csv
cp "$out" one.csv
tried 'float(r["tables"][0][1][1]) == min(float(row[2]) for row in list(csv.reader(open("one.csv")))[1:])'
tried 'all("%)" in row[1] for row in r["tables"][1][2:]) and len(r["tables"][1]) >= 4'
ok the_best_and_its_neighbours_have_the_numbers_of_the_runs

study two 'minimise: [cycles, 0 - node.tester.latency_mean]'
tried 'r["headings"][:2] == ["Points of the front", "Front"] and len(r["charts"]) == 3'
tried 'r["charts"][0]["line"] == len(r["tables"][0]) - 1 >= 2'
tried 'all(c["dots"] == c["seen"] for c in r["charts"])'
ok a_front_is_shown

finish
