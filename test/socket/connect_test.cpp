// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

BOOST_AUTO_TEST_SUITE(connecting)

BOOST_AUTO_TEST_CASE(connect_succeeds_before_accept_in_one_thread) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  BOOST_TEST(acceptor.local_endpoint().port() != 0);
  rc::socket client(context), server(context);
  client.connect(acceptor.local_endpoint());
  rc::endpoint peer;
  acceptor.accept(server, peer);
  BOOST_TEST(client.remote_endpoint() == acceptor.local_endpoint());
  BOOST_TEST(server.local_endpoint() == client.remote_endpoint());
  BOOST_TEST(server.remote_endpoint() == client.local_endpoint());
  BOOST_TEST(peer == client.local_endpoint());
}

BOOST_AUTO_TEST_CASE(what_was_written_before_accept_arrives) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  write_string(client, "early");
  rc::socket server = acceptor.accept();
  BOOST_TEST(read_string(server, 5) == "early");
}

BOOST_AUTO_TEST_CASE(nobody_listening_is_connection_refused) {
  const rc::endpoint nobody = deserted_endpoint();
  asio::io_context context;
  rc::socket s(context);
  error_code ec;
  s.connect(nobody, ec);
  BOOST_TEST(ec == asio::error::connection_refused);
  BOOST_TEST(s.is_open());
  BOOST_TEST((asio_rdma::last_failure(s).step == asio_rdma::failure_step::connect));
  BOOST_TEST(!asio_rdma::last_failure(s).text.empty());

  s.async_connect(nobody, [&](error_code e) { ec = e; });
  ec = error_code();
  context.run();
  BOOST_TEST(ec == asio::error::connection_refused);

  // The socket can go on to connect elsewhere.
  rc::acceptor acceptor(context, any_port());
  s.connect(acceptor.local_endpoint());
  rc::socket server = acceptor.accept();
  write_string(s, "after all");
  BOOST_TEST(read_string(server, 9) == "after all");
}

BOOST_AUTO_TEST_CASE(range_connect_takes_the_first_that_answers) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  const std::vector<rc::endpoint> candidates{deserted_endpoint(), acceptor.local_endpoint()};
  rc::socket s(context);
  BOOST_TEST(asio::connect(s, candidates) == candidates[1]);
}

BOOST_AUTO_TEST_CASE(synchronous_connect_blocks_on_a_non_blocking_socket_too) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket s(context, acceptor.local_endpoint().protocol());
  s.non_blocking(true);
  s.connect(acceptor.local_endpoint());
  BOOST_TEST(s.non_blocking());
  BOOST_TEST(s.remote_endpoint() == acceptor.local_endpoint());
}

BOOST_AUTO_TEST_CASE(connect_twice_fails) {
  connected_pair p;
  error_code ec;
  p.client.connect(p.client.remote_endpoint(), ec);
  BOOST_TEST(ec == asio::error::already_connected);
}

BOOST_AUTO_TEST_CASE(cancelled_connect_leaves_a_socket_that_can_connect) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket s(context);
  int calls = 0;
  error_code result;
  s.async_connect(acceptor.local_endpoint(), [&](error_code ec) {
    ++calls;
    result = ec;
  });
  s.cancel();
  context.run();
  BOOST_TEST(calls == 1);
  // It may have been too late to cancel.
  if (result) {
    BOOST_TEST(result == asio::error::operation_aborted);
    s.connect(acceptor.local_endpoint());
  }
  write_string(s, "x");
  // What the cancelled attempt left behind, if anything, ends at once.
  for (;;) {
    rc::socket server = acceptor.accept();
    error_code ec;
    char c = 0;
    if (server.read_some(asio::buffer(&c, 1), ec) == 0) continue;
    BOOST_TEST(c == 'x');
    break;
  }
}

BOOST_AUTO_TEST_CASE(connect_cancelled_after_it_succeeded_leaves_a_socket_that_can_connect) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket s(context);
  error_code result;
  s.async_connect(acceptor.local_endpoint(), [&](error_code ec) { result = ec; });
  rc::socket first = acceptor.accept();  // so the connection is there, but nobody has run the context
  s.cancel();
  context.run();
  if (!result) {  // on a fast device it may have been done before async_connect() returned
    write_string(s, "x");
    BOOST_TEST(read_string(first, 1) == "x");
    return;
  }
  BOOST_TEST(result == asio::error::operation_aborted);
  error_code ec;
  char c = 0;
  first.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::eof);
  s.connect(acceptor.local_endpoint());
  rc::socket second = acceptor.accept();
  write_string(s, "x");
  BOOST_TEST(read_string(second, 1) == "x");
}

