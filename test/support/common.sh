# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What test/run and example/run share. To be sourced; sets the folder to the root of the source tree.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
umask 022 # what we build is read by an unprivileged user in the VM, too

say() { printf '\n== %s\n' "$*"; }

# build PRESET [TARGET...]: configures and builds build/PRESET, after others if build_niceness says so.
build_niceness=0
build() {
  local preset=$1 generator=() targets=()
  shift
  say "building: $preset${*:+ ($*)}"
  if [[ ! -e build/$preset/CMakeCache.txt ]] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake --preset "$preset" "${generator[@]}" --log-level=WARNING
  (($# == 0)) || targets=(--target "$@")
  nice -n "$build_niceness" cmake --build "build/$preset" --parallel "$(nproc)" "${targets[@]}"
}
