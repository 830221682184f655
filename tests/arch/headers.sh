#!/bin/sh
# headers.sh FOLDER - each header in FOLDER/ogive compiles alone as C11; the public interface also
# as C++17. CC and CXX name the compilers, CC with a wrapper in front if there is one.
set -eu
folder=$1
status=0
echo "TAP version 13"
count=0

# compiles HEADER LANGUAGE COMPILER OPTIONS... - one line of the report; what the compiler says goes
# to stderr.
compiles() {
    header=$1
    language=$2
    shift 2
    count=$((count + 1))
    if echo "#include \"ogive/$header\"" |
        "$@" -pedantic -Wall -Wextra -Werror -I"$folder" -fsyntax-only -x "$language" - 1>&2; then
        echo "ok $count - $header alone as $language"
    else
        echo "not ok $count - $header alone as $language"
        status=1
    fi
}

for header in "$folder"/ogive/*.h; do
    compiles "${header##*/}" c ${CC:-cc} -std=c11
done
for header in device.h ogive.h; do
    compiles "$header" c++ "${CXX:-c++}" -std=c++17
done
echo "1..$count"
exit $status
