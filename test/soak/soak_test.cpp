// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A server and several clients, processes of their own, which talk over many connections at a time for as long as one
// likes: streams and messages, copied or sent from registered memory, with sizes at random, and cancel, shut down,
// close and reset at any moment; and clients are killed at any moment, too. Every byte is looked at, and at the end the
// server holds what it held at the start. doc/faults.md says how to run this for long.

#include "ledger.hpp"

#include "process/child.hpp"
#include "socket/parameter.hpp"
#include "support/injector.hpp"
#include "support/test_address.hpp"
#include "support/usage.hpp"

#include <asio_rdma/registered_buffer.hpp>
#include <asio_rdma/statistics_text.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <thread>

using namespace soak_test;
using asio_rdma::rc_seq_packet;
using process_test::child;
using process_test::register_scenario;
using process_test::rc;
using test_support::injector;
using test_support::manners;
using test_support::mixed;
using test_support::talker;
using test_support::usage;
namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using clock_type = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t connections_of_a_client = 25;
constexpr std::size_t largest_write = test_support::largest_message;

/// What a connection begins with, as one message where there are messages.
struct greeting {
  std::uint64_t index = 0, number = 0;
};

template <class Protocol, class Handler>
void send(typename Protocol::socket& s, asio::const_buffer b, Handler handler) {
  if constexpr (std::is_same_v<Protocol, rc_seq_packet>) {
    s.async_send(b, 0, std::move(handler));
  } else {
    asio::async_write(s, b, std::move(handler));
  }
}

template <class Protocol, class Handler>
void receive(typename Protocol::socket& s, asio::mutable_buffer b, asio::socket_base::message_flags& flags,
             Handler handler) {
  if constexpr (std::is_same_v<Protocol, rc_seq_packet>) {
    s.async_receive(b, flags, std::move(handler));
  } else {
    asio::async_read(s, b, std::move(handler));
  }
}

/// How one end of a connection talks, by its random bits: a third each as plain writes, acknowledged ones, and from
/// registered memory.
template <class Socket>
manners choose(Socket& s, const ledger& l, std::uint64_t bits, asio::mutable_buffer memory) {
  manners m;
  m.most_written = m.most_read = largest_write;
  m.longest_pause = l.longest_pause;
  m.deadline = l.deadline;
  m.waits_for_acknowledgement = bits % 3 != 0;
  error_code ignored;  // a peer that is gone: the first operation says so
  if (bits % 3 == 1) s.set_option(asio_rdma::acknowledged_writes(true), ignored);
  if (bits % 3 == 2) {
    s.set_option(asio_rdma::zero_copy_threshold(1), ignored);
    m.registered = memory;
  }
  return m;
}

