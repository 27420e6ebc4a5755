// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/device_domain.hpp"

#include "io/verbs_error.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace io {

namespace {

std::mutex& domains_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

core::error finish(std::shared_ptr<device_domain> made, std::shared_ptr<device_domain>& result) {
  verbs::error_code ec;
  made->limits = made->device.query_device(ec);
  if (!ec) made->domain = verbs::protection_domain::create(made->device, ec);
  if (ec) return to_error(ec);
  made->numa_node = made->device.numa_node();
  result = std::move(made);
  return {};
}

}  // namespace

int device_domain::next_vector() const noexcept {
  static std::atomic<unsigned> queues_made{0};
  const auto vectors = static_cast<unsigned>(device.native_handle()->num_comp_vectors);
  return vectors > 1 ? static_cast<int>(queues_made.fetch_add(1, std::memory_order_relaxed) % vectors) : 0;
}

core::error device_domain::make(verbs::context_ref device, std::shared_ptr<device_domain>& result) {
  auto made = std::make_shared<device_domain>();
  made->device = device;
  return finish(std::move(made), result);
}

core::error device_domain::get(verbs::context_ref device, std::shared_ptr<device_domain>& result) {
  static auto& domains = *new std::map<ibv_context*, std::weak_ptr<device_domain>>;
  const std::lock_guard<std::mutex> lock(domains_mutex());
  std::weak_ptr<device_domain>& known = domains[device.native_handle()];
  result = known.lock();
  if (result) return {};
  const core::error e = make(device, result);
  known = result;
  return e;
}

core::error device_domain::open(const verbs::api& table, const std::string& name,
                                std::shared_ptr<device_domain>& result) {
  static auto& domains = *new std::map<std::pair<const verbs::api*, std::string>, std::weak_ptr<device_domain>>;
  const std::lock_guard<std::mutex> lock(domains_mutex());
  std::weak_ptr<device_domain>& known = domains[{&table, name}];
  result = known.lock();
  if (result) return {};
  auto made = std::make_shared<device_domain>();
  verbs::error_code ec;
  made->opened = verbs::context::open(name.c_str(), ec, table);
  if (ec) return to_error(ec);
  made->device = made->opened;
  const core::error e = finish(std::move(made), result);
  known = result;
  return e;
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
