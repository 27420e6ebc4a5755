# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
#
# What the scripts share that use the library as other projects do; to be sourced:  source consume.sh
# They are called as  SCRIPT BUILD_FOLDER CMAKE GENERATOR COMPILER, and have a folder of their own, $work.
set -euo pipefail
build=$1 cmake=$2 generator=$3 compiler=$4
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ASIO_RDMA_DEVICE=soft0

# Whether that build has rdma-core; what is built of its source or its objects has to be alike.
verbs=$(sed -n 's/^ASIO_RDMA_VERBS:BOOL=//p' "$build/CMakeCache.txt")

fail() {
  echo "$*"
  exit 1
}

# configure SOURCE BINARY [CMAKE-OPTION...]
configure() {
  "$cmake" -S "$1" -B "$2" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" "${@:3}" >/dev/null
}

# by_cmake PREFIX: builds and runs a program that finds the library there by find_package.
by_cmake() {
  configure "$here/consumer" "$work/build" -DCMAKE_PREFIX_PATH="$1"
  "$cmake" --build "$work/build"
  "$work/build/consumer"
}

# find_by_pkg_config PREFIX: from here on, pkg-config finds that of PREFIX. False where there is no pkg-config.
find_by_pkg_config() {
  command -v pkg-config >/dev/null || { echo "there is no pkg-config to try"; return 1; }
  local file
  file=$(find "$1" -name asio_rdma.pc)
  [[ $file ]] || fail "no asio_rdma.pc in $1"
  export PKG_CONFIG_PATH=${file%/*}
}

# by_pkg_config PREFIX [OPTION...]: links what by_cmake has compiled, and runs it; the options are pkg-config's.
by_pkg_config() {
  find_by_pkg_config "$1" || return 0
  local includes flags
  includes=$(pkg-config --variable=includedir asio_rdma)
  [[ -e $includes/asio_rdma/asio_rdma.hpp ]] || fail "there are no headers in $includes"
  read -r -a flags <<<"$(pkg-config "${@:2}" --libs asio_rdma)"
  "$compiler" "$work/build/CMakeFiles/consumer.dir/main.cpp.o" -o "$work/consumer" "${flags[@]}"
  LD_LIBRARY_PATH=${PKG_CONFIG_PATH%/pkgconfig} "$work/consumer"
}
