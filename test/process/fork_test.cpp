// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a process that forks and its child can do.

#include "child.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>

using namespace process_test;

namespace {

/// The exit status of a child that does something; 255 for a signal. It has ten seconds.
int status_of_fork(const std::function<void()>& in_child) {
  const pid_t id = ::fork();
  if (id == 0) {
    ::alarm(10);
    in_child();
    ::_exit(0);
  }
  int status = 0;
  return ::waitpid(id, &status, 0) == id && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/// The child exits in order while this process has bytes that are not sent yet.
const register_scenario fork_amid_a_transfer("fork_amid_a_transfer", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context);
  connect_to_parent(s, a[0]);
  asio::write(s, asio::buffer(bytes(200 * 1024)));
  if (status_of_fork([] { std::exit(7); }) != 7) return 1;
  tell_parent();
  wait_for_parent();
  return 0;
});

/// Objects that nobody has used yet are the child's as well as the parent's.
const register_scenario fork_first("fork_first", [](const std::vector<std::string>& a) {
  asio::io_context context;
  rc::socket s(context, rc::v4());
  context.notify_fork(asio::io_context::fork_prepare);
  const int status = status_of_fork([&] {
    context.notify_fork(asio::io_context::fork_child);
    s.close();
    connect_to_parent(s, a[0]);
    asio::write(s, asio::buffer(bytes(1000)));
    std::exit(3);
  });
  context.notify_fork(asio::io_context::fork_parent);
  return status == 3 && s.is_open() ? 0 : 1;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(process_fork, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(a_child_that_exits_leaves_the_transfers_of_its_parent_alone) {
  parent p("fork_amid_a_transfer");
  p.other.wait_until_ready();
  std::vector<unsigned char> data(200 * 1024);
  asio::read(p.socket, asio::buffer(data));
  BOOST_TEST((data == bytes(data.size())));
  p.other.go_on();
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_CASE(a_process_that_forks_first_has_a_child_like_any_process) {
  parent p("fork_first");
  error_code ec;
  BOOST_TEST(p.read_all(ec) == 1000u);
  BOOST_TEST(ec == asio::error::eof);
  BOOST_TEST(p.other.wait() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
