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

finish
