// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "support/no_descriptors.hpp"

#include <asio_rdma/rc.hpp>

#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

using asio_rdma::rc;

namespace {

raw_options with(asio_rdma::raw_setup setup) {
  raw_options o;
  o.setup = setup;
  return o;
}

constexpr asio_rdma::raw_setup both[] = {asio_rdma::raw_setup::connection_manager, asio_rdma::raw_setup::exchange};

rc::endpoint as_stream(const endpoint& e) {
  return rc::endpoint(e.address(), e.port());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(setup)

BOOST_AUTO_TEST_CASE(streams_and_raw_connections_refuse_each_other) {
  asio::io_context context;
  raw_acceptor raw(context, any_port());
  rc::socket stream(context);
  error_code ec;
  stream.connect(as_stream(raw.local_endpoint()), ec);
  BOOST_TEST((ec == errc::mode_mismatch), ec.message());

  rc::acceptor acceptor(context, as_stream(any_port()));
  raw_connection c(context);
  c.connect(endpoint(any_port().address(), acceptor.local_endpoint().port()), {}, ec);
  BOOST_TEST((ec == errc::mode_mismatch), ec.message());
  BOOST_TEST(!c.is_open());
}

BOOST_AUTO_TEST_CASE(nobody_listens) {
  for (const auto setup : both) {
    asio::io_context context;
    const endpoint deserted = raw_acceptor(context, any_port(), with(setup)).local_endpoint();
    raw_connection c(context);
    error_code ec;
    c.connect(deserted, with(setup), ec);
    BOOST_TEST((ec == asio::error::connection_refused), ec.message());
    BOOST_TEST(!c.is_open());
  }
}

BOOST_AUTO_TEST_CASE(the_peers_end_is_noticed) {
  for (const auto setup : both) {
    connected_pair p(with(setup));
    const local_buffer to = p.server_memory.slice(0, 8);
    p.server.post_receive(receive_request(to).with_id(5));
    BOOST_TEST(!p.server.ended());
    p.client.close();
    const work_completion c = next(p.server);
    BOOST_TEST(c.status == IBV_WC_WR_FLUSH_ERR);
    BOOST_TEST(c.id() == 5u);
    BOOST_TEST((p.server.ended() == asio::error::connection_reset), p.server.ended().message());
  }
}

BOOST_AUTO_TEST_CASE(flushing_gives_everything_back) {
  connected_pair p;
  for (unsigned i = 0; i < 10; ++i) p.client.post_receive(receive_request().with_id(i));
  p.client.flush();
  for (unsigned i = 0; i < 10; ++i) BOOST_TEST(next(p.client).id() == i);
}

BOOST_AUTO_TEST_CASE(a_silent_client_disturbs_nobody) {
  asio::io_context context;
  const raw_options options = with(asio_rdma::raw_setup::exchange);
  raw_acceptor acceptor(context, any_port(), options);
  asio::ip::tcp::socket silent(context), rude(context);
  silent.connect(acceptor.local_endpoint());
  rude.connect(acceptor.local_endpoint());
  asio::write(rude, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")));
  raw_connection client(context), server(context);
  error_code result;
  std::thread asking([&] { client.connect(acceptor.local_endpoint(), options, result); });
  acceptor.accept(server);
  asking.join();
  BOOST_TEST(!result, result.message());
  char refused[9];
  BOOST_TEST(asio::read(rude, asio::buffer(refused)) == sizeof refused);
  BOOST_TEST(std::string(refused, 4) == "ARDM");
}

BOOST_AUTO_TEST_CASE(a_client_that_stops_within_its_greeting_is_hung_up_on) {
  asio::io_context context;
  raw_acceptor acceptor(context, any_port(), with(asio_rdma::raw_setup::exchange));
  asio::ip::tcp::socket slow(context);
  slow.connect(acceptor.local_endpoint());
  asio::write(slow, asio::buffer("AR", 2));
  char more;
  error_code ec;
  asio::read(slow, asio::buffer(&more, 1), ec);
  BOOST_TEST((ec == asio::error::eof || ec == asio::error::connection_reset), ec.message());
}

BOOST_AUTO_TEST_CASE(an_acceptor_without_descriptors_takes_clients_when_it_has_some) {
  asio::io_context context;
  raw_acceptor acceptor(context, any_port(), with(asio_rdma::raw_setup::exchange));
  asio::ip::tcp::socket rude(context, asio::ip::tcp::v4());
  {
    const test_support::no_descriptors limit;
    rude.connect(acceptor.local_endpoint());
    asio::write(rude, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    BOOST_TEST(rude.available() == 0u);  // nobody was there who could take it
  }
  char refused[9];
  BOOST_TEST(asio::read(rude, asio::buffer(refused)) == sizeof refused);
}

BOOST_AUTO_TEST_CASE(there_is_time_between_the_steps_of_an_exchange) {
  asio::io_context context;
  const raw_options options = with(asio_rdma::raw_setup::exchange);
  raw_acceptor acceptor(context, any_port(), options);
  raw_connection client(context), server(context);
  client.open(acceptor.local_endpoint(), options);
  std::this_thread::sleep_for(std::chrono::milliseconds(5500));  // longer than any step may take
  error_code result;
  std::thread asking([&] { client.establish(result); });
  acceptor.accept(server);
  asking.join();
  BOOST_TEST(!result, result.message());
}

BOOST_AUTO_TEST_CASE(who_says_nothing_takes_nobodys_place) {
  asio::io_context context;
  const raw_options options = with(asio_rdma::raw_setup::exchange);
  raw_acceptor acceptor(context);
  acceptor.listen(any_port(), options, 1);
  raw_connection slow(context), client(context), server(context);
  slow.open(acceptor.local_endpoint(), options);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // until it is heard
  error_code result;
  std::thread asking([&] { client.connect(acceptor.local_endpoint(), options, result); });
  acceptor.accept(server);
  asking.join();
  BOOST_TEST(!result, result.message());
  slow.establish(result);
  BOOST_TEST((result == asio::error::connection_refused), result.message());
}

BOOST_AUTO_TEST_CASE(a_request_is_refused_by_closing_it) {
  for (const auto setup : both) {
    asio::io_context context;
    raw_acceptor acceptor(context, any_port(), with(setup));
    raw_connection client(context), server(context);
    error_code result;
    std::thread asking([&] { client.connect(acceptor.local_endpoint(), with(setup), result); });
    acceptor.accept_request(server);
    server.close();
    asking.join();
    BOOST_TEST((result == asio::error::connection_refused || result == asio::error::connection_reset),
               result.message());
  }
}

BOOST_AUTO_TEST_CASE(options_out_of_range_are_refused) {
  asio::io_context context;
  std::vector<raw_options> wrong(6);
  wrong[0].send_depth = 0;
  wrong[1].rnr_retry = 8;
  wrong[2].mtu = 1000;
  wrong[3].traffic_class = 256;
  wrong[4].setup_timeout = 0;
  wrong[5].receive_sge = 0;
  for (const raw_options& o : wrong) {
    raw_connection c(context);
    error_code ec;
    c.open(endpoint(any_port().address(), 1), o, ec);
    BOOST_TEST((ec == asio::error::invalid_argument), ec.message());
  }
  raw_options large;
  large.send_depth = 10000000;
  raw_acceptor acceptor(context, any_port());
  raw_connection c(context);
  error_code ec;
  c.open(acceptor.local_endpoint(), large, ec);
  BOOST_TEST((ec == errc::device_limit), ec.message());
}

BOOST_AUTO_TEST_CASE(a_gid_can_be_given_to_an_exchange) {
  connected_pair first(with(asio_rdma::raw_setup::exchange));
  raw_options o = with(asio_rdma::raw_setup::exchange);
  o.gid_index = first.client.limits().gid_index;
  o.port = first.client.limits().port;
  o.mtu = 1024;
  connected_pair p(o);
  BOOST_TEST(p.client.limits().gid_index == o.gid_index);
  BOOST_TEST(p.client.limits().mtu == 1024u);
  o.port = 200;
  raw_acceptor acceptor(p.context, any_port(), with(asio_rdma::raw_setup::exchange));
  raw_connection c(p.context);
  error_code ec;
  c.open(acceptor.local_endpoint(), o, ec);
  BOOST_TEST((ec == boost::system::errc::no_such_device), ec.message());
}

BOOST_AUTO_TEST_CASE(memory_of_every_kind) {
  connected_pair p;
  std::vector<char> own(5000, 'x');
  const registered_memory callers = p.client.register_memory(own.data(), own.size());
  BOOST_TEST((callers.as<char>() == own.data()));
  const local_buffer from = callers.slice(10, 4);
  p.client.post_send(work_request::write(from, p.client.peer_memory()));
  next_good(p.client);
  BOOST_TEST(std::string(p.server_memory.as<char>(), 4) == "xxxx");

  // A machine may have huge pages free, or say how to get some.
  error_code ec;
  const registered_memory huge = p.client.register_huge_pages(1, asio_rdma::memory_access::all, ec);
  if (ec) {
    BOOST_TEST((ec == errc::option_refused), ec.message());
    BOOST_TEST(ec.message().find("vm.nr_hugepages") != std::string::npos, ec.message());
  } else {
    BOOST_TEST(huge.size() >= 2u << 20);
  }

  // None of the devices that tests run on can reach another device's memory.
  const int file = ::memfd_create("not a dmabuf", MFD_CLOEXEC);
  BOOST_TEST_REQUIRE(file >= 0);
  (void)p.client.register_dmabuf(file, 0, 4096, asio_rdma::memory_access::all, ec);
  BOOST_TEST((ec == boost::system::errc::operation_not_supported), ec.message());
  ::close(file);

  const registered_memory local = p.server.register_memory(64, asio_rdma::memory_access::local);
  p.client.post_send(work_request::write(from, local.offer()));
  BOOST_TEST(next(p.client).status == IBV_WC_REM_ACCESS_ERR);
}

BOOST_AUTO_TEST_CASE(memory_outlives_its_connection) {
  registered_memory kept;
  {
    connected_pair p;
    kept = std::move(p.client_memory);
  }
  connected_pair p;
  const local_buffer from = kept.slice(0, 8);
  p.client.post_send(work_request::write(from, p.client.peer_memory()));
  next_good(p.client);
}

BOOST_AUTO_TEST_CASE(a_connection_counts_when_asked_to) {
  connected_pair p;
  p.client.probe(true);
  const local_buffer from = p.client_memory.slice(0, 8);
  std::vector<work_request> two(2, work_request::write(from, p.client.peer_memory()));
  p.client.post_send(two);
  next_good(p.client);
  next_good(p.client);
  const asio_rdma::raw_statistics& s = p.client.statistics();
  BOOST_TEST(s.posts == 1u);
  BOOST_TEST(s.requests == 2u);
  BOOST_TEST(s.completions == 2u);
  BOOST_TEST(s.polls == s.empty_polls + 2);
  BOOST_TEST(s.post_time.count() > 0);
}

BOOST_AUTO_TEST_CASE(waiting_sleeps_until_there_is_a_completion) {
  connected_pair p;
  p.server.post_receive(receive_request());
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    p.client.post_send(work_request::send());
  });
  work_completion found[4];
  BOOST_TEST(p.server.wait(found) == 1u);
  later.join();
  BOOST_TEST(found[0].ok());
  next_good(p.client);
}

BOOST_AUTO_TEST_SUITE_END()
