#!/usr/bin/env bash
# tests/baseline/run.sh [BUILD_DIR] [--quick] [FILTER]: builds substep_baseline (default: in build/release), and checks that
# no motion and no report differs in a single bit from the stored lists. main.cpp says what is compared.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=build/release
if (($#)) && [[ -f $1/CMakeCache.txt ]]; then
    build=$1
    shift
fi
[[ -f $build/CMakeCache.txt ]] || cmake --preset release -B "$build" >/dev/null
cmake --build "$build" --target substep_baseline >/dev/null
exec "$build/bin/substep_baseline" check "$@"
