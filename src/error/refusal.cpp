// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/refusal.hpp"

#include "device/choice.hpp"
#include "error/foreign_address.hpp"
#include "error/tables.hpp"
#include "error/text.hpp"
#include "verbs/local_addresses.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

struct refusal {
  library_error meaning{};
  bool from_environment = false;
  char device[64] = {};  // as long as the kernel's names of devices can be
  sockaddr_storage address{};

  bool has_address() const noexcept { return address.ss_family != 0; }
  const sockaddr& plain_address() const noexcept { return reinterpret_cast<const sockaddr&>(address); }

  bool operator==(const refusal& other) const noexcept {
    return meaning == other.meaning && from_environment == other.from_environment &&
           std::strcmp(device, other.device) == 0 && has_address() == other.has_address() &&
           (!has_address() || verbs::same_host(plain_address(), other.plain_address()));
  }
};

/// Refusals by number, from 1 on; they are never forgotten, since error codes live as long as they like. The numbers
/// behind the last place stand for refusals without a name, one for each meaning.
class refusal_table {
public:
  int intern(const refusal& r) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < size_; ++i)
      if (at(i) == r) return i + 1;
    if (size_ == capacity) return capacity + static_cast<int>(r.meaning);
    at(size_) = r;
    return ++size_;
  }

  refusal find(int number) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (number >= 1 && number <= size_) return at(number - 1);
    refusal nameless;
    if (number > capacity) nameless.meaning = static_cast<library_error>(number - capacity);
    return nameless;
  }

  static refusal_table& instance() noexcept {
    static refusal_table& table = *new refusal_table;  // messages may be wanted while the process ends
    return table;
  }

private:
  static constexpr int capacity = 256;

  refusal& at(int index) noexcept { return refusals_[static_cast<std::size_t>(index)]; }

  std::mutex mutex_;
  std::array<refusal, capacity> refusals_;
  int size_ = 0;
};

error refuse(const refusal& r) noexcept {
  return error(refusal_table::instance().intern(r), error_domain::device_policy);
}

void describe_unknown_device(const refusal& r, text& out) {
  if (r.from_environment) {
    out.add("the environment variable %s is '%s', and this machine has no device of that name", policy_variable,
            r.device);
  } else {
    out.add("this machine has no device '%s'", r.device);
  }
  out.add("; possible are auto, hardware, ");
  for (const std::string& name : hardware_names()) out.add("%s, ", name.c_str());
  out.add("%s", software_name);
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

error refuse_unknown_device(const std::string& name, bool from_environment) noexcept {
  refusal r;
  r.meaning = library_error::unknown_device;
  r.from_environment = from_environment;
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
  return refusal_table::instance().find(value).meaning;
}

void describe_refusal(int value, text& out) {
  const refusal r = refusal_table::instance().find(value);
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
