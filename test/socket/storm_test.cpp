// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Eight threads, many connections in full duplex, and operations that are cancelled, and sockets that are shut down,
// closed and reset at any moment: what was written arrives, or a prefix of it where somebody left early.

#include "fixture.hpp"
#include "parameter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <random>

BOOST_AUTO_TEST_SUITE(storm)

using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// What all connections together have done.
struct tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<int> connections{0}, cancels{0}, shutdowns{0}, closes{0}, resets{0};
  std::atomic<int> exact{0}, prefixes{0};  // directions that ended so
  std::atomic<int> failures{0};
  void failed(const char* what) {
    if (++failures <= 5) LOCKED_TEST(!what);
  }
};

/// The byte at a position of a stream. A stream's number shows in every one, a position in most.
unsigned char byte_at(std::uint64_t position, unsigned stream) {
  return static_cast<unsigned char>((position * 0x9e3779b97f4a7c15u >> 40) + stream);
}

/// What one end knows of the bytes that it sends, and the other of those that it gets.
struct direction {
  std::uint64_t written = 0;
  std::uint64_t received = 0;
  bool ended_in_order = false;  // the reader saw eof
  bool reader_left = false;     // before eof
  bool reset = false;
};

/// One end of a connection. Its handlers run in its strand.
class end : public std::enable_shared_from_this<end> {
public:
  using done_function = std::function<void()>;

  end(asio::io_context& c, unsigned stream, unsigned peers_stream, clock_type::time_point deadline, tally& t)
      : strand_(asio::make_strand(c)),
        socket(strand_),
        timer_(strand_),
        deadline_(deadline),
        random_(stream * 7919u + 13u),
        out_(3000),
        in_(2000),
        stream_(stream),
        peers_stream_(peers_stream),
        tally_(t) {}

private:
  asio::strand<asio::io_context::executor_type> strand_;

public:
  rc::socket socket;
  direction sent;      // written by this end
  direction received;  // by this end
  bool has_reset = false;

  void start(done_function done) {
    asio::post(strand_, [this, self = shared_from_this(), d = std::move(done)]() mutable {
      done_ = std::move(d);
      running_ = 3;
      read();
      write();
      wait_for_mischief();
    });
  }

private:
  void read() {
    socket.async_read_some(asio::buffer(in_), [this, self = shared_from_this()](error_code ec, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        if (in_[i] != byte_at(received.received + i, peers_stream_)) {
          tally_.failed("a byte arrived out of place");
          break;
        }
      }
      received.received += n;
      tally_.bytes += n;
      if (!ec) return read();
      if (ec == asio::error::operation_aborted && !closed_) return read();
      if (ec == asio::error::eof) {
        received.ended_in_order = true;
      } else if (closed_) {
        received.reader_left = true;
      } else {
        received.reset = true;
      }
      reading_ = false;
      one_ended();
    });
  }

  void write() {
    const std::size_t size = 1 + random_() % out_.size();
    for (std::size_t i = 0; i < size; ++i) out_[i] = byte_at(sent.written + i, stream_);
    socket.async_write_some(asio::buffer(out_.data(), size),
                            [this, self = shared_from_this()](error_code ec, std::size_t n) {
                              if (ec && n != 0) tally_.failed("an error counted bytes");
                              sent.written += n;
                              if (!shut_ && !closed_ && (!ec || ec == asio::error::operation_aborted)) return write();
                              one_ended();
                            });
  }

  void wait_for_mischief() {
    timer_.expires_after(milliseconds(1 + random_() % 40));
    timer_.async_wait([this, self = shared_from_this()](error_code) {
      if (!closed_) do_mischief();
      // An end that has said its last word and heard the other's has nothing left to do.
      if (closed_ || (shut_ && !reading_)) return one_ended();
      wait_for_mischief();
    });
  }

  void do_mischief() {
    error_code ec;
    if (clock_type::now() >= deadline_ && !shut_) return shut_down();
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
      socket.set_option(rc::socket::linger(true, 0), ec);
      has_reset = true;
      leave();
      ++tally_.resets;
    }
  }

  void shut_down() {
    error_code ec;
    shut_ = true;
    socket.shutdown(rc::socket::shutdown_send, ec);
    ++tally_.shutdowns;
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
  const clock_type::time_point deadline_;
  std::minstd_rand random_;
  std::vector<unsigned char> out_, in_;
  const unsigned stream_, peers_stream_;
  tally& tally_;
  done_function done_;
  int running_ = 0;
  bool closed_ = false, shut_ = false, reading_ = true;
};

