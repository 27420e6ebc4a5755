// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/local_socket.hpp"

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include <cstring>

using asio_rdma::soft::descriptor;

namespace {

/// Sends one byte with that many descriptors.
bool send_with(int fd, unsigned count) {
  char byte = 'x';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))]{};
  msghdr m{};
  m.msg_iov = &part;
  m.msg_iovlen = 1;
  m.msg_control = control;
  m.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const c = CMSG_FIRSTHDR(&m);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(count * sizeof(int));
  for (unsigned i = 0; i < count; ++i) {
    const int sent = STDIN_FILENO;
    std::memcpy(CMSG_DATA(c) + i * sizeof sent, &sent, sizeof sent);
  }
  return ::sendmsg(fd, &m, 0) == 1;
}

/// The number that the next descriptor gets.
int next_descriptor() {
  const int result = ::dup(STDIN_FILENO);
  ::close(result);
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(local_sockets)

BOOST_AUTO_TEST_CASE(take_one_descriptor_and_keep_no_other) {
  int ends[2];
  BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  const descriptor near(ends[0]), far(ends[1]);
  const int before = next_descriptor();
  for (unsigned count = 1; count <= 8; ++count) {
    BOOST_TEST_CONTEXT(count) {
      char byte = 0;
      {
        descriptor passed;
        BOOST_REQUIRE(send_with(far.get(), count));
        BOOST_TEST(asio_rdma::soft::receive_packet(near.get(), &byte, 1, &passed) == 1);
        BOOST_TEST(passed.get() == before);
      }
      BOOST_TEST(next_descriptor() == before);
      BOOST_REQUIRE(send_with(far.get(), count));
      BOOST_TEST(asio_rdma::soft::receive_packet(near.get(), &byte, 1) == 1);
      BOOST_TEST(next_descriptor() == before);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
