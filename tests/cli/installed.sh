#!/bin/bash
# installed.sh - what is installed works without the source tree, from any folder: the program, units
# and programs of one's own, and the library. Around it lie folders of the same names that are not
# ours, as in /usr beside /usr/local.
. "$OGIVE_TEST_DATA/tap.sh"

# What ThreadSanitizer reads lies in the tree that will be hidden.
case ${TSAN_OPTIONS:-} in
*suppressions=*)
    list=${TSAN_OPTIONS##*suppressions=} && list=${list%%:*}
    cp "$list" "$work/.suppressions"
    export TSAN_OPTIONS=${TSAN_OPTIONS/"$list"/"$work/.suppressions"}
    ;;
esac
source=$OGIVE_HOME
prefix=$work/root$OGIVE_TEST_PREFIX
cp "$source"/tests/arch/plugin/relay.c "$source"/examples/frame.c "$data"/guest.c . || exit 1
sed 's/@LIBRARY@/relay.so/' "$source"/tests/arch/plugin/relay.yaml.in >relay.yaml || exit 1
sanitizer=$OGIVE_TEST_FLAGS
read -ra compiler <<<"$CC $sanitizer"

meson install -C "$OGIVE_TEST_BUILD" --no-rebuild --quiet --destdir "$work/root" >"$out" 2>&1 ||
    complain "meson install failed: $(tail -3 "$out")"
unset "${!OGIVE_@}" "${!XDG_@}"
export HOME=$work
for folder in archs include/ogive programs/runtime report scenes; do
    mkdir -p "$prefix/../$folder" "$prefix/../../$folder"
done
echo 'name: stranger' | tee "$prefix/../archs/stranger.yaml" >"$prefix/../../archs/stranger.yaml"
echo '#error "this is not the header of the chip"' | tee "$prefix/../include/stdio.h" \
    "$prefix/include/stdio.h" >"$prefix/include/stdint.h"

# The source tree is empty for whatever runs in here, where that is allowed.
hide() {
    unshare -rm sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$source" "$@"
}
if hide true 2>/dev/null; then
    [ -z "$(hide ls "$source")" ] || complain "the source tree is not hidden"
    ok the_source_tree_is_hidden
else
    skip the_source_tree_is_hidden "no private mounts here"
    hide() { "$@"; }
fi
printf '#!/bin/bash\nsource=%q\n%s\nhide %q "$@"\n' "$source" "$(declare -f hide)" \
    "$prefix/bin/ogive" >ogive
chmod +x ogive
ogive=$work/ogive

run 0 --include-dir
[ "$(cat "$out")" = "$(realpath "$prefix/include")" ] || complain "headers: $(cat "$out")"
run 0 --programs-dir
[ "$(cat "$out")" = "$(realpath "$prefix/share/ogive/programs")" ] ||
    complain "programs: $(cat "$out")"
run 0 archs
has "$out" "rtx2080"
lacks "$out" "stranger"
run 0 scenes
has "$out" "cornell"
run 0 programs
has "$out" "mandelbrot"
run 0 units cache
has "$out" "Ports"
ok what_is_shipped_is_found

run 0 run tiny --program hello --out hello
has "$out" "hello from 8 harts"
has hello/report.html "</html>"
run 0 report hello -o again.html
has again.html "</html>"
printf '#include <ogive/device.h>\n#include <stdio.h>\nint main() { return 0; }\n' >mine.cpp
run 0 run tiny --program mine.cpp --no-report --out mine
ok programs_are_compiled_and_run

rm "$prefix/include/stdio.h" "$prefix/include/stdint.h"
run 0 programs build hello --native -o native
hide ./native >"$out" || complain "the native program failed"
has "$out" "hello from 4 harts"
ok programs_are_built_for_this_machine

small=(rtx2080 --set sm.count=2 --set chip.barrier.arrivals=2 --set "partition.dram.size=32 MiB")
run 0 run "${small[@]}" --scene cornell --size 32x32 --no-report --out drawn
[ -s drawn/image.png ] || complain "there is no picture"
printf 'v 0 0 0\nv 4 0 0\nv 0 4 0\nv 0 0 4\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n' >mesh.obj
run 0 scene info mesh.obj
has "$out" "triangles    4"
ok frames_are_drawn_and_meshes_imported

gcc -std=gnu11 -O2 -fPIC -shared -I "$("$ogive" --include-dir)" relay.c -o relay.so 2>"$err" ||
    complain "$(cat "$err")"
run 0 units --load relay.so relay
has "$out" "left-right relay"
run 0 run relay.yaml --load relay.so --out relayed
has relayed/stats.json '"a[*].relay"'
ok units_of_ones_own_are_built_and_loaded

if [ -z "$sanitizer" ]; then
    pages=$prefix/share/man/man1
    for command in $(sed -n 's/^COMMAND(\(.*\))$/\1/p' "$source/src/cli/commands.def"); do
        run 0 --man "$command"
        cmp -s "$out" "$pages/ogive-$command.1" || complain "no page of ogive $command"
    done
    run 0 --man
    cmp -s "$out" "$pages/ogive.1" || complain "no page of ogive"
    run 0 --completion bash
    cmp -s "$out" "$prefix/share/bash-completion/completions/ogive.bash" || complain "not for bash"
    run 0 --completion zsh
    cmp -s "$out" "$prefix/share/zsh/site-functions/_ogive" || complain "not for zsh"
    ok manual_pages_and_completion_are_there
else
    skip manual_pages_and_completion_are_there "a build with a sanitizer makes none"
fi

# The package for Python: by the note that it left, and by its folder.
run 0 --python-dir
package=$(cat "$out")
note=$(find "$prefix" -name ogive.pth)
[ "$(cd "$(dirname "$note")" && realpath "$(cat "$note")")" = "$package" ] ||
    complain "$note leads to $(cat "$note")"
if [ -z "$sanitizer" ]; then
    PYTHONPATH=$package hide /usr/bin/env python3 -c 'import ogive
system = ogive.System(ogive.Machine("tiny")).load("hello")
system.run()
print(system.console, ogive.Run("hello")["cycles"], ogive._library.places()[0])' >"$out" 2>"$err" ||
        complain "$(cat "$err")"
    has "$out" "hello from 8 harts"
    has "$out" "$(realpath "$prefix")/lib"
    ok the_package_for_python_works
else
    skip the_package_for_python_works "Python cannot load a library with a sanitizer"
fi

# The library, as pkg-config finds it. Under a sanitizer, its users need it too.
folder=$(dirname "$(find "$prefix" -name ogive.pc)")
export PKG_CONFIG_PATH=$folder LD_LIBRARY_PATH=${folder%/pkgconfig}
read -ra library <<<"$(pkg-config --define-variable=prefix="$prefix" --cflags --libs ogive)"
[ "$(pkg-config --modversion ogive)" = "$("$ogive" version | sed 's/ogive //')" ] ||
    complain "the version is $(pkg-config --modversion ogive)"

# uses PROGRAM - builds it with the library and runs it, its words in $out
uses() {
    "${compiler[@]}" -std=gnu11 -Wall -Wextra -Werror "$1.c" "${library[@]}" -o "$1" 2>"$err" &&
        hide "./$1" >"$out" 2>"$err" || complain "$1: $(head -5 "$err")"
}
uses frame
cycles=$(sed -n 's/ *"cycles": \([0-9]*\).*/\1/p' drawn/stats.json | head -1)
has "$out" "cycles    ${cycles:-?}"
[ -s frame.png ] || complain "the example left no picture"
cmp -s frame.png drawn/image.png || complain "the library draws something else than the program"
ok the_example_does_what_the_program_does

uses guest
has "$out" "4 triangles are hit as Embree hits them"
ok names_of_users_are_their_own

finish
