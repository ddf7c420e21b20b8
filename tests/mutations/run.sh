#!/usr/bin/env bash
# Breaks the engine, one line at a time (mutations.txt), and prints what turns red: tests of the tests.
#
#     tests/mutations/run.sh [BUILD [WORDS]]     BUILD: folder with the built libraries and substep_tests, up to date
#                                                (default: build/release); WORDS: only breaks whose names contain them
#
# A break is judged by the truths of the scenes or, if it has a line `tests:`, by those cases of the suite that are in
# the source files named there. The sources stay as they are: the broken file is compiled apart, and linked before the
# library that holds the sound one, of which the linker then takes nothing. So only lines of .cpp files can be broken:
# what stands in a header is in many objects, and the linker would keep a sound one. Fails if some break turns nothing
# red, if the text to break is not found once, or if something is red without a break. As many breaks at a time as there
# are processors; takes about two minutes on two.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
words=${2:-}
list=$root/tests/mutations/mutations.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # SOURCE OBJECT [FOLDER]     FOLDER: where the source's own headers are
    "${CXX:-c++}" -std=c++20 -O2 -ffp-contract=off -fno-math-errno -I"$root/engine/include" \
        -I"$root/integrators/include" -I"$root/numerics/include" -I"$root/collision/include" -I"$root/scenes/include" \
        -iquote "$root/engine/src" -iquote "${3:-.}" -c "$1" -o "$2"
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
    local folder text rest found
    folder=$(mktemp -d -p "$work")
    text=$(<"$root/$2")
    rest=${text#*"$4"}
    printf '%s\n' "${text%%"$4"*}$5$rest" >"$folder/broken.cpp"
    if [[ $text == "$rest" || $rest == *"$4"* ]]; then
        found="the text to break does not occur once in $2"
    elif ! compile "$folder/broken.cpp" "$folder/broken.o" "$root/$(dirname "$2")" ||
        ! link "$folder/program" "$3" "$folder/broken.o"; then
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

mapfile -t suite < <(find "$build"/tests/CMakeFiles/substep_test{s,_cases}.dir -name '*.o')
compile "$root/tests/mutations/truth_gate.cpp" "$work/gate.o"
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
        [[ $name == *"$words"* ]] || continue
        while (($(jobs -rp | wc -l) >= $(nproc))); do
            wait -n
        done
        try "$name" "$file" "$tests" "$old" "${line#new: }" &
        ;;
    esac
done <"$list"
wait
[[ ! -e $work/failed ]]
