// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/connection.hpp"

#include "io/program_memory.hpp"
#include "log/log.hpp"
#include "socket/address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <numeric>
#include <thread>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

/// A queue pair that died without a word of the peer's connection manager waits so long for one: it tells a dead
/// process, which says goodbye through its kernel, from a dead host.
constexpr std::chrono::milliseconds silence{100};

/// How long memory is waited for in order, and then for the device to flush its requests, which takes it a millisecond.
constexpr std::chrono::milliseconds reclaim_timeout{200};
constexpr std::chrono::milliseconds flush_timeout{1000};

/// A peer that is asked to write no more into memory, and does not answer, is idle or worse: then it is taken away.
/// What it may have posted before ends the connection then, so that its device gets the time to send lost packets
/// again, for which the acknowledgement timeout stands, 268 ms by default; not if the connection is over anyway.
constexpr std::chrono::milliseconds withdraw_timeout{1000};

/// How long large data waits for the peer to offer memory, when it seemed about to.
constexpr std::chrono::milliseconds offer_timeout{5};

/// A reader of the peer's that may get more waits so long for it, if the writer's handler does not come to its end.
constexpr std::chrono::milliseconds more_timeout{5};

/// A device that refuses to flush what is posted is asked again.
constexpr std::chrono::milliseconds try_again{100};

std::size_t total_of(const iovec* buffers, std::size_t count) noexcept {
  return std::accumulate(buffers, buffers + count, std::size_t{0},
                         [](std::size_t sum, const iovec& b) { return sum + b.iov_len; });
}

bool is_empty(const iovec* buffers, std::size_t count) noexcept {
  return std::all_of(buffers, buffers + count, [](const iovec& b) { return b.iov_len == 0; });
}

}  // namespace

error connection::not_yet() noexcept {
  threads_.tried_in_vain();
  return error(EAGAIN);
}

bool connection::progress() noexcept {
  const bool any = engine_.progress();
  // Otherwise two ends that have both been closed with more to send than the other has room for would wait for each
  // other.
  if (user_closed_) engine_.discard_input();
  if (any) {
    threads_.wake_all();
    spinner_.came();
    if (settings_[option::keepalive] != 0) heard_at_ = io::background::clock::now();
    if (engine_.is_holding() && !holding_is_timed_) {
      holding_is_timed_ = true;
      after(offer_timeout, &connection::stop_holding);
    }
  }
  judge();
  return any;
}

void connection::judge() noexcept {
  if (has_ended() || phase_ != phase::established) return;
  if (const char* why = engine_.violation()) {
    end(library_error::protocol_error, why);
  } else if (const auto reason = engine_.aborted()) {
    const bool ours = *reason == transfer::abort_reason::protocol_error;
    end(ours ? error(library_error::protocol_error) : error(ECONNRESET));
  } else if (peer_disconnected_) {
    // Whatever the peer sent before it went has been taken by now. After its fin this is an orderly end.
    if (!engine_.peer_ended()) end(error(ECONNRESET));
  } else if (engine_.call_error()) {
    end(engine_.call_error(), "the device refused a request, or to tell of those that are done");
  } else if (engine_.dead()) {
    judge_dead_queue();
  }
}

void connection::judge_dead_queue() noexcept {
  switch (engine_.failed_status()) {
    case IBV_WC_SUCCESS:  // flushed, by nobody here
    case IBV_WC_RETRY_EXC_ERR:
      if (silence_decided_ || silence_pending_) return;
      silence_pending_ = true;
      after(silence, &connection::decide_silence);
      return;
    case IBV_WC_REM_INV_REQ_ERR:
    case IBV_WC_REM_ACCESS_ERR:
    case IBV_WC_REM_OP_ERR:
    case IBV_WC_REM_ABORT_ERR:
      return end(error(ECONNRESET));  // the peer has taken its ring away
    default:
      // rxe of Linux 6.1 calls it an error of the queue pair if it cannot send, since the link is down.
      return end(port_is_down() ? error(ENETDOWN) : error(engine_.failed_status(), error_domain::completion));
  }
}