/// Small ones and large ones, by random bits.
template <class Object>
void set_sizes(Object& o, std::uint64_t bits) {
  o.set_option(asio_rdma::receive_buffer_size(4096 << bits % 6));
  o.set_option(asio_rdma::send_buffer_size(4096 << bits / 8 % 6));
  o.set_option(asio_rdma::queue_depth(32));
  o.set_option(asio_rdma::connect_timeout(60'000));
}

void raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// ---- A client

/// Makes one connection after another.
template <class Protocol>
class lane : public std::enable_shared_from_this<lane<Protocol>> {
public:
  lane(asio::io_context& c, ledger& l, std::size_t index, std::uint64_t life, asio::mutable_buffer memory)
      : context_(c),
        strand_(asio::make_strand(c)),
        timer_(strand_),
        ledger_(l),
        entry_(l.entries[index]),
        index_(index),
        life_(life),
        memory_(memory) {}

  void next() {
    asio::dispatch(strand_, [this, self = this->shared_from_this()] { try_next(); });
  }

private:
  void try_next() {
    if (clock_type::now() >= ledger_.deadline) return;
    const std::uint64_t before = entry_.now;
    number_ = (before >> 2) + 1;
    if ((before & 3) != entry::vacant) return again_soon();
    entry_.life = life_;
    entry_.client_is_done = false;
    entry_.to_server.clear();
    entry_.to_client.clear();
    entry_.now = entry::word(number_, entry::connecting);
    bits_ = mixed(ledger_.stream(index_, number_, true), life_);

    talker_ = std::make_shared<talker<Protocol>>(context_, ledger_.all);
    auto& s = talker_->socket;
    s.open(Protocol::v4());
    set_sizes(s, bits_ >> 8);
    const auto port = ledger_.ports[std::is_same_v<Protocol, rc_seq_packet>];
    s.async_connect({test_address(), port},
                    asio::bind_executor(strand_, [this, self = this->shared_from_this()](error_code ec) {
                      timer_.cancel();
                      connected(ec);
                    }));
    if (bits_ % 20 != 0) return;
    // Some change their mind.
    timer_.expires_after(std::chrono::microseconds(bits_ / 20 % 4000));
    timer_.async_wait([this, self = this->shared_from_this()](error_code ec) {
      if (!ec) talker_->socket.cancel(ec);
    });
  }

  void again_soon() {
    timer_.expires_after(milliseconds(2));
    timer_.async_wait([this, self = this->shared_from_this()](error_code) { try_next(); });
  }

  void connected(error_code ec) {
    if (ec) {
      const std::string why = asio_rdma::statistics(talker_->socket).failure;
      talker_->socket.close();
      if (bits_ % 20 == 0) ++ledger_.cancelled_connects;
      else ledger_.all.failed("no connection: " + ec.message() + ": " + why);
      entry_.change(number_, entry::connecting, entry::vacant);
      return again_soon();
    }
    ++ledger_.all.connections;
    greeting_ = {index_, number_};
    send<Protocol>(talker_->socket, asio::buffer(&greeting_, sizeof greeting_),
                   asio::bind_executor(strand_, [this, self = this->shared_from_this()](error_code e, std::size_t) {
                     if (e) ledger_.all.failed("no greeting: " + e.message());
                     talk();
                   }));
  }

  void talk() {
    talker_->start(choose(talker_->socket, ledger_, bits_ >> 16, memory_), ledger_.stream(index_, number_, true),
                   ledger_.stream(index_, number_, false), entry_.to_server, entry_.to_client,
                   [this, self = this->shared_from_this()] {
                     asio::post(strand_, [this, self] {
                       entry_.client_is_done = true;
                       next();
                     });
                   });
  }

  asio::io_context& context_;
  asio::strand<asio::io_context::executor_type> strand_;
  asio::steady_timer timer_;
  ledger& ledger_;
  entry& entry_;
  const std::size_t index_;
  const std::uint64_t life_;
  const asio::mutable_buffer memory_;
  std::shared_ptr<talker<Protocol>> talker_;
  greeting greeting_;
  std::uint64_t number_ = 0, bits_ = 0;
};

/// Objects of the device that connections have.
std::string objects_of_connections() {
  std::string result;
  const auto living = injector::living();
  for (const char* kind : {"channels", "CQs", "QPs", "ids"}) {
    if (const long n = living.at(kind)) result += std::to_string(n) + ' ' + kind + ' ';
  }
  return result;
}

const register_scenario client("client", [](const std::vector<std::string>& a) {
  raise_descriptor_limit();
  shared_ledger book(std::stoi(a.at(0)));
  const std::size_t number = std::stoul(a.at(1)), count = std::stoul(a.at(2));
  const std::uint64_t life = std::stoul(a.at(3));
  asio_rdma::registered_buffer memory(count * largest_write);
  {
    asio::io_context context;
    for (std::size_t i = 0; i < count; ++i) {
      const asio::mutable_buffer piece(memory.data() + i * largest_write, largest_write);
      const std::size_t index = number * connections_of_a_client + i;
      if (i % 3 == 2) {
        std::make_shared<lane<rc_seq_packet>>(context, *book, index, life, piece)->next();
      } else {
        std::make_shared<lane<rc>>(context, *book, index, life, piece)->next();
      }
    }
    std::thread second([&] { context.run(); });
    context.run();
    second.join();
  }
  // Connections linger until their last bytes are acknowledged, by a server that may be slow to read.
  for (int i = 0; i < 3000 && !asio_rdma::snapshot().sockets.empty(); ++i)
    std::this_thread::sleep_for(milliseconds(10));
  std::string left = objects_of_connections();
  for (int i = 0; i < 300 && !left.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    left = objects_of_connections();
  }
  if (!left.empty()) {
    book->all.failed("left behind in a client: " + left);
    std::cerr << left << '\n' << asio_rdma::snapshot();
  }
  return 0;
});

// ---- The server

/// One connection at the server.
template <class Protocol>
class guest : public std::enable_shared_from_this<guest<Protocol>> {
public:
  guest(asio::io_context& c, ledger& l, std::atomic<std::uint64_t>& gone_early,
        const asio_rdma::registered_buffer& memory)
      : talker_(std::make_shared<talker<Protocol>>(c, l.all)),
        timer_(talker_->strand()),
        ledger_(l),
        gone_early_(gone_early),
        memory_(memory) {}

  typename Protocol::socket& socket() { return talker_->socket; }

  void start() {
    receive<Protocol>(talker_->socket, asio::buffer(&greeting_, sizeof greeting_), flags_,
                      [this, self = this->shared_from_this()](error_code ec, std::size_t) { greeted(ec); });
  }

private:
  void greeted(error_code ec) {
    if (ec == asio::error::eof || ec == asio::error::connection_reset) return leave_early();
    if (ec || greeting_.index >= most_connections) {
      ledger_.all.failed("a greeting did not arrive: " + ec.message());
      return leave_early();
    }
    entry_ = &ledger_.entries[greeting_.index];
    // Otherwise it is of a client that is dead, and another has begun something else.
    if (!entry_->change(greeting_.number, entry::connecting, entry::talking)) return leave_early();
    client_ = greeting_.index / connections_of_a_client;
    const asio::mutable_buffer piece(memory_.data() + greeting_.index * largest_write, largest_write);
    const std::uint64_t sends = ledger_.stream(greeting_.index, greeting_.number, false);
    talker_->start(choose(talker_->socket, ledger_, mixed(sends, 1), piece), sends,
                   ledger_.stream(greeting_.index, greeting_.number, true), entry_->to_client, entry_->to_server,
                   [this, self = this->shared_from_this()] { wait_for_client(); });
  }

  void leave_early() {
    error_code ec;
    talker_->socket.close(ec);
    ++gone_early_;
  }

  /// What it has told is final once it is done, or dead.
  void wait_for_client() {
    if (entry_->client_is_done || ledger_.buried[client_] >= entry_->life) return look();
    timer_.expires_after(milliseconds(2));
    timer_.async_wait([this, self = this->shared_from_this()](error_code) { wait_for_client(); });
  }

  void look() {
    // It may also have been killed while it lingered.
    const bool was_killed = ledger_.condemned[client_] >= entry_->life;
    check_direction(entry_->to_server, entry_->to_client, false, was_killed, ledger_.all);
    check_direction(entry_->to_client, entry_->to_server, was_killed, false, ledger_.all);
    if (!entry_->change(greeting_.number, entry::talking, entry::vacant)) ledger_.all.failed("an entry was changed");
  }

  std::shared_ptr<talker<Protocol>> talker_;
  asio::steady_timer timer_;
  ledger& ledger_;
  std::atomic<std::uint64_t>& gone_early_;
  const asio_rdma::registered_buffer& memory_;
  greeting greeting_;
  asio::socket_base::message_flags flags_ = 0;
  entry* entry_ = nullptr;
  std::size_t client_ = 0;
};

/// Listens, and talks with whoever comes.
template <class Protocol>
class house {
public:
  house(asio::io_context& c, ledger& l, const asio_rdma::registered_buffer& memory)
      : context_(c), acceptor_(c), ledger_(l), memory_(memory) {
    acceptor_.open(Protocol::v4());
    set_sizes(acceptor_, 0b100'011);
    acceptor_.bind({test_address(), 0});
    acceptor_.listen(1000);
    ledger_.ports[std::is_same_v<Protocol, rc_seq_packet>] = acceptor_.local_endpoint().port();
    accept();
  }

  void close() {
    asio::post(acceptor_.get_executor(), [this] { acceptor_.close(); });
  }
  std::uint64_t gone_early() const { return gone_early_; }

private:
  void accept() {
    auto g = std::make_shared<guest<Protocol>>(context_, ledger_, gone_early_, memory_);
    acceptor_.async_accept(g->socket(), [this, g](error_code ec) {
      if (!acceptor_.is_open()) return;
      if (ec) ledger_.all.failed("nobody was accepted: " + ec.message());
      else g->start();
      accept();
    });
  }

  asio::io_context& context_;
  typename Protocol::acceptor acceptor_;
  ledger& ledger_;
  const asio_rdma::registered_buffer& memory_;
  std::atomic<std::uint64_t> gone_early_{0};
};

struct sizes {
  std::size_t connections, clients;
  milliseconds longest_life;   ///< of all clients until one is killed
  milliseconds longest_pause;  ///< of one end between two pieces of mischief
};

/// Kills clients and starts others in their place.
class executioner {
public:
  executioner(shared_ledger& book, const sizes& s) : book_(book), sizes_(s), random_(book->seed), clients_(s.clients) {
    for (std::size_t i = 0; i < s.clients; ++i) bear(i);
  }

  void work() {
    for (;;) {
      const milliseconds pause(1 + random_() % static_cast<unsigned>(sizes_.longest_life.count()));
      if (clock_type::now() + pause >= book_->deadline) return std::this_thread::sleep_until(book_->deadline);
      std::this_thread::sleep_for(pause);
      kill(random_() % clients_.size());
    }
  }

  /// Once their last connections have ended.
  void wait() {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (const int status = clients_[i].process->wait())
        book_->all.failed("a client ended with " + std::to_string(status));
      bury(i);
    }
  }
  unsigned kills() const { return kills_; }

private:
  struct one {
    std::unique_ptr<child> process;
    std::uint64_t life = 0;
  };

  std::size_t count(std::size_t i) const {
    return std::min(connections_of_a_client, sizes_.connections - i * connections_of_a_client);
  }

  void bear(std::size_t i) {
    one& c = clients_[i];
    ++c.life;
    c.process =
        std::make_unique<child>("client", std::vector<std::string>{std::to_string(book_.fd()), std::to_string(i),
                                                                   std::to_string(count(i)), std::to_string(c.life)});
  }

  void kill(std::size_t i) {
    one& c = clients_[i];
    book_->condemned[i] = c.life;
    c.process->kill(SIGKILL);
    if (c.process->wait() != 128 + SIGKILL) book_->all.failed("a client ended by itself");
    bury(i);
    bear(i);
    ++kills_;
  }

  void bury(std::size_t i) {
    book_->buried[i] = clients_[i].life;
    for (std::size_t n = 0; n < count(i); ++n) {
      entry& e = book_->entries[i * connections_of_a_client + n];
      e.change(e.now >> 2, entry::connecting, entry::vacant);
    }
  }

  shared_ledger& book_;
  const sizes sizes_;
  std::mt19937_64 random_;
  std::vector<one> clients_;
  unsigned kills_ = 0;
};

/// Its figures. A short one need not come to anything.
std::string soak(std::uint64_t seed, const sizes& s, std::chrono::seconds length, bool has_to_do_something) {
  shared_ledger book;
  book->seed = seed;
  book->longest_pause = s.longest_pause;
  book->deadline = clock_type::now() + length;
  asio_rdma::registered_buffer memory(s.connections * largest_write);
  asio::io_context context;
  house<rc> streams(context, *book, memory);
  house<rc_seq_packet> messages(context, *book, memory);
  executioner e(book, s);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { context.run(); });
  e.work();
  e.wait();
  streams.close();
  messages.close();
  for (std::thread& t : threads) t.join();

  const auto& all = book->all;
  BOOST_TEST(all.failures == 0u, all.failures << " failures" << all.first_failures());
  if (has_to_do_something) {
    BOOST_TEST(all.connections > 0u);
    BOOST_TEST(all.bytes > 0u);
    BOOST_TEST(all.messages > 0u);
    BOOST_TEST(e.kills() > 0u);
  }
  std::ostringstream figures;
  figures << all << "; " << e.kills() << " clients killed, " << book->cancelled_connects << " connects cancelled, "
          << streams.gone_early() + messages.gone_early() << " connections gone before they had said anything";
  return figures.str();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(long_days)

BOOST_AUTO_TEST_CASE(every_byte_arrives_and_nothing_is_left, *boost::unit_test::label("rdma")) {
  raise_descriptor_limit();
  const auto connections = static_cast<std::size_t>(parameter("ASIO_RDMA_TEST_SOAK_CONNECTIONS", 200, 24));
  const int seconds = parameter("ASIO_RDMA_TEST_SOAK_SECONDS", 6, 20);
  const char* const given = std::getenv("ASIO_RDMA_TEST_SOAK_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 0) : std::random_device()();
  BOOST_TEST_REQUIRE((connections > 0 && connections <= most_connections && seconds > 0));
  const sizes s{connections, (connections + connections_of_a_client - 1) / connections_of_a_client,
                milliseconds(parameter("ASIO_RDMA_TEST_SOAK_LIFE", 1000, 10'000)),
                milliseconds(parameter("ASIO_RDMA_TEST_SOAK_PAUSE", 150, 1000))};
  BOOST_TEST_CONTEXT("ASIO_RDMA_TEST_SOAK_SEED=" << seed) {
    BOOST_TEST_MESSAGE("ASIO_RDMA_TEST_SOAK_SEED=" << seed << ", " << connections << " connections at a time");
    // What is made once is there after a short one.
    soak(seed + 1, s, std::chrono::seconds(2 + seconds / 100), false);
    const usage before = usage::settled();
    const auto objects_before = injector::living();
    const std::string figures = soak(seed, s, std::chrono::seconds(seconds), true);
    const usage after = usage::settled(before);
    BOOST_TEST_MESSAGE(figures);
    BOOST_TEST_MESSAGE("before: " << before);
    BOOST_TEST_MESSAGE("after:  " << after);

    BOOST_TEST(after == before);
    BOOST_TEST((injector::living() == objects_before));
    // What is kept for the next connections varies. Tens of thousands of connections must not leave a word each.
    BOOST_TEST(after.heap <= before.heap + (2 << 20));
  }
}

BOOST_AUTO_TEST_SUITE_END()
