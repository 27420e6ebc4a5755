// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ATTEMPTS_HPP
#define ASIO_RDMA_DETAIL_ATTEMPTS_HPP

#include <asio_rdma/detail/buffers.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

// What an operation does when it is its turn; handler_operation.hpp says what an attempt is. Synchronous calls use them
// too.

/// What most attempts have in common: no effect before they succeed, nothing to finish, nothing that follows, no
/// results but the error_code.
struct plain_attempt {
  static constexpr bool is_connect = false;
  bool has_effects() const noexcept { return false; }
  bool is_handed_over() const noexcept { return false; }
  template <class Core>
  bool look_ahead(Core&) noexcept {
    return false;
  }
  template <class Core>
  bool stop(Core&) noexcept {
    return false;
  }
  struct nothing {
    template <class IoExecutor>
    void post(const IoExecutor&) noexcept {}
  };
  nothing what_follows() noexcept { return {}; }
  void finish(boost::system::error_code&) noexcept {}
  std::tuple<> results(const boost::system::error_code&) noexcept { return {}; }
};

template <class MutableBufferSequence>
class receive_attempt : public plain_attempt {
public:
  receive_attempt(const MutableBufferSequence& buffers, bool peek) : buffers_(buffers), peek_(peek) {}

  core::error operator()(core::socket& s) noexcept {
    const iovec_array v(buffers_);
    return s.read(v.data(), v.count(), peek_, bytes_);
  }
  std::tuple<std::size_t> results(const boost::system::error_code& ec) noexcept {
    return std::tuple<std::size_t>(ec ? 0 : bytes_);
  }

private:
  MutableBufferSequence buffers_;
  bool peek_;
  std::size_t bytes_ = 0;
};

/// Done when the core has taken bytes over or, if acknowledged is asked for, when the peer's device has them.
template <class ConstBufferSequence>
class send_attempt : public plain_attempt {
public:
  send_attempt(const ConstBufferSequence& buffers, bool acknowledged)
      : buffers_(buffers), acknowledged_(acknowledged) {}

  core::error operator()(core::socket& s) noexcept {
    if (bytes_ == 0) {
      const iovec_array v(buffers_);
      const core::error e = s.write(v.data(), v.count(), bytes_);
      if (e || !acknowledged_) return e;
      position_ = s.write_position();
    }
    return s.acknowledged(position_);
  }
  bool has_effects() const noexcept { return bytes_ > 0; }
  /// An operation that is aborted while it waits for the acknowledgement says what was taken over and will be sent.
  std::tuple<std::size_t> results(const boost::system::error_code&) noexcept { return std::tuple<std::size_t>(bytes_); }

private:
  ConstBufferSequence buffers_;
  bool acknowledged_;
  std::size_t bytes_ = 0;
  std::uint64_t position_ = 0;
};

class wait_attempt : public plain_attempt {
public:
  explicit wait_attempt(core::readiness kind) noexcept : kind_(kind) {}
  core::error operator()(core::socket& s) noexcept {
    // Whatever is to be read or said, bad news included, is the next operation's to report.
    const core::error e = s.ready(kind_);
    return e == core::error(EAGAIN) ? e : core::error();
  }

private:
  core::readiness kind_;
};

/// The outcome of a connect that the core has started.
class connect_attempt : public plain_attempt {
public:
  static constexpr bool is_connect = true;
  core::error operator()(core::socket& s) noexcept { return s.connect_result(); }
};

/// Never tried: an operation that failed before it began, or has nothing to do.
template <class... Results>
class no_attempt : public plain_attempt {
public:
  std::tuple<Results...> results(const boost::system::error_code&) noexcept { return std::tuple<Results...>(); }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
