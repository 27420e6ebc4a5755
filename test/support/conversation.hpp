// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_CONVERSATION_HPP
#define ASIO_RDMA_TEST_SUPPORT_CONVERSATION_HPP

// Two ends of a connection that both talk, and cancel, shut down, close and reset at any moment; and what has to be
// true of the bytes afterwards. What the ends tell of each direction are plain numbers that may lie in memory shared
// between processes, where they outlive an end that is killed.

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace test_support {

namespace asio = boost::asio;
using boost::system::error_code;

/// The byte at a position of a stream. A stream's number shows in every one, a position in most.
inline unsigned char byte_at(std::uint64_t position, std::uint64_t stream) {
  return static_cast<unsigned char>((position * 0x9e3779b97f4a7c15u >> 40) + stream);
}

/// Bits of two numbers, mixed.
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15u + b + 0x632be59bd9b4e019u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// From 1 to most, below a power of two that is as likely as any other.
inline std::size_t random_size(std::uint64_t bits, std::size_t most) {
  const std::size_t limit = std::size_t{1} << (bits >> 32) % 20;
  return 1 + static_cast<std::size_t>(bits & 0xffffffff) % std::min(limit, most);
}

constexpr std::size_t largest_message = 100'000;

/// How long the nth message of a stream is: not empty, so that one that was cancelled says whether it was sent.
inline std::size_t message_size(std::uint64_t stream, std::uint64_t n) {
  return random_size(mixed(stream, n), largest_message);
}

/// What one end knows of the bytes that it sends, and the other of those that it gets.
struct direction {
  std::atomic<std::uint64_t> begun{0};         ///< up to where bytes were given to a write
  std::atomic<std::uint64_t> written{0};       ///< taken over
  std::atomic<std::uint64_t> acknowledged{0};  ///< with the peer's device
  std::atomic<std::uint64_t> received{0};
  std::atomic<bool> ended_in_order{false};  ///< the reader saw eof
  std::atomic<bool> reader_left{false};     ///< before eof
  std::atomic<bool> was_reset{false};       ///< the reader saw an error
  std::atomic<bool> was_broken{false};      ///< the writer reset the connection, or left in the middle of a message

  void clear() {
    for (auto* n : {&begun, &written, &acknowledged, &received}) *n = 0;
    for (auto* b : {&ended_in_order, &reader_left, &was_reset, &was_broken}) *b = false;
  }
};

/// What all connections together have done.
struct tally {
  std::atomic<std::uint64_t> bytes{0}, messages{0};
  std::atomic<std::uint64_t> connections{0}, cancels{0}, shutdowns{0}, closes{0}, resets{0};
  std::atomic<std::uint64_t> exact{0}, prefixes{0};  ///< directions that ended so
  std::atomic<unsigned> failures{0};
  std::array<std::array<char, 200>, 5> texts{};  ///< of the first failures

  void failed(const std::string& what) {
    const unsigned n = failures++;
    if (n < texts.size()) what.copy(texts[n].data(), texts[n].size() - 1);
  }
  std::string first_failures() const {
    std::string result;
    for (const auto& text : texts) {
      if (text[0] != 0) result += std::string("; ") + text.data();
    }
    return result;
  }
  friend std::ostream& operator<<(std::ostream& out, const tally& t) {
    return out << t.connections << " connections, " << t.bytes / 1'000'000 << " MB, " << t.messages << " messages, "
               << t.cancels << " cancels, " << t.shutdowns << " shutdowns, " << t.closes << " closes, " << t.resets
               << " resets; directions exact " << t.exact << ", cut " << t.prefixes;
  }
};

/// Looks at a connection whose ends have both ended. reader_was_killed, writer_was_killed: of `in`.
inline void check_direction(const direction& in, const direction& back, bool reader_was_killed, bool writer_was_killed,
                            tally& t) {
  const auto numbers = [&] {
    return ": begun " + std::to_string(in.begun) + ", written " + std::to_string(in.written) + ", acknowledged " +
           std::to_string(in.acknowledged) + ", received " + std::to_string(in.received);
  };
  if (in.received > in.begun) t.failed("more arrived than was written" + numbers());
  const bool reader_is_gone = in.reader_left || reader_was_killed;
  if (!reader_is_gone && in.received < in.acknowledged) t.failed("acknowledged bytes are missing" + numbers());
  if (in.was_broken || back.was_broken || reader_is_gone || writer_was_killed) {
    ++t.prefixes;
    return;
  }
  if (in.was_reset) t.failed("a connection that nobody reset was" + numbers());
  if (!in.ended_in_order || in.received != in.written) t.failed("not all arrived" + numbers());
  ++t.exact;
}

/// How an end talks.
struct manners {
  std::size_t most_written = 3000;              ///< bytes of a write to a stream
  std::size_t most_read = 2000;                 ///< bytes
  std::chrono::milliseconds longest_pause{40};  ///< between two pieces of mischief
  std::chrono::steady_clock::time_point deadline{};  ///< then it ends in order
  asio::mutable_buffer registered{};       ///< what the device sends from, if any; holds most_written, and a message
  bool waits_for_acknowledgement = false;  ///< writes do: registered from the first byte, or by acknowledged_writes
};

/// One end of a connection. Its handlers run in its strand.
template <class Protocol>
class talker : public std::enable_shared_from_this<talker<Protocol>> {
  static constexpr bool keeps_messages = std::is_same_v<Protocol, asio_rdma::rc_seq_packet>;
  using std::enable_shared_from_this<talker>::shared_from_this;

public:
  using done_function = std::function<void()>;

  talker(asio::io_context& c, tally& t) : strand_(asio::make_strand(c)), socket(strand_), timer_(strand_), tally_(t) {}

private:
  asio::strand<asio::io_context::executor_type> strand_;

public:
  typename Protocol::socket socket;

  const auto& strand() const { return strand_; }

  /// Talks on the connected socket, and calls done when it has closed it.
  void start(const manners& m, std::uint64_t stream, std::uint64_t peers_stream, direction& sent, direction& received,
             done_function done) {
    asio::post(strand_, [=, this, self = shared_from_this(), d = std::move(done), s = &sent, r = &received]() mutable {
      manners_ = m;
      stream_ = stream;
      peers_stream_ = peers_stream;
      sent_ = s;
      received_ = r;
      done_ = std::move(d);
      random_.seed(stream * 7919u + 13u);
      in_.resize(m.most_read);
      if (m.registered.size() == 0) out_.resize(keeps_messages ? largest_message : m.most_written);
      running_ = 3;
      read();
      write();
      wait_for_mischief();
    });
  }

private:
  // ---- Reading

  void read() {
    auto handler = [this, self = shared_from_this()](error_code ec, std::size_t n) { has_read(ec, n); };
    if constexpr (keeps_messages) {
      socket.async_receive(asio::buffer(in_), flags_, std::move(handler));
    } else {
      socket.async_read_some(asio::buffer(in_), std::move(handler));
    }
  }

  void has_read(error_code ec, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (in_[i] != byte_at(received_->received + i, peers_stream_)) {
        tally_.failed("a byte arrived out of place");
        break;
      }
    }
    received_->received += n;
    tally_.bytes += n;
    if (keeps_messages && !ec) take_part(n);
    if (!ec || (ec == asio::error::operation_aborted && !closed_)) return read();
    if (ec == asio::error::eof) {
      if (part_ != 0) tally_.failed("the end came in the middle of a message");
      received_->ended_in_order = true;
    } else if (closed_) {
      received_->reader_left = true;
    } else {
      received_->was_reset = true;
    }
    reading_ = false;
    one_ended();
  }

  void take_part(std::size_t n) {
    part_ += n;
    const std::size_t size = message_size(peers_stream_, messages_received_);
    const bool is_end = (flags_ & asio::socket_base::message_end_of_record) != 0;
    if (is_end ? part_ != size : part_ > size) tally_.failed("a message of another size");
    if (!is_end) return;
    part_ = 0;
    ++messages_received_;
    ++tally_.messages;
  }

  // ---- Writing

  void write() {
    const std::size_t size = keeps_messages ? message_size(stream_, messages_sent_)
                                            : random_size(mixed(stream_, random_()), manners_.most_written);
    const bool is_registered = manners_.registered.size() > 0;
    auto* const to = is_registered ? static_cast<unsigned char*>(manners_.registered.data()) : out_.data();
    for (std::size_t i = 0; i < size; ++i) to[i] = byte_at(sent_->written + i, stream_);
    sent_->begun = sent_->written + size;
    auto handler = [this, size, self = shared_from_this()](error_code ec, std::size_t n) { has_written(ec, n, size); };
    const auto send = [&](const auto& buffer) {
      if constexpr (keeps_messages) {
        socket.async_send(buffer, 0, std::move(handler));
      } else {
        socket.async_write_some(buffer, std::move(handler));
      }
    };
    if (is_registered) {
      send(asio_rdma::registered(asio::buffer(manners_.registered, size)));
    } else {
      send(asio::const_buffer(to, size));
    }
  }

  void has_written(error_code ec, std::size_t n, std::size_t size) {
    if (ec && n != 0 && !manners_.waits_for_acknowledgement && !keeps_messages) tally_.failed("an error counted bytes");
    if (!ec && n == 0) tally_.failed("a write of nothing succeeded");
    sent_->written += n;
    if (!ec && manners_.waits_for_acknowledgement) sent_->acknowledged = sent_->written.load();
    if (keeps_messages) {
      if (!ec && n != size) tally_.failed("a part of a message was sent");
      if (n == size) ++messages_sent_;
      if (n != 0 && n < size) sent_->was_broken = true;
    }
    if (!shut_ && !closed_ && (!ec || ec == asio::error::operation_aborted)) return write();
    if (shutdown_waits_) shut_down();
    one_ended();
  }

  // ---- Mischief

  void wait_for_mischief() {
    timer_.expires_after(
        std::chrono::milliseconds(1 + random_() % static_cast<unsigned>(manners_.longest_pause.count())));
    timer_.async_wait([this, self = shared_from_this()](error_code) {
      if (!closed_) do_mischief();
      // An end that has said its last word and heard the other's has nothing left to do.
      if (closed_ || (shut_ && !reading_)) return one_ended();
      wait_for_mischief();
    });
  }

  void do_mischief() {
    error_code ec;
    if (std::chrono::steady_clock::now() >= manners_.deadline && !shut_) return shut_down();
    const auto choice = random_() % 100;
    if (choice < 60) {
      socket.cancel(ec);
      ++tally_.cancels;
    } else if (choice < 64 && !shut_) {
      shut_down();
    } else if (choice < 67) {
      leave();
      ++tally_.closes;
    } else if (choice < 69) {
      socket.set_option(asio::socket_base::linger(true, 0), ec);
      sent_->was_broken = true;
      leave();
      ++tally_.resets;
    }
  }

  void shut_down() {
    error_code ec;
    shut_ = true;
    socket.shutdown(asio::socket_base::shutdown_send, ec);
    shutdown_waits_ = ec == asio::error::in_progress;  // for the rest of a message
    if (!shutdown_waits_) ++tally_.shutdowns;
  }

  void leave() {
    error_code ec;
    closed_ = true;
    socket.close(ec);
  }

  void one_ended() {
    if (--running_ > 0) return;
    if (!closed_) leave();
    const done_function done = std::move(done_);
    done();
  }

  asio::steady_timer timer_;
  manners manners_;
  std::minstd_rand random_;
  std::vector<unsigned char> out_, in_;
  asio::socket_base::message_flags flags_ = 0;
  std::uint64_t stream_ = 0, peers_stream_ = 0;
  std::uint64_t messages_sent_ = 0, messages_received_ = 0;
  std::size_t part_ = 0;  // bytes of a message that has not ended
  direction* sent_ = nullptr;
  direction* received_ = nullptr;
  tally& tally_;
  done_function done_;
  int running_ = 0;
  bool closed_ = false, shut_ = false, shutdown_waits_ = false, reading_ = true;
};

}  // namespace test_support

#endif
