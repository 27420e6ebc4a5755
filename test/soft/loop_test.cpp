// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/loop.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <future>

using asio_rdma::soft::loop;

BOOST_AUTO_TEST_SUITE(loop_of_the_helper, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(the_event_of_a_closed_descriptor_is_not_taken_for_its_numbers_next_owner) {
  static loop l;  // its thread ends with the process
  BOOST_REQUIRE_EQUAL(l.start(), 0);
  const int first = ::eventfd(0, 0), second = ::eventfd(0, 0), quiet = ::eventfd(0, 0);
  bool is_called = false;
  std::promise<void> done;
  l.watch(first, [&] {
    l.unwatch(first);
    l.unwatch(second);
    ::dup2(quiet, second);
    l.watch(second, [&] { is_called = true; });
    l.after(std::chrono::milliseconds(50), [&] { done.set_value(); });
  });
  l.watch(second, [&] { l.unwatch(second); });
  l.post([&] {  // while the thread is here both become readable, in this order
    ::eventfd_write(first, 1);
    ::eventfd_write(second, 1);
  });
  done.get_future().get();
  BOOST_TEST(!is_called);
  l.unwatch(second);
  for (const int fd : {first, second, quiet}) ::close(fd);
}

BOOST_AUTO_TEST_SUITE_END()
