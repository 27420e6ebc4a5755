// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "io/device_domain.hpp"

#include "io/verbs_error.hpp"

#include <map>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace io {

core::error device_domain::get(verbs::context_ref device, std::shared_ptr<device_domain>& result) {
  static std::mutex& mutex = *new std::mutex;
  static auto& domains = *new std::map<ibv_context*, std::weak_ptr<device_domain>>;

  const std::lock_guard<std::mutex> lock(mutex);
  std::weak_ptr<device_domain>& known = domains[device.native_handle()];
  result = known.lock();
  if (result) return {};

  auto made = std::make_shared<device_domain>();
  made->device = device;
  verbs::error_code ec;
  made->limits = device.query_device(ec);
  if (!ec) made->domain = verbs::protection_domain::create(device, ec);
  if (ec) return to_error(ec);
  known = made;
  result = std::move(made);
  return {};
}

}  // namespace io
}  // namespace v1
}  // namespace asio_rdma
