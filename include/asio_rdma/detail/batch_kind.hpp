// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_BATCH_KIND_HPP
#define ASIO_RDMA_DETAIL_BATCH_KIND_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>
#include <asio_rdma/rc_seq_packet.hpp>
#include <asio_rdma/ud.hpp>

#include <cstddef>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// How the elements of a batch go to the core and come from it, for the sockets of a protocol that has batches.
template <class Protocol>
struct batch_kind;

template <>
struct batch_kind<ud> {
  using entry = core::socket::datagram;

  template <class Outgoing>
  static const auto& buffers_of(const Outgoing& o) noexcept {
    return o.buffers;
  }
  template <class Outgoing>
  static void prepare(const Outgoing& o, entry& e) noexcept {
    e.address = sockaddr_storage();
    if (o.to.port() != 0) std::memcpy(&e.address, o.to.data(), o.to.size());
  }
  static core::error send(core::socket& s, entry* entries, std::size_t count, std::size_t& done) noexcept {
    return s.send_many(entries, count, done);
  }
  static core::error receive(core::socket& s, entry* entries, std::size_t count, std::size_t& done) noexcept {
    return s.receive_many(entries, count, done);
  }
  template <class Incoming>
  static void finish(const entry& e, Incoming& i) {
    i.bytes = e.bytes;
    from_sockaddr(e.address, i.from);
  }
};

template <>
struct batch_kind<rc_seq_packet> {
  using entry = core::socket::message;

  template <class ConstBufferSequence>
  static const ConstBufferSequence& buffers_of(const ConstBufferSequence& buffers) noexcept {
    return buffers;
  }
  template <class ConstBufferSequence>
  static void prepare(const ConstBufferSequence&, entry&) noexcept {}
  static core::error send(core::socket& s, const entry* entries, std::size_t count, std::size_t& done) noexcept {
    return s.write_messages(entries, count, done);
  }
  static core::error receive(core::socket& s, entry* entries, std::size_t count, std::size_t& done) noexcept {
    return s.read_messages(entries, count, done);
  }
  template <class Incoming>
  static void finish(const entry& e, Incoming& i) noexcept {
    i.bytes = e.bytes;
    i.at_end = e.at_end;
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
