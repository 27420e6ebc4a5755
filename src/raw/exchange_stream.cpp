// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/exchange_stream.hpp"

#include "cm/answers.hpp"
#include "transfer/handshake_header.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;
using core::library_error;

namespace {

constexpr unsigned char ready_byte = 1;

}  // namespace

error exchange_stream::send_all(const void* data, std::size_t size) noexcept {
  const ssize_t n = ::send(fd_.get(), data, size, MSG_NOSIGNAL);
  if (n < 0) return error(errno);
  return static_cast<std::size_t>(n) == size ? error() : error(ENOBUFS);
}

error exchange_stream::send(const exchange_greeting& g) noexcept {
  const auto text = encode_exchange_greeting(g);
  return send_all(text.data(), text.size());
}

error exchange_stream::send_ready() noexcept {
  return send_all(&ready_byte, 1);
}

void exchange_stream::send_reject(transfer::reject_reason reason) noexcept {
  const auto text = transfer::encode_reject(transfer::mode::raw, reason);
  (void)send_all(text.data(), text.size());
  (void)::shutdown(fd_.get(), SHUT_WR);
}

error exchange_stream::fill(std::size_t wanted) noexcept {
  while (size_ < wanted) {
    const ssize_t n = ::recv(fd_.get(), bytes_.data() + size_, wanted - size_, 0);
    if (n == 0) return error(ECONNRESET);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return error(errno == EWOULDBLOCK ? EAGAIN : errno);
    size_ += static_cast<std::size_t>(n);
  }
  return {};
}

error exchange_stream::read(exchange_greeting& result, transfer::reject_reason& reason) noexcept {
  reason = transfer::reject_reason::bad_handshake;
  if (const error e = fill(transfer::header_size)) return e;
  const std::size_t length = bytes_[transfer::length_at];
  if (length == transfer::reject_size) {
    if (const error e = fill(length)) return e;
    const auto reject = transfer::decode_reject(bytes_.data(), size_);
    const char* detail = nullptr;
    return reject ? cm::reject_error(*reject, detail) : error(library_error::not_asio_rdma);
  }
  const std::size_t all = length + transfer::link_record_size;
  const auto peer = transfer::decode_handshake(bytes_.data(), size_);
  // A fault that the first bytes show need not wait for the rest, which may never come.
  if (!peer && peer.error != transfer::handshake_error::truncated) {
    reason = transfer::reason_for(peer.error);
    return cm::handshake_error(peer.error);
  }
  if (length < transfer::handshake_size) return library_error::protocol_error;
  if (size_ < all) {
    if (const error e = fill(all)) return e;
    return read(result, reason);
  }
  if (peer.value.mode != transfer::mode::raw) {
    reason = transfer::reject_reason::mode_mismatch;
    return library_error::mode_mismatch;
  }
  const auto link = transfer::decode_link_record(bytes_.data() + length, size_ - length);
  if (!link) return library_error::protocol_error;
  result.greeting = transfer::to_raw_greeting(peer.value);
  result.link = *link;
  size_ = 0;
  return {};
}

error exchange_stream::read_ready() noexcept {
  if (const error e = fill(1)) return e;
  size_ = 0;
  return bytes_[0] == ready_byte ? error() : error(library_error::protocol_error);
}

error exchange_stream::read_end() noexcept {
  const error e = fill(1);
  return e ? e : error(library_error::protocol_error);
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
