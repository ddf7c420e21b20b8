#!/usr/bin/env bash
# Breaks the engine, one line at a time (mutations.txt), and prints what turns red: tests of the tests.
#
#     tests/mutations/run.sh [BUILD [WORDS]]     BUILD: folder with the built libraries and substep_tests, up to date, each
#                                                source compiled by itself (no SUBSTEP_UNITY_BUILD; default:
#                                                build/release); WORDS: only breaks whose names match them
#
# A break is judged by the truths of the scenes or, if it has a line `tests:`, by those cases of the suite that are in
# the source files named there. The sources stay as they are: the broken file is compiled apart, as the build does it,
# and linked before the library that holds the sound one, of which the linker then takes nothing. Of a header all
# sources of its library that include it are compiled so; it has to stand in a src folder, for what is public is in the
# tests too. Fails if some break turns nothing red, if the text to break is not found once, or if something is red
# without a break. As many breaks at a time as there are processors; takes about two minutes on two.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
words=${2:-}
list=$root/tests/mutations/mutations.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Lists the objects of a library, by their names in the build, that a file of its src folder is part of.
objects_with() { # FILE
    local module=${1%%/*}
    awk -v file="$root/$1" -v of="^$module/CMakeFiles/substep_$module[.]dir/src/" '
        /^[^ ]/ { object = substr($1, 1, length($1) - 1) }
        $1 == file && object ~ of { print object }' "$work/dependencies"
}

# Compiles the objects that a file is part of, from a copy of its src folder. Prints them.
compile_with() { # FILE FOLDER     FOLDER/src: the copy
    local module=${1%%/*} object command number=0
    for object in $(objects_with "$1"); do
        command=$(ninja -C "$build" -t commands -s "$object")
        command=${command//"$root/$module/src"/"$2/src"}
        number=$((number + 1))
        command=${command//"-o $object"/"-o $2/$number.o"}
        (cd "$build" && eval "${command//"$object.d"/"$2/$number.d"}") || return
        echo "$2/$number.o"
    done
    ((number > 0))
}

# A program of the truths, or of the suite if tests are named, with a broken object if one is given.
link() { # PROGRAM TESTS [OBJECT]
    local judge=("$work/gate.o")
    [[ -z $2 ]] || judge=("${suite[@]}")
    "${CXX:-c++}" -o "$1" "${@:3}" "${judge[@]}" "$build/tests/hostile/libsubstep_hostile.a" \
        "$build/scenes/libsubstep_scenes.a" \
        "$build/engine/libsubstep_engine.a" "$build/integrators/libsubstep_integrators.a" \
        "$build/collision/libsubstep_collision.a" "$build/numerics/libsubstep_numerics.a" -pthread
}

# Runs such a program, and prints on one line what is red.
red() { # PROGRAM TESTS
    local status=0
    if [[ -z $2 ]]; then
        timeout 300 "$1" >"$1.out" || status=$?
        sed -n 's/^red \([^ ]*\) .*/\1/p' "$1.out" | tr '\n' ' '
    else
        timeout 300 "$1" --source-file="$2" --no-colors=true >"$1.out" 2>&1 || status=$?
        awk '/^TEST CASE: / { name = substr($0, 13) } / ERROR: / && name != last { printf "\"%s\" ", last = name }' \
            "$1.out"
    fi
    if ((status > 1)); then # 124: it hangs
        echo "and then stopped with $status"
    fi
}

try() { # NAME FILE TESTS OLD NEW, in a folder of its own
    local folder text rest found objects
    folder=$(mktemp -d -p "$work")
    text=$(<"$root/$2")
    rest=${text#*"$4"}
    cp -r "$root/${2%%/*}/src" "$folder"
    printf '%s\n' "${text%%"$4"*}$5$rest" >"$folder/${2#*/}"
    if [[ $text == "$rest" || $rest == *"$4"* ]]; then
        found="the text to break does not occur once in $2"
    elif ! objects=$(compile_with "$2" "$folder") || ! link "$folder/program" "$3" $objects; then
        found="cannot be built"
    else
        found=$(red "$folder/program" "$3")
        if [[ -n $found ]]; then
            printf '%s: %s\n' "$1" "$found"
            return
        fi
        found=NONE
    fi
    printf '%s: %s\n' "$1" "$found"
    touch "$work/failed"
}

ninja -C "$build" -t deps >"$work/dependencies"
mapfile -t suite < <(find "$build"/tests/CMakeFiles/substep_test{s,_cases}.dir -name '*.o')
"${CXX:-c++}" -std=c++20 -O2 -I"$root/engine/include" -I"$root/integrators/include" -I"$root/numerics/include" \
    -I"$root/collision/include" -I"$root/scenes/include" -c "$root/tests/mutations/truth_gate.cpp" -o "$work/gate.o"
all_tests=$(sed -n 's/^tests: //p' "$list" | sort -u | paste -sd,)
link "$work/truths" "" && link "$work/tests" "$all_tests"
sound=$(red "$work/truths" "")$(red "$work/tests" "$all_tests")
if [[ -n $sound ]]; then
    echo "red without a break: $sound" >&2
    exit 1
fi

while IFS= read -r line; do
    case $line in
    "name: "*) name=${line#name: } tests= ;;
    "file: "*) file=${line#file: } ;;
    "tests: "*) tests=${line#tests: } ;;
    "old: "*) old=${line#old: } ;;
    "new: "*)
        [[ $name =~ $words ]] || continue
        while (($(jobs -rp | wc -l) >= $(nproc))); do
            wait -n
        done
        try "$name" "$file" "$tests" "$old" "${line#new: }" &
        ;;
    esac
done <"$list"
wait
[[ ! -e $work/failed ]]