bool connection::port_is_down() const noexcept {
  return !engine_.queues().port_active(id_.port());
}

void connection::decide_silence() noexcept {
  silence_pending_ = false;
  silence_decided_ = true;
  if (!has_ended() && phase_ == phase::established) {
    const bool unanswered = engine_.failed_status() == IBV_WC_RETRY_EXC_ERR;
    end(error(port_is_down() ? ENETDOWN : unanswered ? ETIMEDOUT : ECONNRESET));
  }
  wake_everybody();
  update_background();
}

void connection::end(const error& e, const char* detail) noexcept {
  ended_ = e;
  failure_.set_completion(engine_.failed_status(), engine_.vendor_error());
  failure_.set(e, failure_step::transfer, detail);
  stop();
  verbs::error_code ignored;
  if (!peer_disconnected_) id_.disconnect(ignored);
}

void connection::stop() noexcept {
  // The owner, who waits for completions, learns of the end by the flushed receives.
  if (phase_ == phase::established && engine_.stop()) after(try_again, &connection::stop);
}

error connection::read(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes, bool& at_end) noexcept {
  const lock_type lock(mutex_);
  bytes = 0;
  at_end = false;
  const error e = read_some(buffers, count, peek, bytes, at_end);
  if (!e) update_background();
  return e;
}

error connection::read_some(const iovec* buffers, std::size_t count, bool peek, std::size_t& bytes,
                            bool& at_end) noexcept {
  if (user_closed_) return error(EBADF);
  if (phase_ != phase::established) return error(ENOTCONN);
  if (!keeps_messages() && is_empty(buffers, count)) return {};
  if (!engine_.has_input()) progress();
  if (engine_.has_input()) {
    bytes = engine_.read(buffers, count, peek, at_end);
    ++engine_.counters().reads;
    return {};
  }
  if (engine_.eof() || receiving_ended_) return library_error::eof;
  if (has_ended()) return ended_;
  ++engine_.counters().reads_blocked;
  return not_yet();
}

error connection::read_messages(socket::message* messages, std::size_t count, std::size_t& done) noexcept {
  const lock_type lock(mutex_);
  error e;
  for (; done < count; ++done) {
    socket::message& m = messages[done];
    if (done > 0 && !engine_.has_input()) break;
    e = read_some(m.buffers, m.buffer_count, false, m.bytes, m.at_end);
    if (e) break;
  }
  if (done > 0) update_background();
  return done > 0 ? error() : e;
}

error connection::may_write(bool begins) const noexcept {
  if (user_closed_) return error(EBADF);
  if (phase_ != phase::established) return error(ENOTCONN);
  if (engine_.sending_ended()) return error(EPIPE);
  // Messages do not mix.
  return begins && engine_.is_within_message() && !has_ended() ? error(EINPROGRESS) : error();
}

/// Looks what has come, and whether anything can be taken over.
error connection::look_for_room() noexcept {
  progress();
  if (has_ended()) return ended_;
  if (peer_disconnected_) return error(EPIPE);
  if (engine_.dead() || !engine_.make_room()) {
    ++engine_.counters().writes_blocked;
    return not_yet();
  }
  return {};
}

error connection::write(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole,
                        std::size_t& bytes) noexcept {
  const lock_type lock(mutex_);
  bytes = 0;
  return write_some(buffers, count, begins, ends, whole, bytes);
}

error connection::write_some(const iovec* buffers, std::size_t count, bool begins, bool ends, bool whole,
                             std::size_t& bytes) noexcept {
  if (const error e = may_write(begins)) return e;
  if (!keeps_messages() && is_empty(buffers, count)) return {};
  if (const error e = look_for_room()) return e;
  if (whole) {
    if (const error e = write_whole(buffers, count, false)) return e;
    bytes = total_of(buffers, count);
  } else {
    room_wanted_ = 0;
    bytes = engine_.write(buffers, count, ends, false);
    ++engine_.counters().writes;
  }
  spinner_.sent();
  update_background();
  return {};
}

