// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_MESSAGE_ATTEMPTS_HPP
#define ASIO_RDMA_DETAIL_MESSAGE_ATTEMPTS_HPP

#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/buffers.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Hands one message over, in as many steps as there is room for.
template <class ConstBufferSequence>
class send_message_attempt : public plain_attempt {
public:
  /// whole: for who cannot come again with the rest.
  send_message_attempt(const ConstBufferSequence& buffers, bool acknowledged, bool whole)
      : buffers_(buffers), acknowledged_(acknowledged), whole_(whole) {}

  core::error operator()(core::socket& s) noexcept {
    while (!handed_over_) {
      const iovec_array v(buffers_, bytes_);
      if (whole_ && !v.is_all()) return core::error(EMSGSIZE);
      std::size_t taken = 0;
      if (const core::error e = s.write_message(v.data(), v.count(), !begun_, v.is_all(), whole_, taken)) return e;
      begun_ = true;
      bytes_ += taken;
      handed_over_ = v.is_all() && taken == v.total();
      if (handed_over_) position_ = s.write_position();
    }
    return acknowledged_ ? s.acknowledged(position_) : core::error();
  }
  bool has_effects() const noexcept { return begun_; }
  /// An operation that is aborted says what was taken over; unless that is all of the message, the connection has
  /// ended.
  std::tuple<std::size_t> results(const boost::system::error_code&) noexcept { return std::tuple<std::size_t>(bytes_); }

private:
  ConstBufferSequence buffers_;
  bool acknowledged_;
  bool whole_;
  bool begun_ = false;
  bool handed_over_ = false;
  std::size_t bytes_ = 0;
  std::uint64_t position_ = 0;
};

/// Reads bytes of one message; out_flags gets message_end_of_record with the last of them.
template <class MutableBufferSequence>
class receive_message_attempt : public plain_attempt {
  using socket_base = boost::asio::socket_base;

public:
  receive_message_attempt(const MutableBufferSequence& buffers, bool peek, socket_base::message_flags& out_flags)
      : buffers_(buffers), peek_(peek), out_flags_(out_flags) {}

  core::error operator()(core::socket& s) noexcept {
    const iovec_array v(buffers_);
    return s.read_message(v.data(), v.count(), peek_, bytes_, at_end_);
  }
  void finish(boost::system::error_code& ec) noexcept {
    out_flags_ = !ec && at_end_ ? socket_base::message_end_of_record : socket_base::message_flags(0);
  }
  std::tuple<std::size_t> results(const boost::system::error_code& ec) noexcept {
    return std::tuple<std::size_t>(ec ? 0 : bytes_);
  }

private:
  MutableBufferSequence buffers_;
  bool peek_;
  socket_base::message_flags& out_flags_;
  bool at_end_ = false;
  std::size_t bytes_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
