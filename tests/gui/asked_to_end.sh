#!/usr/bin/env bash
# SIGINT and SIGTERM end a long run without a display after its frame: its picture is written, its status is 0. So they
# do, within a second, while a single step would take minutes, whether the picture waits for it or not.
# usage: asked_to_end.sh PATH/TO/substep-demo
set -uo pipefail
demo=$1
work=$(mktemp -d)
pid=
trap '[[ -n $pid ]] && kill -KILL "$pid" 2>/dev/null; rm -rf "$work"' EXIT

fail() {
    echo "$*"
    cat "$work/out"
    exit 1
}

# Runs the demo with the options that follow until it has made its first picture and a moment more, and sends signal $1.
# It must end well, with a last picture.
ask_to_end() {
    local signal=$1 began
    shift
    rm -f "$work"/*.png
    "$demo" --headless --size 640x360 --script "$work/script" --frames 100000000 --screenshot "$work/last.png" "$@" \
        >"$work/out" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; ++i)); do
        [[ -s $work/begun.png ]] && break
        kill -0 "$pid" 2>/dev/null || fail "the demo ended before SIG$signal"
        sleep 0.1
    done
    [[ -s $work/begun.png ]] || fail "no frame in 60 s"
    sleep 0.5
    kill "-$signal" "$pid"
    began=$(date +%s%N)
    wait "$pid" || fail "after SIG$signal the demo ended with status $?"
    took=$((($(date +%s%N) - began) / 1000000))
    [[ -s $work/last.png ]] || fail "after SIG$signal there is no picture"
}

printf 'screenshot %s\n' "$work/begun.png" >"$work/script"
for signal in INT TERM; do
    ask_to_end $signal
done
# A first-order method at 1e-13 takes millions of substeps a frame, and more where a body turns at 1e9 rad/s.
cat >"$work/script" <<TEXT
set tolerance 1e-13
click body/bob
wait 2
screenshot $work/begun.png
select method symplectic_euler_doubling
set omega_z 1e9
wait 100000
TEXT
for options in "" "--frame-limit 30"; do
    # shellcheck disable=SC2086 # words
    ask_to_end TERM $options
    ((took < 1000)) || fail "the demo took $took ms to end within a step ($options)"
done
pid=
echo "every signal left a picture"