error connection::write_registered(const void* data, std::size_t size, bool begins, bool& more, std::size_t& bytes,
                                   std::uint64_t& hold) noexcept {
  const lock_type lock(mutex_);
  bytes = 0;
  std::uint32_t key = 0;
  if (can_send_directly(data, size, hold, key)) return write_direct(data, size, begins, key, more, bytes, hold);
  more = false;
  const iovec buffer{const_cast<void*>(data), size};
  return write_some(&buffer, 1, begins, true, false, bytes);
}

bool connection::can_send_directly(const void* data, std::size_t size, std::uint64_t hold,
                                   std::uint32_t& key) const noexcept {
  if (hold == 0 && size < static_cast<std::size_t>(settings_[option::zero_copy_threshold])) return false;
  const auto& device = engine_.queues().device();
  io::program_memory::known known;
  if (!device || io::program_memory::find(device, data, size, known)) return false;
  key = known.local_key;
  return true;
}

error connection::write_direct(const void* data, std::size_t size, bool begins, std::uint32_t key, bool& more,
                               std::size_t& bytes, std::uint64_t& hold) noexcept {
  if (const error e = may_write(begins)) return e;
  progress();
  if (has_ended()) return ended_;
  if (peer_disconnected_) return error(EPIPE);
  bytes = engine_.write_direct(static_cast<const std::byte*>(data), size, key, more, hold);
  if (more && !std::exchange(open_end_is_timed_, true)) after(more_timeout, &connection::end_open_writes);
  if (bytes == 0) {
    ++engine_.counters().writes_blocked;
    return not_yet();
  }
  ++engine_.counters().writes;
  spinner_.sent();
  update_background();
  return {};
}

error connection::released(std::uint64_t hold) noexcept {
  const lock_type lock(mutex_);
  progress();
  if (user_closed_) update_background();  // whose completions these may have been
  if (engine_.acknowledged_hold(hold)) return {};
  if (engine_.holds(hold)) return not_yet();
  // It will not be acknowledged any more. Why may not be decided yet.
  if (has_ended()) return ended_;
  if (peer_disconnected_) return error(EPIPE);
  if (silence_pending_) return not_yet();
  return error(ECONNABORTED);
}

error connection::offer_memory(void* data, std::size_t size, std::uint64_t& ticket) noexcept {
  const lock_type lock(mutex_);
  const bool is_open =
      phase_ == phase::established && !user_closed_ && !has_ended() && !peer_disconnected_ && !receiving_ended_;
  if (!is_open || size == 0 || size < static_cast<std::size_t>(settings_[option::zero_copy_threshold]))
    return error(EAGAIN);
  const bool is_offered = engine_.offer(static_cast<std::byte*>(data), size, ticket);
  update_background();
  return is_offered ? error() : error(EAGAIN);
}

error connection::read_offered(std::uint64_t ticket, std::size_t& bytes, bool& at_end) noexcept {
  const lock_type lock(mutex_);
  bytes = 0;
  at_end = false;
  progress();
  if (user_closed_) update_background();
  // The window may have been shut by what came just now.
  if (!engine_.read_offered(ticket, bytes, at_end) && !(progress() && engine_.read_offered(ticket, bytes, at_end))) {
    if (user_closed_ || receiving_ended_) ask_back(ticket);
    return not_yet();
  }
  if (bytes == 0 && !at_end) return error(ENODATA);
  ++engine_.counters().reads;
  update_background();
  return {};
}

void connection::withdraw_memory(std::uint64_t ticket) noexcept {
  const lock_type lock(mutex_);
  ask_back(ticket);
  update_background();
}

