#!/usr/bin/env bash
# SIGINT and SIGTERM end a long run without a display after its frame: its picture is written, its status is 0.
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

printf 'screenshot %s\n' "$work/begun.png" >"$work/script"
for signal in INT TERM; do
    rm -f "$work"/*.png
    "$demo" --headless --size 640x360 --script "$work/script" --frames 100000000 --screenshot "$work/last.png" \
        >"$work/out" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; ++i)); do
        [[ -s $work/begun.png ]] && break
        kill -0 "$pid" 2>/dev/null || fail "the demo ended before SIG$signal"
        sleep 0.1
    done
    [[ -s $work/begun.png ]] || fail "no frame in 60 s"
    kill "-$signal" "$pid"
    wait "$pid" || fail "after SIG$signal the demo ended with status $?"
    [[ -s $work/last.png ]] || fail "after SIG$signal there is no picture"
done
pid=
echo "both signals left a picture"
