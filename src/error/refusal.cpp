// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/refusal.hpp"

#include "device/choice.hpp"
#include "error/foreign_address.hpp"
#include "error/interned.hpp"
#include "error/tables.hpp"
#include "error/text.hpp"
#include "verbs/local_addresses.hpp"
#include "verbs/rdma_core_library.hpp"

#include <cstdio>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct refusal {
  library_error meaning{};
  char origin[256] = {};  // where a name stands; empty: the program set it
  char device[64] = {};   // as long as the kernel's names of devices can be
  sockaddr_storage address{};

  bool has_address() const noexcept { return address.ss_family != 0; }
  const sockaddr& plain_address() const noexcept { return reinterpret_cast<const sockaddr&>(address); }

  bool operator==(const refusal& other) const noexcept {
    return meaning == other.meaning && std::strcmp(origin, other.origin) == 0 &&
           std::strcmp(device, other.device) == 0 && has_address() == other.has_address() &&
           (!has_address() || verbs::same_host(plain_address(), other.plain_address()));
  }
};

/// The numbers behind the last place stand for refusals without a name, one for each meaning.
using refusal_table = interned<refusal, 256>;

refusal_table& the_refusals() noexcept {
  static refusal_table& table = *new refusal_table;  // messages may be wanted while the process ends
  return table;
}

error refuse(const refusal& r) noexcept {
  const int number = the_refusals().intern(r);
  return error(number != 0 ? number : refusal_table::capacity + static_cast<int>(r.meaning),
               error_domain::device_policy);
}

refusal find(int number) noexcept {
  refusal r;
  if (!the_refusals().find(number, r) && number > refusal_table::capacity) {
    r.meaning = static_cast<library_error>(number - refusal_table::capacity);
  }
  return r;
}

void describe_unknown_device(const refusal& r, text& out) {
  out.add("%s%sthis machine has no device '%s'", r.origin, r.origin[0] != '\0' ? ": " : "", r.device);
  out.add("; possible are auto, hardware, ");
  for (const std::string& name : hardware_names()) out.add("%s, ", name.c_str());
  out.add("%s", software_name);
  if (const char* const why = verbs::load_rdma_core()) out.add(". No hardware can be used: %s", why);
}

void describe_other_device(const refusal& r, text& out) {
  const std::string interface = verbs::interface_of(r.plain_address());
  out.add("%s is no address of %s, the device that the policy names", verbs::to_string(r.address).c_str(), r.device);
  if (!interface.empty()) out.add(" (it is an address of interface %s)", interface.c_str());
  describe_usable_addresses(out, r.device);
  out.add(", or choose another device (%s, set_device_policy())", policy_variable);
}

void describe_other_host(const refusal& r, text& out) {
  out.add(
      "%s is no address of this host, and the software device %s reaches processes on this host only. Other hosts "
      "are reached by RDMA hardware: %s=hardware, or set_device_policy(\"hardware\")",
      verbs::to_string(r.address).c_str(), software_name, policy_variable);
}

}  // namespace

error refuse_unknown_device(const std::string& name, const std::string& origin) noexcept {
  refusal r;
  r.meaning = library_error::unknown_device;
  std::snprintf(r.origin, sizeof r.origin, "%s", origin.c_str());
  std::snprintf(r.device, sizeof r.device, "%s", name.c_str());
  return refuse(r);
}

error refuse_other_device(const sockaddr& address, const std::string& device) noexcept {
  refusal r;
  r.meaning = library_error::foreign_address;
  std::snprintf(r.device, sizeof r.device, "%s", device.c_str());
  r.address = verbs::to_storage(address);
  return refuse(r);
}

error refuse_other_host(const sockaddr& address) noexcept {
  refusal r;
  r.meaning = library_error::other_host;
  r.address = verbs::to_storage(address);
  return refuse(r);
}

library_error refusal_meaning(int value) noexcept {
  return find(value).meaning;
}

void describe_refusal(int value, text& out) {
  const refusal r = find(value);
  const bool is_named = r.device[0] != '\0' || r.has_address();
  if (is_named && r.meaning == library_error::unknown_device) return describe_unknown_device(r, out);
  if (is_named && r.meaning == library_error::foreign_address) return describe_other_device(r, out);
  if (is_named && r.meaning == library_error::other_host) return describe_other_host(r, out);
  const error_entry* const entry = find_library_error(static_cast<int>(r.meaning));
  out.add("%s", entry != nullptr ? entry->text : "the device policy refused");
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