/// One connection after another, until the deadline.
class lane : public std::enable_shared_from_this<lane> {
public:
  lane(asio::io_context& c, unsigned number, clock_type::time_point deadline, tally& t)
      : context_(c),
        strand_(asio::make_strand(c)),
        acceptor_(strand_),
        number_(number),
        deadline_(deadline),
        tally_(t) {
    acceptor_.open(any_port().protocol());
    make_small(acceptor_);
    acceptor_.bind(any_port());
    acceptor_.listen();
  }

  void start() {
    asio::post(strand_, [this, self = shared_from_this()] { connect(); });
  }

private:
  /// So that hundreds of connections fit into a few megabytes of locked memory.
  template <class Object>
  static void make_small(Object& o) {
    o.set_option(asio_rdma::receive_buffer_size(4096));
    o.set_option(asio_rdma::send_buffer_size(4096));
    o.set_option(asio_rdma::queue_depth(32));
  }

  auto connected() {
    return asio::bind_executor(strand_, [this, self = shared_from_this()](error_code ec) {
      if (ec) {
        tally_.failed("no connection");
        acceptor_.close();
        near_->socket.close();
        return;
      }
      if (--running_ > 0) return;
      ++tally_.connections;
      running_ = 2;
      for (const auto& e : {near_, far_}) {
        e->start([this, me = shared_from_this()] {
          asio::post(strand_, [this, me] {
            if (--running_ == 0) ended();
          });
        });
      }
    });
  }

  void connect() {
    const unsigned a = ++streams_ * 400 + number_ * 2, b = a + 1;
    near_ = std::make_shared<end>(context_, a, b, deadline_, tally_);
    far_ = std::make_shared<end>(context_, b, a, deadline_, tally_);
    near_->socket.open(any_port().protocol());
    make_small(near_->socket);
    running_ = 2;
    near_->socket.async_connect(acceptor_.local_endpoint(), connected());
    acceptor_.async_accept(far_->socket, connected());
  }

  void ended() {
    check(*near_, *far_);
    check(*far_, *near_);
    if (clock_type::now() < deadline_) return connect();
    near_.reset();
    far_.reset();
  }

  void check(const end& writer, const end& reader) {
    const direction& in = reader.received;
    const bool may_be_cut = writer.has_reset || reader.has_reset || in.reader_left;
    if (in.received > writer.sent.written) tally_.failed("more arrived than was written");
    if (may_be_cut) {
      ++tally_.prefixes;
    } else {
      if (in.reset) tally_.failed("a connection that nobody reset was");
      if (!in.ended_in_order || in.received != writer.sent.written) tally_.failed("not all arrived");
      ++tally_.exact;
    }
  }

  asio::io_context& context_;
  asio::strand<asio::io_context::executor_type> strand_;
  rc::acceptor acceptor_;
  const unsigned number_;
  const clock_type::time_point deadline_;
  tally& tally_;
  std::shared_ptr<end> near_, far_;
  unsigned streams_ = 0;
  int running_ = 0;
};

BOOST_AUTO_TEST_CASE(every_byte_that_was_written_arrives_or_a_prefix_where_somebody_left) {
  const int seconds = parameter("ASIO_RDMA_TEST_STORM_SECONDS", 3, 5);
  const int connections = parameter("ASIO_RDMA_TEST_STORM_CONNECTIONS", 200, 50);
  tally t;
  asio::io_context context;
  const auto deadline = clock_type::now() + std::chrono::seconds(seconds);
  for (int i = 0; i < connections; ++i) {
    std::make_shared<lane>(context, static_cast<unsigned>(i), deadline, t)->start();
  }
  std::vector<std::unique_ptr<scoped_thread>> threads;
  for (int i = 0; i < 8; ++i) threads.push_back(std::make_unique<scoped_thread>([&] { context.run(); }));
  threads.clear();
  BOOST_TEST_MESSAGE(t.connections << " connections, " << t.bytes / 1000000 << " MB, " << t.cancels << " cancels, "
                                   << t.shutdowns << " shutdowns, " << t.closes << " closes, " << t.resets
                                   << " resets; directions exact " << t.exact << ", cut " << t.prefixes);
  BOOST_TEST(t.failures == 0);
  BOOST_TEST(t.connections >= connections);
  BOOST_TEST(t.bytes > 0u);
  BOOST_TEST(t.exact > 0);
}

BOOST_AUTO_TEST_SUITE_END()
