// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_CM_RAW_PEER_HPP
#define ASIO_RDMA_TEST_CM_RAW_PEER_HPP

#include "transfer/handshake.hpp"

#include <asio_rdma/verbs/verbs.hpp>

#include <sys/socket.h>

#include <cstdint>
#include <vector>

namespace cm_test {

namespace verbs = asio_rdma::verbs;
namespace transfer = asio_rdma::transfer;

/// An IPv4 address of this host, not loopback, that a device owns; the test fails if there is none.
sockaddr_storage device_address(std::uint16_t port);
std::uint16_t port_of(const sockaddr_storage& a);

/// The other end of a connection, made by hand from verbs, so that it can say what a socket of ours never would.
class raw_peer {
public:
  raw_peer();

  /// Resolves, makes a queue pair and asks with that private data. The event that ends it: ESTABLISHED, REJECTED, ...
  verbs::cm_event connect(std::uint16_t port, const std::vector<unsigned char>& private_data);
  verbs::cm_event connect(const sockaddr_storage& to, const std::vector<unsigned char>& private_data);
  /// Its two halves.
  void prepare(const sockaddr_storage& to);
  verbs::cm_event ask(const std::vector<unsigned char>& private_data);
  /// The same without waiting for an answer.
  void request(const std::vector<unsigned char>& private_data);

  /// Listens; the port.
  std::uint16_t listen();
  /// Waits for a connect request and answers it.
  void accept(const std::vector<unsigned char>& private_data);
  void reject(const std::vector<unsigned char>& private_data);

  /// Destroys the queue pair without a word: its device answers no more.
  void fall_silent() { id_.destroy_queue_pair(); }

  /// A handshake of ours that is in order, for this peer's memory.
  transfer::handshake good_handshake() const;
  /// What the other end's handshake said. After connect() or accept().
  const transfer::handshake& other() const { return other_; }

  /// The text that the other end has written for control message number slot, counted from 0.
  const unsigned char* text(unsigned slot) const;

  /// Writes bytes to an address of the other end, with an immediate in host order. The status of its completion.
  ibv_wc_status write(std::uint64_t to, std::uint32_t key, const std::vector<unsigned char>& bytes,
                      std::uint32_t immediate);
  /// Tries to read memory of the other end, or to change it by an atomic. The status of its completion.
  ibv_wc_status one_sided(ibv_wr_opcode opcode, std::uint64_t to, std::uint32_t key, std::uint32_t length);
  /// An ordinary send, which no socket of ours sends.
  ibv_wc_status send(std::uint32_t immediate);

  /// The device that this end is on.
  verbs::context_ref device() const { return id_.context(); }

  /// Is gone without a word: what is sent to it gets no answer.
  void vanish() { id_.destroy_queue_pair(); }

  /// Waits for an event of that type; fails the test if another one comes.
  verbs::cm_event expect(rdma_cm_event_type type);
  verbs::cm_event next_event();

private:
  void make_queue_pair();
  ibv_wc_status post(ibv_send_wr& request);

  verbs::event_channel channel_;
  verbs::cm_id listener_;
  verbs::cm_id request_;
  verbs::protection_domain domain_;
  verbs::completion_queue completions_;
  std::vector<unsigned char> memory_;
  verbs::memory_region region_;
  verbs::cm_id id_;
  transfer::handshake other_;
};

/// Bytes of a handshake or reject, as private data.
template <class Array>
std::vector<unsigned char> bytes_of(const Array& a) {
  return std::vector<unsigned char>(a.begin(), a.end());
}

}  // namespace cm_test

#endif
