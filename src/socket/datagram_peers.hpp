// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_DATAGRAM_PEERS_HPP
#define ASIO_RDMA_SRC_SOCKET_DATAGRAM_PEERS_HPP

#include "io/background.hpp"
#include "io/datagram_queues.hpp"
#include "socket/peer_lookup.hpp"

#include <asio_rdma/verbs/address_handle.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// A datagram that came before its peer was found, and how it was to be sent then.
struct waiting_datagram {
  std::vector<std::byte> payload;
  bool not_to_own_host = false;
};

/// Where datagrams to one address go, as far as it is known.
struct datagram_peer {
  using clock = std::chrono::steady_clock;

  sockaddr_storage address{};            ///< as the user means it, with IPv4 unmapped
  io::datagram_queues* queues = nullptr; ///< by which it is reached; null until it is found
  ibv_ah_attr path{};
  verbs::address_handle handle;  ///< made when it is first needed
  std::uint32_t queue_pair = 0;
  std::uint32_t qkey = 0;
  std::uint32_t largest_payload = 0;
  clock::time_point confirmed{};  ///< when it was last known to be right
  std::shared_ptr<peer_lookup> lookup;  ///< under way; of a group, what keeps it joined
  io::background::timer deadline;       ///< of the lookup
  std::deque<waiting_datagram> waiting;

  bool is_found() const noexcept { return queues != nullptr; }
  bool is_looked_up() const noexcept { return lookup && !lookup->asked().is_group; }
};

/// The peers of a socket, of which it remembers a bounded number: the one not used for longest makes room. Guarded by
/// the socket's mutex.
class datagram_peers {
public:
  static constexpr std::size_t most = 4096;

  /// Null if it is not known. The address is unmapped.
  datagram_peer* find(const sockaddr_storage& address) noexcept;
  /// Marks it as used last.
  void touch(datagram_peer& p) noexcept;
  /// Makes one. retire is called with the one that had to go, if any. Null if all that there are are busy.
  datagram_peer* add(const sockaddr_storage& address, const std::function<void(datagram_peer&)>& retire);
  void erase(datagram_peer& p) noexcept;

  std::size_t size() const noexcept { return map_.size(); }
  auto begin() noexcept { return peers_.begin(); }
  auto end() noexcept { return peers_.end(); }
  void clear() noexcept {
    map_.clear();
    peers_.clear();
  }

private:
  using key = std::array<unsigned char, 22>;  // address, scope, port
  struct hash {
    std::size_t operator()(const key& k) const noexcept;
  };
  using list = std::list<datagram_peer>;  // the one used last comes first

  static key key_of(const sockaddr_storage& address) noexcept;

  list peers_;
  std::unordered_map<key, list::iterator, hash> map_;
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