void connection::ask_back(std::uint64_t ticket) noexcept {
  if (!engine_.ask_back(ticket)) return;
  const auto timeout = user_closed_ ? reclaim_timeout : withdraw_timeout;
  withdraw_deadline_ = io::background::clock::now() + timeout;
  if (!std::exchange(withdrawal_is_timed_, true)) after(timeout, &connection::withdraw_timed_out);
}

void connection::withdraw_timed_out() noexcept {
  withdrawal_is_timed_ = false;
  if (phase_ != phase::established || has_ended() || !engine_.is_asked_back()) return;
  // It may have answered, and been asked again.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(withdraw_deadline_ - io::background::clock::now());
  if (left.count() > 0) {
    withdrawal_is_timed_ = true;
    after(left, &connection::withdraw_timed_out);
    return;
  }
  engine_.revoke();
  wake_everybody();
  update_background();
}

/// Whoever has data for the peer waits no longer for it to offer memory.
void connection::stop_holding() noexcept {
  holding_is_timed_ = false;
  if (!engine_.is_holding()) return;
  engine_.stop_holding();
  wake_everybody();
  update_background();
}

void connection::end_writes(std::uint64_t hold) noexcept {
  const lock_type lock(mutex_);
  if (!engine_.has_open_end() || !engine_.is_last_hold(hold)) return;
  engine_.end_writes();
  update_background();
}

/// In case that nobody has said so.
void connection::end_open_writes() noexcept {
  open_end_is_timed_ = false;
  engine_.end_writes();
  update_background();
}

