// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_NAME_TABLE_HPP
#define ASIO_RDMA_NAME_TABLE_HPP

#include <asio_rdma/ud.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/error_code.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

/// An entry of the name service.
struct name_entry {
  std::string name;              ///< what it is found by
  ud::endpoint endpoint;         ///< what it stands for
  std::chrono::seconds left{0};  ///< of its lease, rounded up
};

/// What the name service knows: endpoints under names, each for the time of its lease. A plain container, which is told
/// what time it is; not thread-safe.
class name_table {
public:
  /// What the time is told in.
  using time_point = std::chrono::steady_clock::time_point;

  /// How much it takes.
  struct limits {
    std::size_t names = 65536;    ///< at once
    std::size_t endpoints = 256;  ///< of one name
    std::size_t clients = 1024;   ///< connected at once; more are turned away
  };
  /// Characters.
  static constexpr std::size_t longest_name = 128;
  /// A day.
  static constexpr std::chrono::seconds longest_lease{86400};

  /// An empty one.
  explicit name_table(const limits& l) : limits_(l) {}
  /// The limits that it was made with.
  const limits& bounds() const noexcept { return limits_; }

  /// Whether this can be a name: 1 to longest_name characters.
  static bool is_name(std::string_view text) noexcept {
    return !text.empty() && text.size() <= longest_name && std::all_of(text.begin(), text.end(), is_character);
  }
  /// Whether a name may have this character: letters of ASCII, digits, and . _ : / -
  static bool is_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == ':' || c == '/' || c == '-';
  }

  /// Enters or renews. invalid_argument for what is no name, endpoint or lease; no_buffer_space if the table is full.
  boost::system::error_code enter(const std::string& name, const ud::endpoint& endpoint, std::chrono::seconds lease,
                                  time_point now) {
    const bool is_valid = is_name(name) && endpoint.port() != 0 && !endpoint.address().is_unspecified() &&
                          lease > std::chrono::seconds(0) && lease <= longest_lease;
    if (!is_valid) return boost::asio::error::invalid_argument;
    forget_expired(now);
    auto found = names_.find(name);
    if (found == names_.end()) {
      if (names_.size() >= limits_.names) return boost::asio::error::no_buffer_space;
      found = names_.emplace(name, endpoints()).first;
    }
    endpoints& all = found->second;
    if (all.count(endpoint) == 0 && all.size() >= limits_.endpoints) return boost::asio::error::no_buffer_space;
    const time_point end = now + lease;
    const auto position = all.find(endpoint);
    if (position != all.end()) {
      ends_.erase({position->second, {name, endpoint}});
      position->second = end;
    } else {
      all.emplace(endpoint, end);
    }
    ends_.insert({end, {name, endpoint}});
    return {};
  }

  /// Nothing happens if it is not there.
  void remove(const std::string& name, const ud::endpoint& endpoint) {
    const auto found = names_.find(name);
    if (found == names_.end()) return;
    const auto position = found->second.find(endpoint);
    if (position == found->second.end()) return;
    ends_.erase({position->second, {name, endpoint}});
    found->second.erase(position);
    if (found->second.empty()) names_.erase(found);
  }

  /// The entries of a name; none if there is none.
  std::vector<name_entry> look_up(const std::string& name, time_point now) {
    forget_expired(now);
    std::vector<name_entry> result;
    const auto found = names_.find(name);
    if (found != names_.end()) add(result, *found, now);
    return result;
  }

  /// Those whose names begin so, at most that many, in the order of their names.
  std::vector<name_entry> list(const std::string& prefix, std::size_t most, time_point now) {
    forget_expired(now);
    std::vector<name_entry> result;
    for (auto i = names_.lower_bound(prefix); i != names_.end() && result.size() < most; ++i) {
      if (i->first.compare(0, prefix.size(), prefix) != 0) break;
      add(result, *i, now);
    }
    if (result.size() > most) result.resize(most);
    return result;
  }

  /// Endpoints, those included whose lease has ended since the last call that was told the time.
  std::size_t size() const noexcept { return ends_.size(); }

private:
  using endpoints = std::map<ud::endpoint, time_point>;
  using key = std::pair<time_point, std::pair<std::string, ud::endpoint>>;

  static void add(std::vector<name_entry>& result, const std::pair<const std::string, endpoints>& named,
                  time_point now) {
    for (const auto& e : named.second) {
      result.push_back({named.first, e.first, std::chrono::ceil<std::chrono::seconds>(e.second - now)});
    }
  }

  void forget_expired(time_point now) {
    while (!ends_.empty() && ends_.begin()->first <= now) {
      const auto gone = ends_.begin()->second;
      remove(gone.first, gone.second);
    }
  }

  limits limits_;
  std::map<std::string, endpoints> names_;
  std::set<key> ends_;  // the lease that ends first comes first
};

}  // namespace v1
}  // namespace asio_rdma

#endif
