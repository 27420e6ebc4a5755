// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/program_memory.hpp"

#include "io/verbs_error.hpp"
#include "log/log.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <mutex>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

/// All pieces of the process, by their first addresses.
struct program_memory::all {
  std::mutex mutex;
  index by_address;

  // Connections may still look at the exit of the process.
  static all& instance() {
    static all& a = *new all;
    return a;
  }
};

program_memory::program_memory(void* data, std::size_t size) : program_memory(data, size, nullptr) {}
program_memory::program_memory(const memory_block& own) : program_memory(own.data(), own.size(), &own) {}

program_memory::program_memory(void* data, std::size_t size, const memory_block* own)
    : data_(data), size_(size), own_(own) {
  all& a = all::instance();
  const std::lock_guard<std::mutex> lock(a.mutex);
  place_ = a.by_address.emplace(reinterpret_cast<std::uintptr_t>(data), this);
}

program_memory::~program_memory() {
  all& a = all::instance();
  const std::lock_guard<std::mutex> lock(a.mutex);
  a.by_address.erase(place_);
}

void program_memory::add(std::shared_ptr<device_domain> device, std::uint32_t local_key) {
  const std::lock_guard<std::mutex> lock(all::instance().mutex);
  registrations_.push_back({std::move(device), {}, {local_key, nullptr}, {}});
}

core::error program_memory::find_for(const std::shared_ptr<device_domain>& device, known& result) {
  for (const registration& r : registrations_) {
    if (r.device != device) continue;
    result = r.what;
    return r.failure;
  }
  registration made{device, {}, {}, {}};
  verbs::error_code ec;
  if (own_ && registrations_.empty()) own_->prefer_node(device->numa_node);
  const bool has_windows = device->has_windows();
  const int access = IBV_ACCESS_LOCAL_WRITE | (has_windows ? IBV_ACCESS_MW_BIND : 0);
  made.region = verbs::memory_region::register_memory(device->domain, data_, size_, access, ec);
  if (ec) {
    made.failure = to_error(ec);
    log(log_level::warning, "%zu bytes for zero copy cannot be registered with %s, and will be copied: %s", size_,
        device->device.name(), ec.message().c_str());
  } else {
    made.what.local_key = made.region.lkey();
    made.what.region = has_windows ? made.region.native_handle() : nullptr;
    result = made.what;
  }
  registrations_.push_back(std::move(made));
  return registrations_.back().failure;
}

core::error program_memory::find(const std::shared_ptr<device_domain>& device, const void* data, std::size_t size,
                                 known& result) noexcept {
  const auto first = reinterpret_cast<std::uintptr_t>(data);
  all& a = all::instance();
  const std::lock_guard<std::mutex> lock(a.mutex);
  auto next = a.by_address.upper_bound(first);
  if (next == a.by_address.begin()) return core::error(ENOENT);
  program_memory& found = *std::prev(next)->second;
  const std::uintptr_t offset = first - reinterpret_cast<std::uintptr_t>(found.data_);
  if (offset > found.size_ || size > found.size_ - offset) return core::error(ENOENT);
  try {
    return found.find_for(device, result);
  } catch (const std::bad_alloc&) {
    return core::error(ENOMEM);
  }
}

void program_memory::forget(const std::shared_ptr<device_domain>& device) noexcept {
  all& a = all::instance();
  const std::lock_guard<std::mutex> lock(a.mutex);
  for (const auto& [address, memory] : a.by_address) {
    auto& list = memory->registrations_;
    list.erase(std::remove_if(list.begin(), list.end(), [&](const registration& r) { return r.device == device; }),
               list.end());
  }
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
