// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_REGISTERED_ATTEMPT_HPP
#define ASIO_RDMA_DETAIL_REGISTERED_ATTEMPT_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/attempts.hpp>
#include <asio_rdma/detail/buffers.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Once the handler of a write has run, the peer's read waits no longer for more.
struct end_of_writes {
  template <class IoExecutor>
  void post(const IoExecutor& io_ex) {
    if (left_open) boost::asio::post(io_ex, [s = std::move(left_open), h = hold]() mutable { s.end_writes(h); });
  }
  core::socket left_open;  // empty if none is
  std::uint64_t hold;
};

/// Sends registered memory, or one message that lies in it: all of it, in as many steps as there is room for, if the
/// core gives it to the device as it is. Done once the device has let go of it. What the core copies is done as any
/// other write.
template <bool KeepsMessages>
class send_registered_attempt : public plain_attempt {
public:
  /// may_follow: when its handler runs, there may be more to send.
  send_registered_attempt(boost::asio::const_buffer memory, bool acknowledged, bool may_follow)
      : memory_(memory), acknowledged_(acknowledged), may_follow_(may_follow) {}

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
  end_of_writes what_follows() noexcept { return {std::move(left_open_), hold_}; }
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
      bool more = may_follow_;
      const core::error e = s.write_registered(rest.data(), rest.size(), !has_begun_, more, taken, hold_);
      if (e) return e;
      left_open_ = more ? s : core::socket();
      has_begun_ = true;
      bytes_ += taken;
    } while (bytes_ < memory_.size() && (KeepsMessages || hold_ != 0));
    if (hold_ == 0) position_ = s.write_position();
    return {};
  }

  boost::asio::const_buffer memory_;
  bool acknowledged_;
  bool may_follow_;
  core::socket left_open_;  // where the peer's read waits for more
  bool has_begun_ = false;
  bool is_over_ = false;  // nothing more is handed over
  core::error outcome_;
  std::size_t bytes_ = 0;
  std::uint64_t hold_ = 0;
  std::uint64_t position_ = 0;
};

/// Receives into registered memory, or a part of one message: while there is nothing, the memory is offered to the
/// peer, so that what comes is written there.
class receive_registered_attempt : public plain_attempt {
public:
  using message_flags = boost::asio::socket_base::message_flags;

  /// out_flags: where to say that a message has ended; null on a socket that keeps none. is_waiting: the caller waits,
  /// whatever happens; otherwise nothing is offered before the operation is in its queue.
  receive_registered_attempt(boost::asio::mutable_buffer memory, message_flags* out_flags, bool is_waiting)
      : memory_(memory), out_flags_(out_flags), is_waiting_(is_waiting) {}

  core::error operator()(core::socket& s) noexcept {
    if (ticket_ != 0) {
      const core::error e = s.read_offered(ticket_, bytes_, at_end_);
      if (must_wait(e)) return e;
      ticket_ = 0;
      if (!e) return e;
    }
    if (is_stopped_) return core::error(ECANCELED);
    const iovec_array v(memory_);
    const core::error e = out_flags_ ? s.read_message(v.data(), v.count(), false, bytes_, at_end_)
                                     : s.read(v.data(), v.count(), false, bytes_);
    if (must_wait(e) && std::exchange(is_waiting_, true)) (void)look_ahead(s);
    return e;
  }
  bool look_ahead(core::socket& s) noexcept {
    if (ticket_ == 0 && !is_stopped_) (void)s.offer_memory(memory_.data(), memory_.size(), ticket_);
    return ticket_ != 0;
  }
  bool stop(core::socket& s) noexcept {
    is_stopped_ = true;
    if (ticket_ != 0) s.withdraw_memory(ticket_);
    return ticket_ != 0;
  }
  void finish(boost::system::error_code& ec) noexcept {
    if (!out_flags_) return;
    *out_flags_ = !ec && at_end_ ? boost::asio::socket_base::message_end_of_record : message_flags(0);
  }
  std::tuple<std::size_t> results(const boost::system::error_code& ec) noexcept {
    return std::tuple<std::size_t>(ec ? 0 : bytes_);
  }

private:
  boost::asio::mutable_buffer memory_;
  message_flags* out_flags_;
  bool is_waiting_;
  bool is_stopped_ = false;
  bool at_end_ = false;
  std::size_t bytes_ = 0;
  std::uint64_t ticket_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
