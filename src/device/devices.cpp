// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/device.hpp>

#include "io/verbs_error.hpp"
#include "verbs/local_addresses.hpp"

#include <asio_rdma/verbs/device_list.hpp>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct entry {
  device d;
  std::vector<sockaddr_storage> addresses;
};

error add_devices(const verbs::api& table, device_kind kind, std::vector<entry>& result) {
  verbs::error_code ec;
  const auto list = verbs::device_list::get(ec, table);
  for (ibv_device* const device : list) {
    entry& e = result.emplace_back();
    e.d.kind = kind;
    std::snprintf(e.d.name, sizeof e.d.name, "%s", list.name(device));
  }
  return ec == errc::no_device ? error() : io::to_error(ec);
}

void add_addresses(std::vector<entry>& hardware) {
  const auto addresses = verbs::rdma_addresses();
  for (entry& e : hardware) {
    for (const verbs::rdma_address& a : addresses)
      if (a.device == e.d.name) e.addresses.push_back(a.address);
    e.d.active = verbs::has_active_port(e.d.name);
  }
}

}  // namespace

error visit_devices(void (*function)(const device& d, void* context), void* context) {
  std::vector<entry> hardware;
  std::vector<entry> software;
  if (const error e = add_devices(verbs::rdma_core(), device_kind::hardware, hardware)) return e;
  // One that cannot be used here says why when it is.
  (void)add_devices(verbs::software_device(), device_kind::software, software);
  add_addresses(hardware);
  for (entry& e : software) {
    e.addresses = verbs::local_addresses();
    e.d.active = true;
  }
  for (std::vector<entry>* const entries : {&hardware, &software}) {
    for (entry& e : *entries) {
      e.d.addresses = e.addresses.data();
      e.d.address_count = e.addresses.size();
      function(e.d, context);
    }
  }
  return {};
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
