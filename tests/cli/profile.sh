#!/bin/bash
# profile.sh - `ogive run --profile` and `ogive profile`: views, formats, and wrong input.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 run tiny --program mandelbrot --profile --out a -- 24 30
run 0 run tiny --program mandelbrot --out plain -- 24 30
[ "$(digest a)" = "$(digest plain)" ] || complain "a profile changes the digest"
[ -s a/profile.json ] && [ -s a/program.elf ] || complain "no profile"
[ ! -e plain/profile.json ] || complain "a profile that nobody asked for"
run 0 profile a
has "$out" "thread-cycles while threads ran"
has "$out" "inclusive"
has "$out" "point_steps"
has "$out" "inlined"
ok a_profile_is_kept_and_shown

# What the file says adds up to what the statistics say.
python3 - <<'EOF' || complain "the sums are wrong"
import json
profile, stats = json.load(open("a/profile.json")), json.load(open("a/stats.json"))
core = stats["groups"]["sm.core[*]"]
total = sum(v for i in profile["instructions"] for k, v in i.items() if k not in ("pc", "issue_pj"))
paths = sum(sum(i[2::2]) for p in profile["paths"] for i in p["instructions"])
assert total == paths == profile["thread_cycles"] == core["cycles"] - core["halted"], total
for reason in profile["reasons"]:
    found = sum(i.get(reason, 0) for i in profile["instructions"])
    assert found == core[reason], reason
events = stats["energy"]["groups"]["sm.core[*]"]["events"]
spent = sum(e["energy_j"] for name, e in events.items() if not name.startswith("private"))
found = sum(i["issue_pj"] * i.get("issued", 0) for i in profile["instructions"]) * 1e-12
assert abs(found - spent) < 1e-9 * spent, (found, spent)
EOF
ok sums_over_addresses_are_those_of_the_cores

run 0 profile a --by energy
has "$out" "uJ for fetching, registers and computing"
has "$out" "point_steps"
run 0 profile a --by energy --source --min 0
has "$out" "mandelbrot.c"
run 2 profile a --by energy,busy
has "$err" "by itself energy"
sed 's/"issue_pj": [0-9.e+-]*, //' a/profile.json >.without
mkdir -p old && cp a/program.elf old && cp .without old/profile.json
run 0 profile old
lacks "$out" "uJ for"
run 2 profile old --by energy
has "$err" "is not known here"
ok energy_is_a_cost_like_others

run 0 profile a --source --min 0
has "$out" "mandelbrot.c"
has "$out" "static uint64_t piece_draw"
run 0 profile a --disassembly
has "$out" "<main>:"
has "$out" "fmul.s"
has "$out" "mandelbrot.c:"
run 0 profile a --folded
has "$out" "_start;main;piece_draw;point_steps "
run 0 profile a --callgrind callgrind.out
has callgrind.out "events: measure issued"
has callgrind.out " main"
run 0 profile a --by hazard_load
has "$out" "main"
ok views

cat >calls.c <<'EOF'
#include <ogive/device.h>
static volatile int sink;
__attribute__((noinline)) int leaf(int n)
{
    for (int i = 0; i < n; i++)
        sink = i;
    return n;
}
__attribute__((noinline)) int cheap(int n)
{
    return leaf(n) + 1;
}
__attribute__((noinline)) int dear(int n)
{
    return leaf(50 * n) + 2;
}
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += cheap(1) + dear(1);
    return sum == 0;
}
EOF
run 0 profile tiny --program calls.c --out b
has "$out" "finished:"
run 0 profile b --folded
cheap=$(sed -n 's/^_start;main;cheap;leaf //p' "$out")
dear=$(sed -n 's/^_start;main;dear;leaf //p' "$out")
[ -n "$cheap" ] && [ -n "$dear" ] || complain "callers are not told apart: $(cat "$out")"
[ "${dear:-0}" -gt $((5 * ${cheap:-0})) ] || complain "dear $dear, cheap $cheap"
run 0 profile b
[ "$(grep -c ' 40  *leaf' "$out")" = 2 ] || complain "8 harts call 5 times from each: $(cat "$out")"
ok one_function_costs_what_its_callers_ask_for

run 0 run tiny --program a/program.elf --profile --out whole -- 24 30
run 0 run tiny --program a/program.elf --profile --stop-after 5000 --checkpoint-every 2000 --out c -- 24 30
run 0 run --resume c/checkpoint.ogv --out d
cmp -s whole/profile.json d/profile.json || complain "the resumed profile differs"
run 0 run tiny --program mandelbrot --stop-after 5000 --checkpoint-every 2000 --out e -- 24 30
run 2 run --resume e/checkpoint.ogv --profile --out f
has "$err" "without --profile"
ok a_profile_survives_a_checkpoint

run 2 profile
run 2 profile plain
has "$err" "ogive run --profile"
run 2 profile a --by isued
has "$err" "did you mean 'issued'?"
run 2 profile a --min lots
run 2 profile a b
run 2 run exchange --profile --out g
has "$err" "needs a program"
cp -r a h && cp plain/stats.json h/program.elf
run 2 profile h
has "$err" "another program"
echo '{ "format": 9 }' >h/profile.json
run 2 profile h
has "$err" "is not a profile of this version"
ok wrong_input_is_refused

finish
