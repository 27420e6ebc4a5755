// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device/choice.hpp"
#include "error/refusal.hpp"
#include "verbs/sysfs.hpp"

#include <asio_rdma/detail/core/device.hpp>
#include <asio_rdma/verbs/api.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// A driver shows its counters as files with a number in each, beside files that are none.
void visit_folder(const std::string& folder, std::uint32_t port, void (*function)(const device_counter&, void*),
                  void* context) {
  for (const std::string& name : verbs::list_folder(folder)) {
    if (name == "lifespan") continue;  // how long values are kept before the device is asked anew, in ms
    const std::string text = verbs::first_line(folder + "/" + name);
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    if (end != text.c_str() && *end == '\0') function({name.c_str(), port, value}, context);
  }
}

void visit_software(void (*function)(const device_counter&, void*), void* context) {
  const verbs::software_counters c = verbs::count_software_device();
  function({"datagrams_sent", 1, c.datagrams_sent}, context);
  function({"datagrams_delivered", 1, c.datagrams_delivered}, context);
  function({"datagrams_without_receive", 1, c.datagrams_without_receive}, context);
  function({"datagrams_refused", 1, c.datagrams_refused}, context);
}

}  // namespace

error visit_device_counters(const char* device, void (*function)(const device_counter& c, void* context),
                            void* context) {
  const std::string name = device;
  if (name == software_name) {
    visit_software(function, context);
    return {};
  }
  const std::vector<std::string> hardware = hardware_names();
  if (std::find(hardware.begin(), hardware.end(), name) == hardware.end()) return refuse_unknown_device(name, {});
  const std::string ports = verbs::sysfs_path() + "/class/infiniband/" + name + "/ports";
  for (const std::string& port : verbs::list_folder(ports)) {
    const auto number = static_cast<std::uint32_t>(std::strtoul(port.c_str(), nullptr, 10));
    for (const char* const folder : {"hw_counters", "counters"}) {
      visit_folder(ports + "/" + port + "/" + folder, number, function, context);
    }
  }
  return {};
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
