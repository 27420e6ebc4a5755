// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_PRELOAD_DISPATCH_HPP
#define ASIO_RDMA_SRC_SOFT_PRELOAD_DISPATCH_HPP

#include <asio_rdma/verbs/api.hpp>

#include <infiniband/verbs.h>

// libasio_rdma_soft.so stands before rdma-core's libraries: a program that calls them calls it. What belongs to the
// software device goes to its table, the rest to rdma-core.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace preload {

/// Which devices programs see, by the device policy of the environment.
enum class shown { software, hardware, both };
shown shown_devices() noexcept;

/// Whether the connection manager is the software device's. It is one for the whole process: an id has no device yet
/// when it is made.
bool is_cm_soft() noexcept;

inline const verbs::api& soft0() noexcept {
  return verbs::software_device();
}
/// The software device.
ibv_device* soft_device() noexcept;
inline bool is_soft(const ibv_context* c) noexcept {
  return c != nullptr && c->device == soft_device();
}
/// Of any object that has its context: queue pairs, regions and so on.
template <class Object>
bool is_soft(const Object* o) noexcept {
  return o != nullptr && is_soft(o->context);
}

/// A function of rdma-core; ends the process if there is no such one.
void* find_real(const char* name, const char* version) noexcept;

/// The type of the function is known by its name; looked up by the first call.
#define ASIO_RDMA_REAL(name, version)                                                                     \
  ([]() noexcept {                                                                                        \
    static const auto function =                                                                          \
        reinterpret_cast<decltype(&::name)>(::asio_rdma::soft::preload::find_real(#name, version));        \
    return function;                                                                                      \
  }())

}  // namespace preload
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
