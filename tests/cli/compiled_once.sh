#!/bin/bash
# compiled_once.sh - a shipped program is compiled once, and again as soon as anything that it is made
# from has changed.
. "$OGIVE_TEST_DATA/tap.sh"

# A compiler that counts how often it compiles, and shipped files that may be changed.
compiler=$(command -v riscv64-unknown-elf-gcc)
mkdir tools home
cat >tools/riscv64-unknown-elf-gcc <<END
#!/bin/bash
[[ "\$*" == *" -o "* ]] && echo >>'$work/compiled'
exec '$compiler' "\$@"
END
chmod +x tools/riscv64-unknown-elf-gcc
cp -r "$OGIVE_HOME"/{archs,include,programs} home
export OGIVE_HOME=$work/home PATH=$work/tools:$PATH

# compiled COUNT ARGUMENTS... - `hello` runs, and so many times the compiler was needed.
compiled() {
    local want=$1
    shift
    : >compiled
    run 0 run tiny --program hello --no-report "$@"
    has "$out" "hello from 8 harts"
    local got=$(wc -l <compiled)
    [ "$got" = "$want" ] || complain "compiled $got times, not $want"
}

compiled 1 --out a
compiled 0 --out b
cmp -s a/program.elf b/program.elf || complain "the program is another one"
[ "$(digest a)" = "$(digest b)" ] || complain "the digest is another one"
ok a_program_is_compiled_once

echo '/* changed */' >>home/programs/hello.c
compiled 1 --out c
echo '/* changed */' >>home/programs/runtime/host.c
compiled 1 --out d
echo '/* changed */' >>home/include/ogive/device.h
compiled 1 --out e
compiled 0 --out f
ok changed_files_are_compiled_again

touch -d '2001-01-01' tools/riscv64-unknown-elf-gcc
compiled 1 --out g
CPATH=$work compiled 1 --out h
compiled 0 --out i
ok another_compiler_or_environment_compiles_again

for file in .cache/ogive/*.program; do
    printf 'x' | dd of="$file" bs=1 seek=5000 conv=notrunc status=none
done
compiled 1 --out j
compiled 0 --out k
OGIVE_CACHE=off compiled 1 --out l
ok a_damaged_file_is_as_good_as_none

cp home/programs/hello.c own.c
for i in 1 2; do
    : >compiled
    run 0 run tiny --program own.c --no-report --out "own$i"
    [ "$(wc -l <compiled)" = 1 ] || complain "a user's own source was not compiled"
done
ok what_a_user_wrote_is_compiled_every_time

finish
