#!/usr/bin/env bash
# Runs the commands of documents, with the programs in folder $1: every line of a ```sh block, and every first cell of a
# table, that begins with `substep ` or `substep_tests `. A command that a reader cannot repeat is worse than none.
set -uo pipefail
export PATH="$1:$PATH"
shift
commands() {
    awk '/^```/ {shell = /^```sh/; next}
        shell && /^substep(_tests)? / {sub(/ +#.*/, ""); print}
        /^\| `substep(_tests)? / {split($0, cell, "`"); print cell[2]}' "$@" | awk '!seen[$0]++'
}

ran=0
failed=0
while IFS= read -r line; do
    ran=$((ran + 1))
    if ! bash -c "$line" </dev/null >output.txt 2>&1; then
        failed=$((failed + 1))
        echo "failed: $line"
        tail -n 5 output.txt
    fi
done < <(commands "$@")
echo "$ran commands ran, $failed failed"
