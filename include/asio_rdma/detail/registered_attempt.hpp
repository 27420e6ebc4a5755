// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_REGISTERED_ATTEMPT_HPP
#define ASIO_RDMA_DETAIL_REGISTERED_ATTEMPT_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Sends registered memory, or one message that lies in it: all of it, in as many steps as there is room for, if the
/// core gives it to the device as it is. Done once the device has let go of it. What the core copies is done as any
/// other write.
template <bool KeepsMessages>
class send_registered_attempt : public plain_attempt {
public:
  send_registered_attempt(boost::asio::const_buffer memory, bool acknowledged)
      : memory_(memory), acknowledged_(acknowledged) {}

  core::error operator()(core::socket& s) noexcept {
    if (!is_over_) {
      const core::error e = hand_over(s);
      if (must_wait(e)) return e;
      is_over_ = true;
      outcome_ = e;
    }
    if (hold_ != 0) {
      const core::error e = s.released(hold_);
      return must_wait(e) || !outcome_ ? e : outcome_;
    }
    return acknowledged_ && !outcome_ ? s.acknowledged(position_) : outcome_;
  }
  bool has_effects() const noexcept { return has_begun_; }
  bool is_handed_over() const noexcept { return is_over_ && hold_ != 0; }
  bool stop(core::socket& s) noexcept {
    if (!is_over_) s.abandon_message();
    is_over_ = true;
    outcome_ = core::error(ECANCELED);
    return hold_ != 0 && must_wait(s.released(hold_));
  }
  /// Whatever comes of it: bytes that were handed over will be sent.
  std::tuple<std::size_t> results(const boost::system::error_code&) noexcept { return std::tuple<std::size_t>(bytes_); }

private:
  core::error hand_over(core::socket& s) noexcept {
    do {
      const boost::asio::const_buffer rest = memory_ + bytes_;
      std::size_t taken = 0;
      const core::error e = s.write_registered(rest.data(), rest.size(), !has_begun_, taken, hold_);
      if (e) return e;
      has_begun_ = true;
      bytes_ += taken;
    } while (bytes_ < memory_.size() && (KeepsMessages || hold_ != 0));
    if (hold_ == 0) position_ = s.write_position();
    return {};
  }

  boost::asio::const_buffer memory_;
  bool acknowledged_;
  bool has_begun_ = false;
  bool is_over_ = false;  // nothing more is handed over
  core::error outcome_;
  std::size_t bytes_ = 0;
  std::uint64_t hold_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