BOOST_AUTO_TEST_CASE(close_while_connecting_aborts) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  rc::socket s(context);
  int calls = 0;
  s.async_connect(acceptor.local_endpoint(), [&](error_code) { ++calls; });
  s.close();
  BOOST_TEST(calls == 0);
  context.run();
  BOOST_TEST(calls == 1);
}

BOOST_AUTO_TEST_CASE(several_accepts_outstanding) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  std::vector<rc::socket> servers;
  for (int i = 0; i < 3; ++i) {
    acceptor.async_accept([&](error_code ec, rc::socket s) {
      BOOST_TEST(!ec);
      servers.push_back(std::move(s));
    });
  }
  std::vector<rc::socket> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(context);
    clients.back().async_connect(acceptor.local_endpoint(), [](error_code ec) { BOOST_TEST(!ec); });
  }
  context.run();
  BOOST_TEST(servers.size() == 3u);
}

BOOST_AUTO_TEST_CASE(accepted_socket_lives_on_another_context) {
  asio::io_context listening, talking;
  rc::acceptor acceptor(listening, any_port());
  rc::socket client(listening), server(talking);
  rc::endpoint peer;
  bool accepted = false;
  acceptor.async_accept(server, peer, [&](error_code ec) {
    BOOST_TEST(!ec);
    accepted = true;
  });
  client.connect(acceptor.local_endpoint());
  listening.run();
  BOOST_REQUIRE(accepted);
  BOOST_TEST(peer == client.local_endpoint());

  char c = 0;
  server.async_read_some(asio::buffer(&c, 1), [](error_code ec, std::size_t) { BOOST_TEST(!ec); });
  write_string(client, "x");
  BOOST_TEST(run(listening) == 0u);
  BOOST_TEST(talking.run() >= 1u);
  BOOST_TEST(c == 'x');
}

BOOST_AUTO_TEST_CASE(accept_into_an_open_socket_fails) {
  connected_pair p;
  rc::acceptor acceptor(p.context, any_port());
  error_code ec;
  acceptor.accept(p.server, ec);
  BOOST_TEST(ec == asio::error::already_open);
  acceptor.async_accept(p.server, [&](error_code e) { ec = e; });
  ec = error_code();
  p.context.run();
  BOOST_TEST(ec == asio::error::already_open);
}

BOOST_AUTO_TEST_CASE(non_blocking_accept) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  acceptor.non_blocking(true);
  error_code ec;
  rc::socket server = acceptor.accept(ec);
  BOOST_TEST(ec == asio::error::would_block);

  rc::socket client(context);
  client.connect(acceptor.local_endpoint());
  acceptor.non_blocking(false);
  acceptor.wait(rc::acceptor::wait_read);
  acceptor.non_blocking(true);
  server = acceptor.accept();
  write_string(client, "in");
  BOOST_TEST(read_string(server, 2) == "in");
}

BOOST_AUTO_TEST_CASE(acceptor_that_closes_aborts_its_accepts) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  error_code result;
  acceptor.async_accept([&](error_code ec, rc::socket s) {
    result = ec;
    BOOST_TEST(!s.is_open());
  });
  acceptor.close();
  context.run();
  BOOST_TEST(result == asio::error::operation_aborted);
}

BOOST_AUTO_TEST_CASE(misuse_gives_the_errors_of_asio) {
  asio::io_context context;
  rc::socket s(context);
  error_code ec;
  s.close(ec);
  BOOST_TEST(!ec);
  s.cancel(ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
  s.release(ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
  char c = 0;
  s.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::bad_descriptor);
  s.open(rc::v4());
  s.open(rc::v4(), ec);
  BOOST_TEST(ec == asio::error::already_open);
  s.read_some(asio::buffer(&c, 1), ec);
  BOOST_TEST(ec == asio::error::not_connected);
  s.remote_endpoint(ec);
  BOOST_TEST(ec == asio::error::not_connected);
  s.shutdown(rc::socket::shutdown_send, ec);
  BOOST_TEST(ec == asio::error::not_connected);
  rc::socket foreign(context);
  foreign.assign(rc::v4(), 0, ec);  // a kernel's descriptor
  BOOST_TEST(ec == asio::error::operation_not_supported);
}

BOOST_AUTO_TEST_SUITE_END()
