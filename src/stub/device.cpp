// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Devices, on a system that cannot have any.

#include <asio_rdma/detail/core/device.hpp>
#include <asio_rdma/detail/core/memory.hpp>
#include <asio_rdma/detail/core/statistics.hpp>
#include <asio_rdma/exit_linger.hpp>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace core {

error visit_devices(void (*)(const device&, void*), void*) {
  return error(EOPNOTSUPP);
}

error visit_device_counters(const char*, void (*)(const device_counter&, void*), void*) {
  return error(EOPNOTSUPP);
}

error set_device_policy(const char*) noexcept {
  return error(EOPNOTSUPP);
}

std::size_t device_policy(char* buffer, std::size_t size) noexcept {
  if (size != 0) *buffer = '\0';
  return 0;
}

void visit_sockets(void (*)(const socket_statistics&, void*), void*, process_totals& totals) {
  totals = process_totals();
}

memory::memory(memory&&) noexcept {}
memory& memory::operator=(memory&&) noexcept {
  return *this;
}
memory::~memory() = default;

error memory::allocate(std::size_t, bool, memory&) noexcept {
  return error(EOPNOTSUPP);
}
error memory::adopt(void*, std::size_t, memory&) noexcept {
  return error(EOPNOTSUPP);
}
void* memory::data() const noexcept {
  return nullptr;
}
std::size_t memory::size() const noexcept {
  return 0;
}

}  // namespace core

void set_exit_linger(int) noexcept {}

}  // namespace v1
}  // namespace asio_rdma
