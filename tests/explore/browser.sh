# browser.sh - pages of studies and searches in a browser. Source it instead of tap.sh; without a
# browser, the test is skipped.
#
#   browse FILE[#PART]  opens a page; complains of what the browser complains of
#   tried EXPRESSION    a statement about `r`, what the page's <pre id="selftest"> has
if ! browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
    echo "1..0 # SKIP no chromium: install it with ./run deps test"
    exit 0
fi
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
. "$OGIVE_TEST_DATA/../cli/tap.sh"

browse() {
    timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/.profile" \
        --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$1" \
        >"$work/.dom" 2>"$work/.said" </dev/null || complain "the browser failed"
    if grep -q CONSOLE "$work/.said"; then complain "$(grep CONSOLE "$work/.said" | head -3)"; fi
}

tried() {
    python3 - "$work/.dom" "$1" <<'PYTHON' || complain "not true: $1"
import csv, html, json, os, re, sys
found = re.search(r'<pre id="selftest">(.*?)</pre>', open(sys.argv[1]).read(), re.S)
if not found:
    sys.exit('the page did not try itself')
r = json.loads(html.unescape(found.group(1)))

def table(name):
    """The second column of a CSV file, as numbers."""
    return [float(row[1]) for row in list(csv.reader(open(name)))[1:]]

good = eval(sys.argv[2])
if not good:
    print('#', r)
sys.exit(not good)
PYTHON
}
