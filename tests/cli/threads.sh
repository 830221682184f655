#!/bin/bash
# threads.sh - where the system gives no threads, everything works on one: the same trees, pictures
# and statistics; what needs a thread or a process says so.
. "$OGIVE_TEST_DATA/tap.sh"

# The limit does not bind root, so another user runs the program there. A sanitizer's search for
# leaks would need a process of its own.
limit=(prlimit --nproc=1)
if [ "$(id -u)" = 0 ]; then
    limit=(setpriv --reuid=65534 --regid=65534 --clear-groups "${limit[@]}")
    chmod 777 "$work"
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
if ! "${limit[@]}" "$ogive" version >"$out" 2>"$err" || "${limit[@]}" sh -c 'true & wait $!' 2>"$err"; then
    echo "1..0 # SKIP the number of threads cannot be limited here"
    exit 0
fi

# starved CODE ARGS... - as run, without a thread or process to be had.
starved() {
    local want=$1
    shift
    "${limit[@]}" "$ogive" "$@" >"$out" 2>"$err" </dev/null
    local got=$?
    [ "$got" = "$want" ] || complain "ogive $*: exit code $got, not $want: $(head -3 "$err")"
}

export OGIVE_CACHE=off
mkdir -m 777 few many
for builder in $("$ogive" bvh --builders | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
    run 0 bvh cornell --builder "$builder" --threads 4 --json "many/$builder.json"
    starved 0 bvh cornell --builder "$builder" --threads 4 --json "few/$builder.json"
    diff <(grep -v seconds "many/$builder.json") <(grep -v seconds "few/$builder.json") >difference ||
        complain "$builder: other trees: $(head -3 difference)"
done
ok trees_are_the_same_without_threads

picture=(scene render cornell --triangles 1000 --size 16x16 --samples 2)
run 0 "${picture[@]}" -o many/a.png
starved 0 "${picture[@]}" -o few/a.png
cmp -s many/a.png few/a.png || complain "pictures differ"
ok pictures_are_the_same_without_threads

run 0 run exchange --threads 2 --out many/run
starved 0 run exchange --threads 2 --out few/run
has "$err" "the system gives 1 of 2 threads; the run takes longer"
[ "$(digest many/run)" = "$(digest few/run)" ] || complain "digests differ"
has few/run/stats.json '"threads": 1,'
ok a_run_goes_on_with_fewer_threads

starved 1 run exchange --live --out few/live
has "$err" "--live: the server cannot start: "
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >one.obj
starved 1 scene info one.obj
has "$err" "one.obj: cannot be imported: the program that does it, "
has "$err" "Resource temporarily unavailable"
ok what_cannot_be_done_is_said

finish
