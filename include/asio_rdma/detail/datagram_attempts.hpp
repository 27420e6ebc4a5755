// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_DATAGRAM_ATTEMPTS_HPP
#define ASIO_RDMA_DETAIL_DATAGRAM_ATTEMPTS_HPP

#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>

#include <cstddef>
#include <tuple>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Done when the core has taken the datagram over.
template <class ConstBufferSequence, class Endpoint>
class send_to_attempt : public plain_attempt {
public:
  /// A null destination means the peer.
  send_to_attempt(const ConstBufferSequence& buffers, const Endpoint* destination)
      : buffers_(buffers), has_destination_(destination != nullptr) {
    if (destination) destination_ = *destination;
  }

  core::error operator()(core::socket& s) noexcept {
    const iovec_array v(buffers_);
    const sockaddr* const to = has_destination_ ? destination_.data() : nullptr;
    return s.send_to(v.data(), v.count(), to, static_cast<socklen_t>(destination_.size()), bytes_);
  }
  std::tuple<std::size_t> results(const boost::system::error_code&) noexcept { return std::tuple<std::size_t>(bytes_); }

private:
  ConstBufferSequence buffers_;
  bool has_destination_;
  Endpoint destination_;
  std::size_t bytes_ = 0;
};

/// Writes the sender's endpoint, if that is wanted, when it has a datagram.
template <class MutableBufferSequence, class Endpoint>
class receive_from_attempt : public plain_attempt {
public:
  receive_from_attempt(const MutableBufferSequence& buffers, Endpoint* sender, bool peek)
      : buffers_(buffers), sender_(sender), peek_(peek) {}

  core::error operator()(core::socket& s) noexcept {
    const iovec_array v(buffers_);
    sockaddr_storage from = {};
    const core::error e = s.receive_from(v.data(), v.count(), peek_, from, bytes_);
    if (!e && sender_ && from.ss_family != 0) from_sockaddr(from, *sender_);
    return e;
  }
  std::tuple<std::size_t> results(const boost::system::error_code& ec) noexcept {
    return std::tuple<std::size_t>(ec ? 0 : bytes_);
  }

private:
  MutableBufferSequence buffers_;
  Endpoint* sender_;
  bool peek_;
  std::size_t bytes_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
