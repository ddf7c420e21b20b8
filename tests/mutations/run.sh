#!/usr/bin/env bash
# Breaks the engine, one line at a time (mutations.txt), and prints which truths turn red: tests of the tests.
#
#     tests/mutations/run.sh [BUILD]     BUILD: folder with the built libraries (default: build/release)
#
# The sources stay as they are: the broken file is compiled apart, and linked before the library that holds the
# sound one. Fails if some break turns none red, if the text to break is not found once, or if a truth is red
# without a break. Takes about two minutes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compile() { # SOURCE OBJECT
    "${CXX:-c++}" -std=c++20 -O2 -ffp-contract=off -I"$root/engine/include" -I"$root/integrators/include" \
        -I"$root/numerics/include" -I"$root/collision/include" -I"$root/scenes/include" -iquote "$root/engine/src" \
        -c "$1" -o "$2"
}

# Links the gate with a broken object, if one is given, and prints the red truths on one line.
red_truths() {
    "${CXX:-c++}" -o "$work/gate" "$work/gate.o" "$@" "$build/scenes/libsubstep_scenes.a" \
        "$build/engine/libsubstep_engine.a" "$build/integrators/libsubstep_integrators.a" \
        "$build/collision/libsubstep_collision.a" "$build/numerics/libsubstep_numerics.a" -pthread
    local status=0
    timeout 60 "$work/gate" >"$work/found" || status=$?
    sed -n 's/^red \([^ ]*\) .*/\1/p' "$work/found" | tr '\n' ' '
    if ((status > 1)); then # 124: it hangs
        echo "and then stopped with $status"
    fi
}

compile "$root/tests/mutations/truth_gate.cpp" "$work/gate.o"
red=$(red_truths)
if [[ -n $red ]]; then
    echo "red without a break: $red" >&2
    exit 1
fi

failed=0
while IFS= read -r line; do
    case $line in
    "name: "*) name=${line#name: } ;;
    "file: "*) file=${line#file: } ;;
    "old: "*) old=${line#old: } ;;
    "new: "*)
        new=${line#new: }
        text=$(<"$root/$file")
        rest=${text#*"$old"}
        if [[ $text == "$rest" || $rest == *"$old"* ]]; then
            echo "$name: the text to break does not occur once in $file" >&2
            failed=1
            continue
        fi
        printf '%s\n' "${text%%"$old"*}$new$rest" >"$work/broken.cpp"
        if ! compile "$work/broken.cpp" "$work/broken.o"; then
            echo "$name: does not compile" >&2
            failed=1
            continue
        fi
        red=$(red_truths "$work/broken.o")
        printf '%s: %s\n' "$name" "${red:-NONE}"
        [[ -n $red ]] || failed=1
        ;;
    esac
done <"$root/tests/mutations/mutations.txt"
exit "$failed"
