#!/usr/bin/env bash
# doors.sh COMPILER FLAGS_OF_PKG_CONFIG [--each]: a host's program under each configuration macro of GLM and under other
# versions and layouts than the library's. It must print the same numbers, or not come to be, with one sentence that says
# why. Macros that change nothing are tried together; with --each, one by one as well.
set -euo pipefail
compiler=$1
read -ra flags <<<"$2"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
failures=0

# build MACRO...: compiles and links the program, its output and that of the tools in $said.
build() {
    said=$("$compiler" -std=c++20 "$@" "$here/quiet.cpp" -o "$room/quiet" "${flags[@]}" 2>&1)
}

same() {
    if ! build "$@"; then
        echo "does not build under $*: $said"
    elif said=$("$room/quiet") && [[ $said == "$truth" ]]; then
        return
    else
        echo "under $* it prints $said, without it $truth"
    fi
    failures=$((failures + 1))
}

refused() { # SENTENCE MACRO...
    local sentence=$1
    shift
    if build "$@"; then
        echo "builds under $*, and prints $("$room/quiet" || true)"
    elif grep -qF "$sentence" <<<"$said"; then
        return
    else
        echo "under $* nobody says '$sentence', but: $said"
    fi
    failures=$((failures + 1))
}

build || { echo "does not build at all: $said"; exit 1; }
truth=$("$room/quiet")

# GLM 0.9.9.8, manual, section 2: what its macros may change without our seeing it.
languages=(CXX98 CXX03 CXX11 CXX14 CXX17 CXX2A CXX_UNKNOWN)
registers=(SSE SSE2 SSE3 SSSE3 SSE41 SSE42 AVX AVX2 ARCH_UNKNOWN)
platforms=(COMPILER_UNKNOWN PLATFORM_UNKNOWN INLINE SILENT_WARNINGS MESSAGES)
meanings=(DEPTH_ZERO_TO_ONE LEFT_HANDED EXPLICIT_CTOR UNRESTRICTED_GENTYPE ALIGNED_GENTYPES CTOR_INIT)
others=(SWIZZLE XYZW_ONLY SINGLE_ONLY INTRINSICS PURE)
precisions=(PRECISION_{LOWP,MEDIUMP,HIGHP}_{BOOL,INT,UINT,FLOAT,DOUBLE})
as_flags() { printf -- '-DGLM_FORCE_%s\n' "$@"; }
mapfile -t together < <(as_flags "${platforms[@]}" "${meanings[@]}" PRECISION_MEDIUMP_{BOOL,INT,UINT,FLOAT,DOUBLE})
same "${together[@]}" -DGLM_ENABLE_EXPERIMENTAL
same -DGLM_FORCE_CXX98
same -DGLM_FORCE_PRECISION_LOWP_DOUBLE -DGLM_FORCE_ARCH_UNKNOWN
same -DGLM_FORCE_SWIZZLE
same -DGLM_FORCE_SINGLE_ONLY -DGLM_FORCE_XYZW_ONLY
same -DGLM_FORCE_INTRINSICS
if [[ ${3-} == --each ]]; then
    for macro in "${languages[@]}" "${registers[@]}" "${platforms[@]}" "${meanings[@]}" "${others[@]}" "${precisions[@]}"; do
        same "-DGLM_FORCE_$macro"
    done
fi
refused "do not define GLM_FORCE_QUAT_DATA_WXYZ" -DGLM_FORCE_QUAT_DATA_WXYZ
refused "do not define GLM_FORCE_SIZE_T_LENGTH" -DGLM_FORCE_SIZE_T_LENGTH
refused "do not define GLM_FORCE_DEFAULT_ALIGNED_GENTYPES" -DGLM_FORCE_INTRINSICS -DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES
refused "do not define GLM_FORCE_DEFAULT_ALIGNED_GENTYPES" -DGLM_FORCE_INTRINSICS -DGLM_FORCE_DEFAULT_ALIGNED_GENTYPES -mavx2

# Headers of another version, or types of another layout.
refused "substep_headers_of_version_0_1_0_and_debug_containers_need_a_library_like_them" -D_GLIBCXX_DEBUG
refused "substep_headers_of_version_0_1_0_and_strings_before_cxx11_need_a_library_like_them" -D_GLIBCXX_USE_CXX11_ABI=0
for flag in "${flags[@]}"; do
    [[ $flag == -I* ]] || continue
    mkdir -p "$room/other/substep"
    sed 's/SUBSTEP_VERSION_MINOR 1/SUBSTEP_VERSION_MINOR 2/' "${flag#-I}/substep/version.h" >"$room/other/substep/version.h"
done
refused "substep_headers_of_version_0_2_0_need_a_library_like_them" "-I$room/other"

((failures == 0)) && echo "every door is open or says why it is closed"
