// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device/choice.hpp"

#include "error/refusal.hpp"
#include "io/verbs_error.hpp"
#include "log/log.hpp"
#include "options/defaults.hpp"

#include <asio_rdma/detail/core/device.hpp>
#include <asio_rdma/verbs/device_list.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class policy {
public:
  static policy& instance() {
    static policy& p = *new policy;  // sockets may be used while the process ends
    return p;
  }

  /// Null: as if the program had set none.
  error set(const char* text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string wanted = text ? text : "";
    if (text && wanted.empty()) return error(EINVAL);
    device_choice choice;
    // A name that does not exist is told at once. What auto and hardware find is the business of the first use.
    if (is_name(wanted)) {
      if (const error e = choose(wanted, {}, choice)) return e;
    }
    set_ = wanted;
    chosen_.reset();
    return {};
  }

  std::string get() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return in_force().value;
  }

  /// What it comes to, or what another one would that a socket has of its own.
  error choose(const std::string& own, device_choice& result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!own.empty()) return choose(own, {}, result);
    if (!chosen_) {
      device_choice choice;
      const given_default text = in_force();
      if (const error e = choose(text.value, text.origin, choice)) return e;
      chosen_ = choice;
    }
    result = *chosen_;
    return {};
  }

private:
  static bool is_name(const std::string& text) { return !text.empty() && text != "auto" && text != "hardware"; }

  given_default in_force() const {
    if (!set_.empty()) return {set_, {}};
    return find_default(*find_option(option::device)).value_or(given_default{"auto", {}});
  }

  error choose(const std::string& text, const std::string& origin, device_choice& result) {
    if (text == "auto") return choose_automatically(result.table);
    result.table = text == software_name ? &verbs::software_device() : &verbs::rdma_core();
    if (!is_name(text) || text == software_name) return {};
    std::vector<std::string> names;
    if (const error e = list_hardware(names)) return e;
    if (!contains(names, text)) return refuse_unknown_device(text, origin);
    result.name = text;
    return {};
  }

  /// Decided once and for all: a card that fails later must not turn a program away from hardware silently.
  error choose_automatically(const verbs::api*& table) {
    if (!automatic_) {
      std::vector<std::string> names;
      if (const error e = list_hardware(names)) return e;
      automatic_ = names.empty() ? &verbs::software_device() : &verbs::rdma_core();
      if (names.empty()) warn_of_software();
    }
    table = automatic_;
    return {};
  }

  static void warn_of_software() noexcept {
    char why[512];
    error_text(library_error::no_device, why, sizeof why);
    log(log_level::warning,
        "sockets use the software device %s, which reaches processes of this user on this host only (%s=%s asks for "
        "that without a warning, %s=hardware makes it an error): %s",
        software_name, policy_variable, software_name, policy_variable, why);
  }

  std::mutex mutex_;
  std::string set_;                        // by the program; empty: environment and file decide
  std::optional<device_choice> chosen_;    // what the policy came to, until it is set anew
  const verbs::api* automatic_ = nullptr;  // what auto means in this process, once that is known
};

}  // namespace

error choose_device(const std::string& own_policy, device_choice& result) {
  return policy::instance().choose(own_policy, result);
}

error list_hardware(std::vector<std::string>& names) {
  verbs::error_code ec;
  const auto list = verbs::device_list::get(ec, verbs::rdma_core());
  if (ec && ec != errc::no_device) return io::to_error(ec);
  for (ibv_device* const device : list) {
    // The preloaded library shows the software device among them.
    if (std::strcmp(list.name(device), software_name) != 0) names.emplace_back(list.name(device));
  }
  return {};
}

std::vector<std::string> hardware_names() {
  std::vector<std::string> names;
  (void)list_hardware(names);
  return names;
}

error set_device_policy(const char* policy_text) noexcept {
  try {
    return policy::instance().set(policy_text);
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

std::size_t device_policy(char* buffer, std::size_t size) noexcept {
  try {
    const std::string text = policy::instance().get();
    std::snprintf(buffer, size, "%s", text.c_str());
    return text.size();
  } catch (const std::bad_alloc&) {
    std::snprintf(buffer, size, "%s", "");
    return 0;
  }
}

}  // namespace core

namespace verbs {
namespace detail {

core::error find_policy_table(const api*& result) noexcept {
  try {
    core::device_choice choice;
    const core::error e = core::choose_device({}, choice);
    if (!e) result = choice.table;
    return e;
  } catch (const std::bad_alloc&) {
    return core::error(ENOMEM);
  }
}

}  // namespace detail
}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma
