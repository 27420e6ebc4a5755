// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/device.hpp>

#include "device/choice.hpp"
#include "verbs/local_addresses.hpp"

#include <asio_rdma/verbs/device_list.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct entry {
  device d;
  std::vector<sockaddr_storage> addresses;
};

void add(const char* name, device_kind kind, std::vector<entry>& result) {
  entry& e = result.emplace_back();
  e.d.kind = kind;
  std::snprintf(e.d.name, sizeof e.d.name, "%s", name);
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
  std::vector<std::string> names;
  if (const error e = list_hardware(names)) return e;
  for (const std::string& name : names) add(name.c_str(), device_kind::hardware, hardware);
  verbs::error_code ec;  // one that cannot be used here says why when it is
  const auto list = verbs::device_list::get(ec, verbs::software_device());
  for (ibv_device* const d : list) add(list.name(d), device_kind::software, software);
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
