#!/bin/sh
# headers.sh FOLDER - each header in FOLDER/ogive compiles alone as C11; the public interface also
# as C++. CC and CXX name the compilers.
set -eu
folder=$1
status=0
echo "TAP version 13"
count=0

# compiles NAME COMMAND... - one line of the report; what the compiler says goes to stderr.
compiles() {
    name=$1
    shift
    count=$((count + 1))
    if "$@" 1>&2; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        status=1
    fi
}

for header in "$folder"/ogive/*.h; do
    compiles "${header##*/} alone as C11" "${CC:-cc}" -std=c11 -pedantic -Wall -Wextra -Werror \
        -I"$folder" -fsyntax-only -x c "$header"
done
compiles "ogive.h alone as C++17" "${CXX:-c++}" -std=c++17 -pedantic -Wall -Wextra -Werror \
    -I"$folder" -fsyntax-only -x c++ "$folder/ogive/ogive.h"
echo "1..$count"
exit $status
