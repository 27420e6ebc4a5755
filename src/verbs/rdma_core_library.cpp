// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs/rdma_core_library.hpp"

#ifndef ASIO_RDMA_WITHOUT_VERBS
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#endif

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

#ifdef ASIO_RDMA_WITHOUT_VERBS

const char* load_rdma_core() noexcept {
  return "this asio_rdma was built without rdma-core (ASIO_RDMA_VERBS=OFF)";
}

void* find_rdma_core(const char*, const char*) noexcept {
  return nullptr;
}

#else

namespace {

/// rdma-core's libraries, which nothing unloads: its threads and our objects use them to the end of the process.
class libraries {
public:
  static const libraries& instance() noexcept {
    static const libraries loaded;
    return loaded;
  }

  const char* why_missing() const noexcept { return *why_ ? why_ : nullptr; }

  void* find(const char* name, const char* version) const noexcept {
    void* const library = std::strncmp(name, "rdma_", 5) == 0 ? rdmacm_ : ibverbs_;
    // What we were compiled for, which need not be the newest.
#ifdef __GLIBC__
    if (void* const found = ::dlvsym(library, name, version)) return found;
#else
    (void)version;
#endif
    return ::dlsym(library, name);
  }

private:
  libraries() noexcept : ibverbs_(load("libibverbs.so.1")), rdmacm_(ibverbs_ ? load("librdmacm.so.1") : nullptr) {}

  void* load(const char* name) noexcept {
    // Global, so that a preloaded library that stands before them finds them behind itself (RTLD_NEXT).
    void* const library = ::dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) {
      std::snprintf(why_, sizeof why_,
                    "rdma-core's libraries could not be loaded (%s). Install libibverbs1 librdmacm1 ibverbs-providers "
                    "(Debian, Ubuntu) or libibverbs librdmacm (Fedora, Red Hat)",
                    ::dlerror());
    }
    return library;
  }

  char why_[512] = "";
  void* ibverbs_;
  void* rdmacm_;
};

bool are_of_one_library(const void* a, const void* b) noexcept {
  Dl_info of_a{};
  Dl_info of_b{};
  return ::dladdr(a, &of_a) != 0 && ::dladdr(b, &of_b) != 0 && of_a.dli_fbase == of_b.dli_fbase;
}

}  // namespace

const char* load_rdma_core() noexcept {
  return libraries::instance().why_missing();
}

void* find_rdma_core(const char* name, const char* version) noexcept {
  if (load_rdma_core()) return nullptr;
  void* const real = libraries::instance().find(name, version);
  void* const first = ::dlsym(RTLD_DEFAULT, name);
  return first && (!real || !are_of_one_library(first, real)) ? first : real;
}

#endif

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
