// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What comes at the worst moment: when the queue was found empty and is not armed yet.

#include "core_socket.hpp"
#include "raw_peer.hpp"

#include "transfer/message.hpp"

#include <poll.h>

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

using namespace cm_test;

namespace {

std::function<void()> just_before_arming;
int (*arm)(ibv_cq*, int) = nullptr;

/// While it lives, something happens just before a completion queue of the device is armed next.
class interference {
public:
  interference(verbs::context_ref device, std::function<void()> what) : device_(device.native_handle()) {
    just_before_arming = std::move(what);
    arm = device_->ops.req_notify_cq;
    device_->ops.req_notify_cq = [](ibv_cq* cq, int solicited) {
      if (const auto happen = std::exchange(just_before_arming, nullptr)) happen();
      return arm(cq, solicited);
    };
  }
  interference(const interference&) = delete;
  interference& operator=(const interference&) = delete;
  ~interference() {
    device_->ops.req_notify_cq = arm;
    BOOST_TEST(!just_before_arming);  // it did happen
  }

private:
  ibv_context* device_;
};

struct connected {
  connected() {
    (void)peer.connect(l.port, {});
    socket = l.accept();
    BOOST_REQUIRE_EQUAL(l.error, core::error());
  }
  void say(const std::string& text) {
    const std::uint64_t to = peer.other().ring_address + said;
    said += text.size();
    BOOST_TEST(peer.write(to, peer.other().ring_key, std::vector<unsigned char>(text.begin(), text.end()),
                          transfer::encode_immediate(transfer::message_kind::data,
                                                     static_cast<std::uint32_t>(text.size()))) == IBV_WC_SUCCESS);
  }
  core::error read_at_once(std::string& text) {
    char buffer[64];
    iovec v{buffer, sizeof buffer};
    std::size_t bytes = 0;
    const core::error e = socket.read(&v, 1, false, bytes);
    text.assign(buffer, bytes);
    return e;
  }

  listening l;
  raw_peer peer;
  core::socket socket;
  std::uint64_t said = 0;
};

bool is_readable(int fd, int milliseconds) {
  pollfd p{fd, POLLIN, 0};
  return ::poll(&p, 1, milliseconds) == 1;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(arming, connected, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(what_comes_just_before_it_is_not_slept_over_by_the_owner) {
  std::string text;
  BOOST_TEST(read_at_once(text) == core::error(EAGAIN));
  {
    const interference i(peer.device(), [this] { say("hi"); });
    BOOST_TEST(socket.prepare_wait() == -1);
  }
  BOOST_TEST(read_at_once(text) == core::error());
  BOOST_TEST(text == "hi");
}

BOOST_AUTO_TEST_CASE(what_comes_just_before_it_is_not_slept_over_by_a_thread) {
  std::string text;
  const interference i(peer.device(), [this] { say("hi"); });
  BOOST_TEST(read_some(socket, text) == core::error());  // would wait for ever
  BOOST_TEST(text == "hi");
}

BOOST_AUTO_TEST_CASE(one_event_stands_for_many_messages_and_is_raised_again) {
  std::string text;
  for (int round = 0; round < 3; ++round) {
    BOOST_TEST(read_at_once(text) == core::error(EAGAIN));
    const int fd = socket.prepare_wait();
    BOOST_REQUIRE(fd >= 0);
    BOOST_TEST(!is_readable(fd, 0));
    for (const char* part : {"one ", "two ", "three"}) say(part);
    BOOST_TEST(is_readable(fd, 5000));
    socket.end_wait();
    std::string all;
    while (!read_at_once(text)) all += text;
    BOOST_TEST(all == "one two three");
  }
}

BOOST_AUTO_TEST_SUITE_END()
