#!/usr/bin/env bash
# Bad options of the demo: one sentence on stderr, nothing on stdout, exit status 2. Without a display: exit status 1.
# usage: bad_options.sh PATH/TO/substep-demo
set -uo pipefail
demo=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect STATUS WORD ARGUMENTS...: the demo ends with STATUS, and its one line on stderr contains WORD.
expect() {
    local status=$1 word=$2
    shift 2
    "$demo" "$@" >"$work/out" 2>"$work/err"
    local got=$?
    if ((got != status)) || (($(wc -l <"$work/err") != 1)) || [[ -s $work/out ]] || ! grep -qF -- "$word" "$work/err"; then
        echo "substep-demo $*: status $got instead of $status, or not one sentence with \"$word\":"
        cat "$work/out" "$work/err"
        failures=$((failures + 1))
    fi
}

shot=(--headless --frames 1 --screenshot "$work/picture.png")
expect 2 '"pendulun"' "${shot[@]}" --scene pendulun
expect 2 'rk4' "${shot[@]}" --method rk5
expect 2 '--substeps' "${shot[@]}" --substeps 0
expect 2 '--tolerance' "${shot[@]}" --tolerance nan
expect 2 '--tolerance' "${shot[@]}" --tolerance -1e-6
expect 2 '--budget' "${shot[@]}" --budget -1
expect 2 '--fps' "${shot[@]}" --fps 0
expect 2 '--frames' --headless --frames 0 --screenshot "$work/picture.png"
expect 2 'boundary' "${shot[@]}" --boundary behind
expect 2 'start_angle' "${shot[@]}" --set start_angle=9
expect 2 '--size' "${shot[@]}" --size 1280
expect 2 '--size' "${shot[@]}" --size 10x10
expect 2 '--theme' "${shot[@]}" --theme blue
expect 2 '--speed' "${shot[@]}" --speed 9
expect 2 '--script' --headless --script "$work/none"
expect 2 '--headless' --headless
expect 2 '--no-such-option' "${shot[@]}" --no-such-option
printf 'wait 1\njump rope\n' >"$work/script"
expect 2 ':2: ' --headless --script "$work/script"
printf 'wait 1\nscreenshot none/picture.png\n' >"$work/script"
expect 2 ':2: cannot write the file none/picture.png' --headless --script "$work/script"
printf 'click nothing\n' >"$work/script"
expect 1 'no widget "nothing"' --headless --script "$work/script"
printf 'expect method == rk5\n' >"$work/script"
expect 1 'expected method == rk5' --headless --script "$work/script"
# What could not be written at the end is refused at the start.
expect 2 'a folder that exists' --headless --screenshot "$work/none/picture.png"
expect 2 'a folder that exists' --headless --screenshot "$work"
expect 2 '--state-file' --headless --state-file "$work/none/state"
expect 2 '--screenshot: must not be empty' --headless --screenshot ''
expect 2 'cannot read' --headless --script "$work"
# Equations and the move tool have their settings in their panels.
expect 2 '--method is for scenes' "${shot[@]}" --scene move_tool --method rk4
expect 2 '--twin is for scenes' "${shot[@]}" --scene arenstorf --twin
expect 2 '"word" is one word too many' word
expect 2 'did you mean "--headless"' --headlss
expect 2 '--size needs a value' "${shot[@]}" --size

unset DISPLAY WAYLAND_DISPLAY
expect 1 'no window'

if ((failures)); then exit 1; fi
echo "every bad option was refused in one sentence"
