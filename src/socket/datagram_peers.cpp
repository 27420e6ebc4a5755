// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/datagram_peers.hpp"

#include "socket/address.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace asio_rdma {
inline namespace v1 {
namespace core {

datagram_peers::key datagram_peers::key_of(const sockaddr_storage& address) noexcept {
  key result{};
  const sockaddr_storage whole = mapped(address);
  const auto& a = reinterpret_cast<const sockaddr_in6&>(whole);
  std::memcpy(result.data(), &a.sin6_addr, 16);
  std::memcpy(result.data() + 16, &a.sin6_scope_id, 4);
  std::memcpy(result.data() + 20, &a.sin6_port, 2);
  return result;
}

std::size_t datagram_peers::hash::operator()(const key& k) const noexcept {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(k.data()), k.size()});
}

datagram_peer* datagram_peers::find(const sockaddr_storage& address) noexcept {
  const auto found = map_.find(key_of(address));
  return found == map_.end() ? nullptr : &*found->second;
}

void datagram_peers::touch(datagram_peer& p) noexcept {
  if (&p == &peers_.front()) return;
  peers_.splice(peers_.begin(), peers_, map_.find(key_of(p.address))->second);
}

datagram_peer* datagram_peers::add(const sockaddr_storage& address, const std::function<void(datagram_peer&)>& retire) {
  if (peers_.size() == most) {
    const auto idle = std::find_if(peers_.rbegin(), peers_.rend(), [](const datagram_peer& p) {
      return p.is_found() && !p.is_looked_up() && p.waiting.empty();
    });
    if (idle == peers_.rend()) return nullptr;
    retire(*idle);
    erase(*idle);
  }
  peers_.emplace_front().address = address;
  map_.emplace(key_of(address), peers_.begin());
  return &peers_.front();
}

void datagram_peers::erase(datagram_peer& p) noexcept {
  const auto found = map_.find(key_of(p.address));
  const auto position = found->second;
  map_.erase(found);
  peers_.erase(position);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
