#!/bin/bash
# folders.sh - where a run happens does not matter to it, and what is in the way stays as it is.
. "$OGIVE_TEST_DATA/tap.sh"

cat >echo.c <<'END'
#include <ogive/device.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (ogv_hart() == 0)
        printf("%s of %s: %d, %s\n", argv[0], __FILE__, argc, argv[1]);
    return 0;
}
END
# same FOLDER - the run there did what the first one did.
same() {
    [ "$(digest "$1")" = "$(digest first)" ] || complain "$1: another digest"
    cmp -s "$1/console.txt" first/console.txt || complain "$1 says $(cat "$1/console.txt")"
}
run 0 run tiny --program echo.c --quiet --out first -- word
has first/console.txt "echo of echo.c: 2, word"
run 0 run tiny --program echo.c --quiet --out a_folder_whose_name_is_much_longer_than_the_first -- word
same a_folder_whose_name_is_much_longer_than_the_first
mkdir -p some/where/else
(cd some/where/else && "$ogive" run tiny --program ../../../echo.c --quiet --out a -- word) ||
    complain "the run elsewhere failed"
same some/where/else/a
run 0 run tiny --program "$PWD/echo.c" --quiet --out "$PWD/absolute" -- word
same absolute
run 0 programs build echo.c -o echo.elf
run 0 run tiny --program echo.elf --quiet --out elf -- word
same elf
ok the_folder_does_not_matter

# under FOLDER ENVIRONMENT... - the same run with another environment.
under() {
    local folder=$1
    shift
    env "$@" "$ogive" run tiny --program echo.c --quiet --out "$folder" -- word ||
        complain "the run with $* failed"
    same "$folder"
}
under more "MORE=$(head -c 20000 /dev/zero | tr '\0' x)"
under bare -i PATH="$PATH" OGIVE_HOME="$OGIVE_HOME"
for locale in de_DE.UTF-8 tr_TR.UTF-8 C; do
    under "in_$locale" LC_ALL="$locale" LANG="$locale" TZ=Asia/Tokyo
done
(umask 077 && "$ogive" run tiny --program echo.c --quiet --out private -- word) ||
    complain "the run with another umask failed"
same private
ok the_surroundings_do_not_matter

# A run that cannot start touches nothing: not the run that is there, nor an empty place.
echo 'int main(void) { return undeclared; }' >wrong.c
refused() {
    local words=$1
    shift
    run 2 run "$@" --out first
    has "$err" "$words"
    run 2 run "$@" --out none
}
before=$(digest first)
refused "did you mean 'hello'?" tiny --program helo
refused "undeclared" tiny --program wrong.c
refused "no cores" exchange --program hello
refused "there is no scene" tiny --program trace --scene nowhere
refused "did you mean 'sm'?" tiny --program hello --set sn.count=2
refused "--trace-rays" tiny --program hello --trace-rays 5
refused "tiny runs programs, and none is given" tiny
has "$err" "hello, kernels, mandelbrot"
refused "cannot open" --resume nowhere.ogv
[ "$(digest first)" = "$before" ] && [ ! -e first.old-1 ] || complain "the earlier run is gone"
[ ! -e none ] || complain "stubs are left: $(ls none)"
ok a_run_that_cannot_start_touches_nothing

mkdir mine
echo precious >mine/notes.txt
run 2 run exchange --out mine
has "$err" "mine: holds files that are not of a run ('notes.txt')"
[ "$(ls -A mine)" = notes.txt ] || complain "mine holds $(ls -A mine)"
mkdir empty killed
run 0 run exchange --quiet --no-report --out empty
[ -s empty/stats.json ] || complain "an empty folder was not taken"
echo "2026-01-01 00:00:00  of a run that was killed at once" >killed/log.txt
echo "cycle,seconds" >killed/series.csv
run 0 run exchange --quiet --no-report --out killed/
has killed.old-1/log.txt "killed at once"
lacks killed/log.txt "killed at once"
ok what_is_not_a_run_is_left_alone

# begin FOLDER - an endless run there; its number is in $pid.
begin() {
    "$ogive" run exchange --set node.source.messages=0 --quiet --out "$1" 2>"$err" &
    pid=$!
    for _ in $(seq 600); do
        [ -s "$1/series.csv" ] && return
        sleep 0.1
    done
    complain "the run in $1 does not start"
}
begin busy
run 2 run exchange --out busy
has "$err" "busy: another run is writing into this folder"
run 2 run exchange --out busy/
run 2 stats busy
has "$err" "busy/stats.json: cannot open: No such file or directory; the run is still under way"
kill -INT "$pid"
wait "$pid"
has busy/run.json '"status": "interrupted"'
has busy/log.txt "interrupted at cycle"
[ ! -e busy.old-1 ] || complain "a run was moved while it was written"
run 0 run exchange --quiet --no-report --out busy
has busy.old-1/run.json '"status": "interrupted"'
begin shot
kill -KILL "$pid"
wait "$pid" 2>/dev/null
run 2 report shot
has "$err" "shot/stats.json: cannot open: No such file or directory; the run ended without writing it"
run 0 run exchange --quiet --no-report --out shot
has shot.old-1/run.json '"status": "running"'
ok a_folder_has_one_run_at_a_time

for i in 1 2 3 4; do
    "$ogive" run exchange --stop-after 1000 --quiet --no-report &
done
wait
[ "$(ls results | tr '\n' ' ')" = "exchange exchange-2 exchange-3 exchange-4 " ] ||
    complain "there is $(ls results)"
ok runs_without_a_name_take_folders_of_their_own

finish
