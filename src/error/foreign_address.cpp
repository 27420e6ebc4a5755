// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/foreign_address.hpp"

#include "error/interned.hpp"
#include "error/text.hpp"
#include "verbs/local_addresses.hpp"

#include <algorithm>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct same_host {
  bool operator()(const sockaddr_storage& a, const sockaddr_storage& b) const noexcept {
    return verbs::same_host(reinterpret_cast<const sockaddr&>(a), reinterpret_cast<const sockaddr&>(b));
  }
};

using address_table = interned<sockaddr_storage, 1024, same_host>;

address_table& the_addresses() noexcept {
  static address_table& table = *new address_table;  // messages may be wanted while the process ends
  return table;
}

}  // namespace

void describe_usable_addresses(text& out, const std::string& device) {
  constexpr std::size_t most = 8;
  auto usable = verbs::rdma_addresses();
  if (!device.empty()) {
    const auto others = [&](const verbs::rdma_address& a) { return a.device != device; };
    usable.erase(std::remove_if(usable.begin(), usable.end(), others), usable.end());
    if (usable.empty()) return out.add("; the interfaces of %s have no address", device.c_str());
  }
  if (usable.empty()) {
    out.add(
        "; no address of this host does. A software device can be put on an interface: "
        "modprobe rdma_rxe && rdma link add rxe0 type rxe netdev INTERFACE");
    return;
  }
  out.add("; use %s", usable.size() == 1 ? "" : "one of ");
  for (std::size_t i = 0; i < usable.size() && i < most; ++i) {
    out.add("%s%s (interface %s, device %s%s)", i == 0 ? "" : ", ", verbs::to_string(usable[i].address).c_str(),
            usable[i].interface.c_str(), usable[i].device.c_str(), usable[i].active ? "" : ", port down");
  }
  if (usable.size() > most) out.add(" and %zu more", usable.size() - most);
}

error intern_foreign_address(const sockaddr& address) noexcept {
  const int number = the_addresses().intern(verbs::to_storage(address));
  return error(number != 0 ? number : address_table::capacity + 1, error_domain::foreign_address);
}

void describe_foreign_address(int value, text& out) {
  sockaddr_storage address{};
  if (the_addresses().find(value, address)) {
    const auto& plain = reinterpret_cast<const sockaddr&>(address);
    const std::string interface = verbs::interface_of(plain);
    out.add("%s belongs to no RDMA device", verbs::to_string(address).c_str());
    if (!interface.empty()) out.add(" (it is an address of interface %s)", interface.c_str());
  } else {
    out.add("the address belongs to no RDMA device");
  }
  describe_usable_addresses(out);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
