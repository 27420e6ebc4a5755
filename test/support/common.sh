# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What test/run and example/run share. Sourced by bash scripts that have set -euo pipefail.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)

say() { printf '\n== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

build_packages=(g++ cmake ninja-build libboost1.81-dev libboost-test1.81-dev libboost-program-options1.81-dev
                libibverbs-dev librdmacm-dev libssl-dev pkg-config binutils)
vm_packages=(qemu-system-x86 busybox-static cpio kmod iproute2 rdma-core ibverbs-providers)

# Installs what is missing of the packages named, and says so.
install_packages() {
  local missing=() package
  for package; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  ((${#missing[@]} > 0)) || return 0
  ((EUID == 0)) || die "these packages are missing, and only root can install them: ${missing[*]}"
  say "installing ${missing[*]}"
  DEBIAN_FRONTEND=noninteractive
  export DEBIAN_FRONTEND
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Configures and builds a preset; further arguments are targets.
build() {
  local preset=$1
  shift
  say "building preset $preset in build/$preset"
  (cd "$root" && cmake --preset "$preset" >/dev/null)
  cmake --build "$root/build/$preset" --parallel "$(nproc)" ${1:+--target "$@"}
}
