// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/known_regions.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

namespace {

struct extent {
  std::uint64_t address;
  std::uint64_t length;
};

struct table {
  std::mutex mutex;
  std::map<std::pair<std::uint32_t, const ibv_pd*>, extent> regions;  // by key first
};

table& the_table() {
  static table& t = *new table;  // memory may be let go of while the process ends
  return t;
}

}  // namespace

known_region::known_region(const ibv_pd* domain, std::uint32_t key, std::uint64_t address, std::uint64_t length)
    : domain_(domain), key_(key) {
  table& t = the_table();
  const std::lock_guard<std::mutex> lock(t.mutex);
  t.regions[{key, domain}] = {address, length};
}

known_region::known_region(known_region&& other) noexcept
    : domain_(std::exchange(other.domain_, nullptr)), key_(other.key_) {}

known_region& known_region::operator=(known_region&& other) noexcept {
  std::swap(domain_, other.domain_);
  std::swap(key_, other.key_);
  return *this;
}

known_region::~known_region() {
  if (domain_ == nullptr) return;
  table& t = the_table();
  const std::lock_guard<std::mutex> lock(t.mutex);
  t.regions.erase({key_, domain_});
}

key_meaning find_key(const ibv_pd* domain, std::uint32_t key) noexcept {
  table& t = the_table();
  const std::lock_guard<std::mutex> lock(t.mutex);
  key_meaning result;
  const auto found = t.regions.find({key, domain});
  if (found != t.regions.end()) {
    result.here = true;
    result.address = found->second.address;
    result.length = found->second.length;
    return result;
  }
  const auto other = t.regions.lower_bound({key, nullptr});
  result.elsewhere = other != t.regions.end() && other->first.first == key;
  return result;
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
