// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_FAULT_FIXTURE_HPP
#define ASIO_RDMA_TEST_FAULT_FIXTURE_HPP

#include "support/injector.hpp"
#include "support/test_address.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>
#include <boost/test/unit_test.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <string>
#include <utility>

// GCC 12 takes the allocation functions of Asio's coroutines for a mismatched pair.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

namespace fault_test {

namespace asio = boost::asio;
using boost::system::error_code;

/// One end of a scenario: what it was sent, and how it ended.
struct end {
  std::string received;
  bool is_complete = false;  ///< it was told that this is all
  bool has_ended = false;
  error_code result;  ///< none if all of it succeeded
};

/// Runs one end as a coroutine; finally is called when it has ended.
template <class Body, class Finally>
void start(asio::io_context& context, end& e, Body body, Finally finally) {
  asio::co_spawn(context, std::move(body), [&e, finally](std::exception_ptr failure) {
    e.has_ended = true;
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error& error) {
      e.result = error.code();
    }
    finally();
  });
}

/// Runs until nothing is left to do, which it must within a time that is longer than each of the library's.
void run(asio::io_context& context);

/// Makes an acceptor listen, with options. The error that a fault has it fail with.
template <class Acceptor, class... Options>
error_code listen_on_any_port(Acceptor& acceptor, const Options&... options) {
  error_code ec;
  const typename Acceptor::endpoint_type here(test_address(), 0);
  (void)acceptor.open(here.protocol(), ec);
  if (!ec) (acceptor.set_option(options), ...);
  if (!ec) (void)acceptor.bind(here, ec);
  if (!ec) (void)acceptor.listen(asio::socket_base::max_listen_connections, ec);
  return ec;
}

/// Whoever was told that he has everything has; anybody else has the beginning of it. A success of both is a success.
/// No operation is aborted, but for the server's accept once the client has failed. Returns how the fault was told, or
/// no error if nobody was told.
error_code check_both(const end& client, const end& server, const std::string& to_client, const std::string& to_server,
                      bool is_faulty);

/// Text in which a loss or a change of order shows.
std::string pattern(std::size_t size, unsigned seed);

/// Runs the scenario without a fault, when everything has to succeed, and then again and again: each call of the device
/// that it comes to fails in turn, the nth for each n, with each error that it can give. After each run nothing may be
/// left of it, and a connection that was there before has to work. The scenario is told whether there is to be a fault;
/// it checks by itself what may not happen, and returns the error that one of its ends saw, if any.
void fail_each_call(const std::function<error_code(bool is_faulty)>& scenario);

/// The same, but everything from the nth call on fails, for some n.
void fail_from_each_call_on(const std::function<error_code(bool is_faulty)>& scenario);

/// The same, but nothing fails. Next to each event of the connection manager that the scenario comes to, another one
/// comes for the same id: in turn each that there can be sometimes. Those that mean nothing to us, at that time or
/// ever, have to be no fault.
void insert_each_event(const std::function<error_code(bool is_faulty)>& scenario);

/// Runs the scenario so often, without a fault, while events of the connection manager for different ids come late and
/// in any order.
void shuffle_events(unsigned times, const std::function<error_code(bool is_faulty)>& scenario);

/// Waits until what earlier connections leave behind has gone away.
void settle();

/// Runs the scenario while nothing fails, and checks that nothing is left of it. To be called once everything is
/// settled.
void leaves_nothing(const std::function<void()>& scenario);

}  // namespace fault_test

#endif