/// For memory whose owner cannot be made to wait.
void connection::reclaim_memory() noexcept {
  using clock = std::chrono::steady_clock;
  lock_type lock(mutex_);
  const auto begin = clock::now();
  engine_.ask_back(0);
  for (progress(); engine_.holds_memory(); progress()) {
    const auto passed = clock::now() - begin;
    if (passed > reclaim_timeout + flush_timeout) {
      teardown();  // without a queue pair, nobody touches anything
    } else if (passed > reclaim_timeout) {
      engine_.revoke();
      if (!has_ended() && engine_.device_holds_memory())
        end(error(ECONNABORTED), "the memory of a write was needed back, and the peer did not acknowledge it");
    }
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
}

/// Nothing will come and nothing be taken any more, and the device has given everything back.
bool connection::is_over() const noexcept {
  return (has_ended() || peer_disconnected_) && !engine_.holds_memory();
}

/// One message, or none of it.
error connection::write_whole(const iovec* buffers, std::size_t count, bool more) noexcept {
  const std::size_t size = total_of(buffers, count);
  if (size > engine_.levels().send_buffer_size) return error(EMSGSIZE);
  if (size > engine_.writable() || !engine_.is_writable()) {
    room_wanted_ = size;
    ++engine_.counters().writes_blocked;
    return not_yet();
  }
  room_wanted_ = 0;
  engine_.write(buffers, count, true, more);
  ++engine_.counters().writes;
  return {};
}

error connection::write_messages(const socket::message* messages, std::size_t count, std::size_t& done) noexcept {
  const lock_type lock(mutex_);
  error e = may_write(true);
  if (e || count == 0) return e;
  e = look_for_room();
  for (; !e && done < count; ++done) {
    e = write_whole(messages[done].buffers, messages[done].buffer_count, true);
    if (e) break;
  }
  if (done == 0) return e;
  engine_.flush();
  spinner_.sent();
  update_background();
  return {};
}

void connection::abandon_message() noexcept {
  const lock_type lock(mutex_);
  engine_.forget_direct();
  if (!engine_.is_within_message() || user_closed_) return;
  if (phase_ == phase::established && !has_ended()) {
    end(error(ECONNABORTED), "a send was cancelled when part of its message was on its way");
  }
  threads_.wake_all();
  update_background();
}

std::uint64_t connection::write_position() noexcept {
  const lock_type lock(mutex_);
  return engine_.staged();
}

error connection::acknowledged(std::uint64_t position) noexcept {
  const lock_type lock(mutex_);
  if (user_closed_) return error(EBADF);
  if (phase_ != phase::established) return error(ENOTCONN);
  progress();
  if (engine_.acknowledged(position)) return {};
  if (has_ended()) return ended_;
  return peer_disconnected_ ? error(EPIPE) : not_yet();
}

error connection::ready(readiness kind) noexcept {
  const lock_type lock(mutex_);
  if (user_closed_) return error(EBADF);
  if (is_pending()) return not_yet();
  if (phase_ != phase::established) return {};
  progress();
  const bool over = has_ended() || peer_disconnected_;
  bool is_ready = over;
  if (kind == readiness::read) is_ready |= engine_.has_input() || engine_.eof() || receiving_ended_;
  if (kind == readiness::write) {
    is_ready |= (engine_.make_room() && engine_.writable() >= room_wanted_) || engine_.sending_ended();
  }
  return is_ready ? error() : not_yet();
}

std::size_t connection::available() noexcept {
  const lock_type lock(mutex_);
  if (phase_ == phase::established && !user_closed_) progress();
  return engine_.readable();
}

error connection::shutdown(direction d) noexcept {
  const lock_type lock(mutex_);
  if (user_closed_) return error(EBADF);
  if (phase_ != phase::established) return error(ENOTCONN);
  progress();
  if (has_ended()) return error(ENOTCONN);
  if (d != direction::receive && engine_.is_within_message()) return error(EINPROGRESS);
  if (d != direction::receive) engine_.end_sending();
  if (d != direction::send) receiving_ended_ = true;
  threads_.wake_all();
  update_background();
  return {};
}

bool connection::arm(bool& taken) noexcept {
  const error e = engine_.queues().arm(taken);
  // Nothing would wake whoever sleeps for what comes.
  if (e && phase_ == phase::established && !has_ended()) {
    end(e, "completions cannot be waited for");
    wake_everybody();
  }
  return progress() || static_cast<bool>(e);
}

bool connection::spin(lock_type& lock) noexcept {
  return spinner_.run(settings_[option::busy_poll], lock, [this] { return progress(); }, [this] {
    return phase_ != phase::established || user_closed_ || is_over() || silence_pending_;
  });
}

int connection::prepare_wait() noexcept {
  lock_type lock(mutex_);
  if (user_closed_) return -1;
  const bool can_spin = phase_ == phase::established && !silence_pending_;
  if (threads_.changed_since_attempts() || (can_spin && spin(lock))) {
    owner_waits_ = !user_closed_;
    return -1;
  }
  if (user_closed_) return -1;
  owner_waits_ = true;
  if (phase_ == phase::established && !silence_pending_) {
    bool taken = false;
    if (is_over() || arm(taken) || silence_pending_) return -1;
    watch_over_owner();
    // The owner has moved to the channel once it comes back after having been given it.
    if (channel_handed_out_) notifier_.reset();
    channel_handed_out_ = true;
    ++engine_.counters().descriptor_waits;
    return engine_.queues().fd();
  }
  if (!is_pending() && !silence_pending_) return -1;
  if (!notifier_.open()) {
    decide_silence();
    return -1;
  }
  notifier_.clear();
  return notifier_.fd();
}

void connection::end_wait() noexcept {
  const lock_type lock(mutex_);
  owner_waits_ = false;
  update_background();
}

void connection::wait() noexcept {
  lock_type lock(mutex_);
  if (user_closed_ && !engine_.holds_memory()) return;
  int fd = -1;
  if (phase_ == phase::established && !silence_pending_) {
    if (is_over() || spin(lock)) return;
    // The event may have been meant for the owner, whom the caller looks after once this returns.
    bool taken = false;
    if (arm(taken) || (taken && owner_waits_) || silence_pending_) return;
    fd = engine_.queues().fd();
  } else if (!is_pending() && !silence_pending_) {
    return;
  }
  ++threads_waiting_;
  if (threads_.sleep(lock, fd)) ++engine_.counters().thread_sleeps;
  --threads_waiting_;
  update_background();
}

void connection::wake_everybody() noexcept {
  threads_.wake_all();
  notifier_.signal();
}

bool connection::needs_background() const noexcept {
  if (phase_ != phase::established || owner_waits_ || threads_waiting_ > 0 || has_ended() || peer_disconnected_) {
    return false;
  }
  return user_closed_ || engine_.waits_for_peer();
}

void connection::update_background() noexcept {
  if (user_closed_) return step_linger();
  if (engine_.call_error()) judge();  // no completion tells of what was not posted
  watch_over_owner();
  bool taken = false;
  while (needs_background()) {
    if (!arm(taken)) return watch_in_background();
  }
}

void connection::watch_in_background() noexcept {
  io::background& thread = io::background::instance();
  if (watch_ == 0) watch_ = thread.add(engine_.queues().fd(), weak_from_this());
  thread.arm(watch_, engine_.queues().fd());
}

void connection::watch_over_owner() noexcept {
  const bool alive = phase_ == phase::established && !has_ended() && !peer_disconnected_;
  if (!alive || !owner_waits_ || !engine_.waits_for_peer()) {
    stand_in_delay_ = shortest_stand_in;
  } else if (!stand_in_scheduled_) {
    stand_in_scheduled_ = true;
    after(stand_in_delay_, &connection::stand_in_for_owner);
  }
}

void connection::stand_in_for_owner() noexcept {
  stand_in_scheduled_ = false;
  if (owner_waits_ && phase_ == phase::established && engine_.waits_for_peer()) {
    // The event stays in the channel: whenever the owner's context runs, it wakes.
    ++engine_.counters().background_turns;
    const bool any = progress();
    stand_in_delay_ = any ? shortest_stand_in : std::min(stand_in_delay_ * 2, longest_stand_in);
  }
  watch_over_owner();
}

void connection::on_readable() noexcept {
  const lock_type lock(mutex_);
  // The event is left for whoever waits for it.
  if (owner_waits_ || threads_waiting_ > 0 || phase_ != phase::established) return;
  ++engine_.counters().background_turns;
  progress();
  update_background();
}

io::background::timer connection::after(std::chrono::milliseconds delay, void (connection::*function)() noexcept) {
  return io::background::instance().after(delay, [weak = weak_from_this(), function] {
    if (const auto self = weak.lock()) {
      const lock_type lock(self->mutex_);
      (self.get()->*function)();
    }
  });
}

error connection::local_address(sockaddr_storage& result) noexcept {
  const lock_type lock(mutex_);
  result = local_;
  return {};
}

error connection::remote_address(sockaddr_storage& result) noexcept {
  const lock_type lock(mutex_);
  if (phase_ != phase::established || user_closed_) return error(ENOTCONN);
  result = remote_;
  return {};
}

error connection::set_option(option name, int value) noexcept {
  const lock_type lock(mutex_);
  const int before = settings_[option::keepalive];
  const error e = settings_.set(name, value);
  if (settings_[option::keepalive] != before) restart_keepalive();
  return e;
}

int connection::get_option(option name) noexcept {
  const lock_type lock(mutex_);
  int value = settings_[name];
  if (phase_ >= phase::established && phase_ != phase::failed) (void)engine_.granted(name, value);
  return value;
}

void connection::last_failure(failure& result) noexcept {
  const lock_type lock(mutex_);
  result = failure_.get();
}

std::size_t connection::device_name(char* buffer, std::size_t size) noexcept {
  const lock_type lock(mutex_);
  const int length = std::snprintf(buffer, size, "%s", failure_.get().device);
  return static_cast<std::size_t>(length);
}

void* connection::native_id() noexcept {
  const lock_type lock(mutex_);
  return id_.native_handle();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
