// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "socket/parameter.hpp"

#include <chrono>
#include <string>

using namespace fault_test;
using asio::awaitable;
using asio::use_awaitable;
using asio_rdma::ud;

namespace {

using asio::ip::multicast::join_group;
using asio::ip::multicast::leave_group;

const auto group = asio::ip::make_address("239.77.1.1");

/// Two sockets that exchange datagrams, each of which is sent again until it is answered: a fault may cost datagrams,
/// as a network may, or an operation, but no socket.
class exchange {
public:
  explicit exchange(asio::ip::address here) {
    error_code ec;
    for (ud::socket* const s : {&asking_, &answering_}) {
      if (!ec) (void)s->open(ud::v4(), ec);
      if (!ec) (void)s->bind(ud::endpoint(here, 0), ec);
    }
    note(ec);
  }

  const error_code& first_error() const { return first_error_; }
  std::uint16_t port() const { return answering_.local_endpoint().port(); }
  ud::socket& asking() { return asking_; }
  ud::socket& answering() { return answering_; }

  /// True for an error, the first of which is kept.
  bool note(const error_code& ec) {
    if (ec && !first_error_) first_error_ = ec;
    return static_cast<bool>(ec);
  }

  /// Exchanges so many, each way.
  void talk(ud::endpoint to, unsigned count) {
    is_over_ = false;
    asio::co_spawn(context_, answer(), asio::detached);
    asio::co_spawn(context_, ask(to, count), asio::detached);
    run(context_);
  }

private:
  awaitable<void> answer() {
    std::string text(4000, '\0');
    while (!is_over_) {
      ud::endpoint from;
      error_code ec;
      const std::size_t n = co_await answering_.async_receive_from(asio::buffer(text), from,
                                                                   asio::redirect_error(use_awaitable, ec));
      if (is_over_) break;
      if (note(ec)) continue;
      co_await answering_.async_send_to(asio::buffer(text, n), from, asio::redirect_error(use_awaitable, ec));
      note(ec);
    }
  }

  awaitable<void> ask(ud::endpoint to, unsigned count) {
    const int patience = parameter("ASIO_RDMA_TEST_PATIENCE", 10, 500);  // milliseconds, for an answer
    for (unsigned i = 0; i < count; ++i) {
      const std::string text = std::to_string(i) + ' ' + pattern(i * 40 % 900, i);
      bool is_answered = false;
      for (int attempt = 0; attempt < 100 && !is_answered; ++attempt) {
        error_code ec;
        co_await asking_.async_send_to(asio::buffer(text), to, asio::redirect_error(use_awaitable, ec));
        note(ec);
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience);
        for (bool has_come = true; has_come && !is_answered;) {
          has_come = co_await receive(until);
          is_answered = has_come && answer_ == text;
        }
      }
      BOOST_TEST(is_answered, "no answer to datagram " << i << ": " << first_error_.message());
    }
    is_over_ = true;
    answering_.cancel();
  }

  /// False if nothing comes until then.
  awaitable<bool> receive(std::chrono::steady_clock::time_point until) {
    asio::steady_timer timer(context_, until);
    timer.async_wait([this](error_code ec) {
      if (!ec) asking_.cancel();
    });
    answer_.assign(4000, '\0');
    ud::endpoint from;
    error_code ec;
    const std::size_t n =
        co_await asking_.async_receive_from(asio::buffer(answer_), from, asio::redirect_error(use_awaitable, ec));
    answer_.resize(n);
    if (ec == asio::error::operation_aborted) co_return false;
    note(ec);
    co_return true;
  }

  asio::io_context context_;
  ud::socket asking_{context_};
  ud::socket answering_{context_};
  std::string answer_;
  error_code first_error_;
  bool is_over_ = false;
};

error_code from_the_lookup_to_the_answer(bool is_faulty, unsigned count) {
  exchange e(test_address());
  if (e.first_error()) return e.first_error();
  e.talk(ud::endpoint(test_address(), e.port()), count);
  BOOST_TEST((is_faulty || !e.first_error()), e.first_error().message());
  return e.first_error();
}

error_code with_a_connected_socket(bool is_faulty) {
  exchange e(test_address());
  if (e.first_error()) return e.first_error();
  const ud::endpoint to(test_address(), e.port());
  error_code ec;
  (void)e.asking().connect(to, ec);
  if (e.note(ec)) return ec;
  e.talk(to, 3);
  BOOST_TEST((is_faulty || !e.first_error()), e.first_error().message());
  return e.first_error();
}

error_code with_a_member_of_a_group(bool is_faulty) {
  exchange e(asio::ip::address_v4::any());
  if (e.first_error()) return e.first_error();
  error_code ec;
  (void)e.answering().set_option(join_group(group), ec);
  if (e.note(ec)) return ec;
  e.talk(ud::endpoint(group, e.port()), 3);
  (void)e.answering().set_option(leave_group(group), ec);
  e.note(ec);
  BOOST_TEST((is_faulty || !e.first_error()), e.first_error().message());
  return e.first_error();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(faults_of_datagrams)

BOOST_AUTO_TEST_CASE(each_call_from_the_lookup_to_the_answer, *boost::unit_test::label("native")) {
  fail_each_call([](bool is_faulty) { return from_the_lookup_to_the_answer(is_faulty, 30); });
}

BOOST_AUTO_TEST_CASE(each_call_of_a_connected_socket, *boost::unit_test::label("native")) {
  fail_each_call(with_a_connected_socket);
}

BOOST_AUTO_TEST_CASE(each_call_of_a_member_of_a_group, *boost::unit_test::label("native")) {
  fail_each_call(with_a_member_of_a_group);
}

BOOST_AUTO_TEST_CASE(each_event_that_may_come_at_any_time, *boost::unit_test::label("native")) {
  insert_each_event([](bool is_faulty) { return from_the_lookup_to_the_answer(is_faulty, 3); });
  insert_each_event(with_a_member_of_a_group);
}

BOOST_AUTO_TEST_SUITE_END()
