#!/bin/bash
# bvh.sh - `ogive bvh`: numbers, treelets, a picture, the cache, and wrong input explained.
. "$OGIVE_TEST_DATA/tap.sh"

run 0 bvh arcade --triangles 3000 --treelets 8KiB --json a.json --picture a.png --size 40x30
has "$out" 'bvh6c, tri64, built with spatial'
has "$out" 'treelets'
has "$out" 'to build'
has "$out" '1200, '
has a.json '"nodes_format": "bvh6c"'
has a.json '"cached": false'
has a.json '"size_bytes": 8192'
has a.json '"rays": 1200'
head -c 8 a.png | od -An -tx1 | grep -q '89 50 4e 47' || complain "a.png is no picture"
ok numbers_treelets_and_a_picture

# same A B - the files tell of the same tree, however long it took and wherever it came from.
same() {
    diff <(grep -vE 'seconds|cached' "$1") <(grep -vE 'seconds|cached' "$2") >difference ||
        complain "$1 and $2 differ: $(head -3 difference)"
}

run 0 bvh arcade --triangles 3000 --treelets 8KiB --json b.json --picture b.png --size 40x30
has "$out" 'from the cache'
has b.json '"cached": true'
same a.json b.json
cmp -s a.png b.png || complain "pictures differ"
ok the_second_time_it_comes_from_the_cache

OGIVE_CACHE=off run 0 bvh arcade --triangles 3000 --treelets 8KiB --json c.json --picture c.png \
    --size 40x30 --threads 3
has c.json '"cached": false'
same a.json c.json
cmp -s a.png c.png || complain "pictures differ"
ok threads_do_not_matter

# listed COLUMN OPTION - the names in a table of the manual.
listed() {
    run 0 bvh "$2" --markdown
    sed -n "/^| $1 /,/^\$/s/^| \`\([a-z0-9]*\)\` .*/\1/p" "$out" | paste -sd ' '
}

nodes=$(listed nodes --formats) primitives=$(listed primitives --formats)
builders=$(listed builder --builders)
has <(echo "$nodes") "bvh2 bvh4 bvh6 bvh8 bvh6c cwbvh8"
has <(echo "$primitives") "tri64 tri48 tri36 tristrip128"
has <(echo "$builders") "sah spatial morton hlbvh"
run 0 bvh --formats --builders
for name in $nodes $primitives $builders; do
    grep -qE "^ *$name +[a-z0-9]" "$out" || complain "$name is not explained"
done
run 0 bvh --help
has "$out" 'ogive bvh arcade --treelets 32KiB'
ok formats_and_builders_are_listed

for builder in $builders; do
    for format in $nodes; do
        run 0 bvh cornell --format "$format" --primitives tristrip128 --builder "$builder" --leaf 4
        has "$out" "$format, tristrip128, built with $builder"
    done
done
for format in $primitives; do
    run 0 bvh cornell --primitives "$format"
    has "$out" "bvh6c, $format, built with spatial"
done
ok every_format_and_builder_makes_a_tree

run 2 bvh
has "$err" 'bvh: needs scene'
run 2 bvh arcade --markdown
has "$err" 'bvh: --markdown is for lists: --formats, --builders'
run 2 bvh arcade --format bvh6d
has "$err" "did you mean 'bvh6'"
run 2 bvh arcade --primitives tri63
has "$err" "there is no primitive format 'tri63'"
run 2 bvh arcade --builder spacial
has "$err" "did you mean 'spatial'"
run 2 bvh arcade --treelets 4KiB
has "$err" '8, 16, 32 or 64 KiB'
run 2 bvh arcade --treelets 24KiB
has "$err" '8, 16, 32 or 64 KiB'
run 2 bvh arcade --treelets many
has "$err" '--treelets many'
run 2 bvh arcade --leaf 256
has "$err" '--leaf 256: can be 1 to 255'
run 2 bvh arcade --size 0x5
has "$err" '--size 0x5'
run 2 bvh arcade --threads 1025
has "$err" '--threads 1025: can be 1 to 1024'
run 2 bvh cornell --camera nobody
has "$err" nobody
run 2 bvh nothing.ply
has "$err" nothing.ply
ok mistakes_are_explained

finish
