// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/preload/dispatch.hpp"

#include "device/choice.hpp"
#include "verbs/rdma_core_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace preload {

namespace {

shown read_policy() noexcept {
  const char* const text = std::getenv(core::policy_variable);
  if (text == nullptr || *text == '\0' || std::strcmp(text, "auto") == 0) return shown::both;
  return std::strcmp(text, core::software_name) == 0 ? shown::software : shown::hardware;
}

bool has_hardware() noexcept {
  if (verbs::load_rdma_core()) return false;
  int count = 0;
  ibv_device** const list = ASIO_RDMA_REAL(ibv_get_device_list, "IBVERBS_1.1")(&count);
  if (list == nullptr) return false;
  ASIO_RDMA_REAL(ibv_free_device_list, "IBVERBS_1.1")(list);
  return count > 0;
}

}  // namespace

shown shown_devices() noexcept {
  static const shown result = read_policy();
  return result;
}

bool is_cm_soft() noexcept {
  static const bool result =
      shown_devices() == shown::software || (shown_devices() == shown::both && !has_hardware());
  return result;
}

ibv_device* soft_device() noexcept {
  static ibv_device* const result = [] {
    ibv_device** const list = soft0().get_device_list(nullptr);
    ibv_device* const only = list[0];
    soft0().free_device_list(list);
    return only;
  }();
  return result;
}

void* find_real(const char* name, const char* version) noexcept {
  verbs::load_rdma_core();  // a program of this library's is not linked to it
#ifdef __GLIBC__
  if (void* const found = ::dlvsym(RTLD_NEXT, name, version)) return found;
#else
  (void)version;
#endif
  if (void* const found = ::dlsym(RTLD_NEXT, name)) return found;
  std::fprintf(stderr,
               "libasio_rdma_soft.so: the program calls %s for a device that is not %s, and rdma-core's libraries here "
               "have no such function\n",
               name, core::software_name);
  std::abort();
}

}  // namespace preload
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
