#!/usr/bin/env bash
# Real clicks in a real window: under Xvfb, xdotool clicks Pause and then a method, and the demo says what happened.
# Asked to end, it leaves its picture.
# Ends with status 77, which ctest reports as skipped, where Xvfb or xdotool is missing.
# usage: real_clicks.sh PATH/TO/substep-demo
set -uo pipefail
demo=$1
for tool in xvfb-run xauth xdotool; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed (Debian and Ubuntu: apt-get install xvfb xauth xdotool)"
        exit 77
    fi
done
if [[ ${2:-} != inside ]]; then
    exec xvfb-run --auto-servernum --server-args="-screen 0 1280x720x24" "$0" "$demo" inside
fi

# A folder in which the demo keeps writing where its controls are, and what state it is in.
work=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null; rm -rf "$work"' EXIT
"$demo" --size 1280x720 --print-widgets "$work/widgets" --state-file "$work/state" --screenshot "$work/last.png" \
    >"$work/out" 2>&1 &
pid=$!

fail() {
    echo "$*"
    cat "$work/out" "$work/state" 2>/dev/null
    exit 1
}

# Waits up to 60 s for a line in a file that matches.
wait_for() {
    local file=$1 pattern=$2 i
    for ((i = 0; i < 600; ++i)); do
        grep -qE "$pattern" "$work/$file" 2>/dev/null && return 0
        kill -0 "$pid" 2>/dev/null || fail "the demo ended while waiting for '$pattern'"
        sleep 0.1
    done
    fail "no '$pattern' in 60 s"
}

# Prints the middle of a control, or nothing where it is not to be seen or greyed.
middle_of() { awk -v name="$1" '$1 == name && $6 == "enabled" { print int($2 + $4 / 2), int($3 + $5 / 2) }' "$work/widgets"; }

# Clicks the middle of a control: moves, waits a little as a hand does, presses, waits, releases. A list that has just
# opened may still move, so the control must be at the same place in two reports.
click() {
    local x y before='' now frame=0 i
    for ((i = 0; i < 600; ++i)); do
        sleep 0.1
        if ! grep -q "^frame $frame$" "$work/widgets"; then
            frame=$(awk '$1 == "frame" { print $2 }' "$work/widgets")
            now=$(middle_of "$1")
            [[ -n $now && $now == "$before" ]] && break
            before=$now
        fi
    done
    [[ -n $now && $now == "$before" ]] || fail "no control '$1' in 60 s"
    read -r x y <<<"$now"
    xdotool mousemove --window "$window" "$x" "$y"
    sleep 0.3
    xdotool mousedown 1
    sleep 0.3
    xdotool mouseup 1
}

wait_for state '^playing true$'
window=$(xdotool search --onlyvisible --name '^Substep$' | head -n 1)
[[ -n $window ]] || fail "xdotool finds no window named Substep"

click play
wait_for state '^playing false$'
wait_for state '^method cash_karp54$'
click method
click method/velocity_verlet
wait_for state '^method velocity_verlet$'
wait_for state '^drift_curves 2$'

# A key, as the keyboard sends it.
xdotool key --window "$window" space
wait_for state '^playing true$'

# Keys that follow one another faster than frames: a word, and Enter, which takes what the word has left of the list.
click method
wait_for widgets '^method_search '
xdotool type --window "$window" --delay 1 verner
xdotool key --window "$window" --delay 0 Return
wait_for state '^method verner87$'

# SIGTERM ends it as closing the window does.
kill -TERM "$pid"
wait "$pid" || fail "after SIGTERM the demo ended with status $?"
[[ -s $work/last.png ]] || fail "after SIGTERM there is no picture"
echo "clicks, a key, and a word with Enter arrived, and SIGTERM left a picture"
