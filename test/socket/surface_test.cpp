// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Members of sockets, acceptors and resolvers in the form that returns an error_code and in the one that throws, as far
// as the other tests do not use them.

#include "fixture.hpp"

#include <set>
#include <unordered_set>

BOOST_AUTO_TEST_SUITE(surface)

/// The code that a function throws; none if it does not.
template <class Function>
error_code thrown_by(Function f) {
  try {
    f();
  } catch (const boost::system::system_error& e) {
    return e.code();
  }
  return {};
}

BOOST_AUTO_TEST_CASE(throwing_forms_of_a_closed_socket) {
  asio::io_context context;
  rc::socket s(context);
  char c = 0;
  const auto in = asio::buffer(&c, 1);
  const auto closed = asio::error::bad_descriptor;
  rc::socket::linger linger;
  rc::socket::bytes_readable readable;
  BOOST_TEST(thrown_by([&] { s.close(); }) == error_code());
  BOOST_TEST(thrown_by([&] { s.cancel(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.release(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.at_mark(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.available(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.bind(any_port()); }) == closed);
  BOOST_TEST(thrown_by([&] { s.set_option(rc::no_delay(true)); }) == closed);
  BOOST_TEST(thrown_by([&] { s.get_option(linger); }) == closed);
  BOOST_TEST(thrown_by([&] { s.io_control(readable); }) == closed);
  BOOST_TEST(thrown_by([&] { s.non_blocking(true); }) == closed);
  BOOST_TEST(thrown_by([&] { s.native_non_blocking(true); }) == closed);
  BOOST_TEST(thrown_by([&] { s.local_endpoint(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.remote_endpoint(); }) == closed);
  BOOST_TEST(thrown_by([&] { s.shutdown(rc::socket::shutdown_both); }) == closed);
  BOOST_TEST(thrown_by([&] { s.wait(rc::socket::wait_read); }) == closed);
  BOOST_TEST(thrown_by([&] { s.send(in); }) == closed);
  BOOST_TEST(thrown_by([&] { s.send(in, 0); }) == closed);
  BOOST_TEST(thrown_by([&] { s.receive(in); }) == closed);
  BOOST_TEST(thrown_by([&] { s.receive(in, 0); }) == closed);
  BOOST_TEST(thrown_by([&] { s.read_some(in); }) == closed);
  BOOST_TEST(thrown_by([&] { s.write_some(in); }) == closed);
  BOOST_TEST(thrown_by([&] { s.assign(rc::v4(), 0); }) == asio::error::operation_not_supported);
  BOOST_TEST(!s.is_open());
  BOOST_TEST(!s.non_blocking());
  BOOST_TEST(!s.native_non_blocking());
  BOOST_TEST(!s.native_handle());
  BOOST_TEST(thrown_by([&] { s.connect(deserted_endpoint()); }) == asio::error::connection_refused);
  BOOST_TEST(s.is_open());
  BOOST_TEST(thrown_by([&] { s.open(rc::v4()); }) == asio::error::already_open);
}

BOOST_AUTO_TEST_CASE(throwing_forms_of_a_closed_acceptor) {
  asio::io_context context, other;
  rc::acceptor a(context);
  rc::socket peer(context);
  rc::endpoint from;
  const auto closed = asio::error::bad_descriptor;
  rc::acceptor::reuse_address reuse;
  rc::acceptor::bytes_readable readable;
  BOOST_TEST(thrown_by([&] { a.close(); }) == error_code());
  BOOST_TEST(thrown_by([&] { a.cancel(); }) == closed);
  BOOST_TEST(thrown_by([&] { a.release(); }) == closed);
  BOOST_TEST(thrown_by([&] { a.bind(any_port()); }) == closed);
  BOOST_TEST(thrown_by([&] { a.listen(); }) == closed);
  BOOST_TEST(thrown_by([&] { a.set_option(rc::acceptor::reuse_address(true)); }) == closed);
  BOOST_TEST(thrown_by([&] { a.get_option(reuse); }) == closed);
  BOOST_TEST(thrown_by([&] { a.io_control(readable); }) == closed);
  BOOST_TEST(thrown_by([&] { a.non_blocking(true); }) == closed);
  BOOST_TEST(thrown_by([&] { a.native_non_blocking(true); }) == closed);
  BOOST_TEST(thrown_by([&] { a.local_endpoint(); }) == closed);
  BOOST_TEST(thrown_by([&] { a.wait(rc::acceptor::wait_read); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(peer); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(peer, from); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(other); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(from); }) == closed);
  BOOST_TEST(thrown_by([&] { a.accept(other, from); }) == closed);
  BOOST_TEST(thrown_by([&] { a.assign(rc::v4(), 0); }) == asio::error::operation_not_supported);
  a.open(rc::v4());
  BOOST_TEST(thrown_by([&] { a.open(rc::v4()); }) == asio::error::already_open);
  BOOST_TEST(thrown_by([&] { a.accept(peer); }) == asio::error::invalid_argument);  // it does not listen
}

BOOST_AUTO_TEST_CASE(asynchronous_operations_of_closed_objects) {
  asio::io_context context;
  rc::socket s(context);
  rc::acceptor a(context);
  char c = 0;
  int failed = 0;
  const auto transferred = [&](error_code ec, std::size_t n) { failed += ec == asio::error::bad_descriptor && n == 0; };
  const auto waited = [&](error_code ec) { failed += ec == asio::error::bad_descriptor; };
  s.async_send(asio::buffer(&c, 1), transferred);
  s.async_send(asio::buffer(&c, 1), 0, transferred);
  s.async_receive(asio::buffer(&c, 1), transferred);
  s.async_receive(asio::buffer(&c, 1), 0, transferred);
  s.async_read_some(asio::buffer(&c, 1), transferred);
  s.async_write_some(asio::buffer(&c, 1), transferred);
  s.async_wait(rc::socket::wait_read, waited);
  a.async_accept([&](error_code ec, rc::socket) { failed += ec == asio::error::bad_descriptor; });
  a.async_wait(rc::acceptor::wait_read, waited);
  BOOST_TEST(failed == 0);
  context.run();
  BOOST_TEST(failed == 9);
}

BOOST_AUTO_TEST_CASE(constructors) {
  asio::io_context context, other;
  const auto ex = context.get_executor();
  BOOST_TEST(!rc::socket(ex).is_open());
  BOOST_TEST(rc::socket(ex, rc::v4()).is_open());
  BOOST_TEST(rc::socket(context, rc::v6()).is_open());
  rc::socket bound(ex, any_port());
  BOOST_TEST(bound.local_endpoint().port() != 0);
  BOOST_TEST(bound.local_endpoint().address() == test_address());
  BOOST_TEST(!rc::acceptor(ex).is_open());
  BOOST_TEST(rc::acceptor(ex, rc::v4()).is_open());
  rc::acceptor a(context, any_port(), false);
  rc::acceptor released(other, rc::v4(), a.release());
  BOOST_TEST(!a.is_open());
  rc::socket client(other);
  client.connect(released.local_endpoint());
  rc::endpoint from;
  rc::socket server = released.accept(context, from);
  BOOST_TEST((server.get_executor() == asio::any_io_executor(ex)));
  BOOST_TEST(from == client.local_endpoint());
  BOOST_TEST((&server.lowest_layer() == &server));
}

BOOST_AUTO_TEST_CASE(converting_moves_and_rebound_executors) {
  using executor_type = asio::io_context::executor_type;
  using narrow_socket = rc::socket::rebind_executor<executor_type>::other;
  using narrow_acceptor = rc::acceptor::rebind_executor<executor_type>::other;
  asio::io_context context;
  narrow_acceptor narrow(context, any_port());
  rc::acceptor wide(std::move(narrow));
  BOOST_TEST(!narrow.is_open());
  narrow_socket client(context);
  client.connect(wide.local_endpoint());
  narrow_socket into_narrow(context);
  wide.accept(into_narrow);
  rc::socket server(std::move(into_narrow));
  BOOST_TEST(!into_narrow.is_open());
  rc::socket assigned(context, rc::v4());
  assigned = std::move(client);
  BOOST_TEST(!client.is_open());
  write_string(assigned, "moved");
  BOOST_TEST(read_string(server, 5) == "moved");
  // What was moved from works as if new.
  client.connect(wide.local_endpoint());
  rc::socket second = wide.accept();
  BOOST_TEST(second.is_open());
  // An acceptor with an executor of its own gives sockets of that.
  narrow_acceptor a(context, any_port());
  client.close();
  client.connect(a.local_endpoint());
  narrow_socket of_acceptor = a.accept();
  BOOST_TEST((of_acceptor.get_executor() == context.get_executor()));
}

BOOST_AUTO_TEST_CASE(every_shape_of_async_accept) {
  asio::io_context context, other;
  rc::acceptor a(context, any_port());
  int done = 0;
  rc::socket peer(context), second(context);
  rc::endpoint e1, e2, e3, e4;
  const auto into = [&](error_code ec) { done += !ec; };
  const auto moved = [&](error_code ec, const rc::socket& s) { done += !ec && s.is_open(); };
  a.async_accept(peer, into);
  a.async_accept(second, e1, into);
  a.async_accept(moved);
  a.async_accept(e2, moved);
  a.async_accept(other, moved);
  a.async_accept(other.get_executor(), moved);
  a.async_accept(other, e3, moved);
  a.async_accept(other.get_executor(), e4, moved);
  std::vector<rc::socket> clients;
  std::set<unsigned short> ports;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back(other);
    clients.back().connect(a.local_endpoint());
    ports.insert(clients.back().local_endpoint().port());
  }
  context.run();
  BOOST_TEST(done == 8);
  for (const rc::endpoint& e : {e1, e2, e3, e4}) BOOST_TEST(ports.count(e.port()) == 1u);
}

BOOST_AUTO_TEST_CASE(endpoints_and_protocols) {
  const rc::endpoint a(asio::ip::make_address("192.0.2.1"), 7), b(rc::v6(), 7);
  BOOST_TEST((a.protocol() == rc::v4()));
  BOOST_TEST((b.protocol() != rc::v4()));
  BOOST_TEST((a < b || b < a));
  std::ostringstream text;
  text << a;
  BOOST_TEST(text.str() == "192.0.2.1:7");
  std::unordered_set<rc::endpoint> endpoints{a, b, a};
  BOOST_TEST(endpoints.size() == 2u);
}

BOOST_AUTO_TEST_CASE(resolver) {
  asio::io_context context;
  rc::resolver r(context);
  error_code ec;
  const auto numeric = rc::resolver::numeric_host | rc::resolver::numeric_service;
  for (const auto& entry : r.resolve("127.0.0.1", "7", numeric)) {
    BOOST_TEST(entry.endpoint().port() == 7);
    BOOST_TEST(entry.host_name() == "127.0.0.1");
    BOOST_TEST(entry.service_name() == "7");
  }
  BOOST_TEST(r.resolve(rc::v6(), "::1", "7", numeric, ec).size() == 1u);
  BOOST_TEST(!ec);
  r.resolve("no number", "7", numeric, ec);
  BOOST_TEST(ec == asio::error::host_not_found);
  BOOST_TEST((thrown_by([&] { r.resolve("no number", "7", numeric); }) == asio::error::host_not_found));
  rc::acceptor acceptor(context, any_port());
  const std::string port = std::to_string(acceptor.local_endpoint().port());
  rc::socket client(context);
  bool connected = false;
  r.async_resolve(test_address().to_string(), port, [&](error_code e, const rc::resolver::results_type& results) {
    BOOST_TEST(!e);
    asio::async_connect(client, results, [&](error_code f, const rc::endpoint& to) {
      BOOST_TEST(!f);
      BOOST_TEST(to == acceptor.local_endpoint());
      connected = true;
    });
  });
  context.run();
  BOOST_TEST(connected);
  error_code result = asio::error::in_progress;
  r.async_resolve("127.0.0.1", "7", [&](error_code e, const rc::resolver::results_type&) { result = e; });
  r.cancel();
  run(context);
  BOOST_TEST((!result || result == asio::error::operation_aborted));  // its thread may have been faster
}

BOOST_AUTO_TEST_CASE(range_connect_with_a_condition_and_iterators) {
  asio::io_context context;
  rc::acceptor acceptor(context, any_port());
  const std::vector<rc::endpoint> candidates{acceptor.local_endpoint(), deserted_endpoint(), acceptor.local_endpoint()};
  rc::socket s(context);
  int asked = 0;
  const auto skip_first = [&](const error_code&, const rc::endpoint&) { return ++asked > 1; };
  const auto at = asio::connect(s, candidates.begin(), candidates.end(), skip_first);
  BOOST_TEST((at == candidates.begin() + 2));
  BOOST_TEST(asked == 3);
  error_code ec;
  rc::socket t(context);
  asio::connect(t, std::vector<rc::endpoint>(), ec);
  BOOST_TEST(ec == asio::error::not_found);
  // Closed by its user meanwhile.
  asio::async_connect(t, candidates, [&](error_code e, const rc::endpoint&) { ec = e; });
  t.close();
  context.run();
  BOOST_TEST(ec == asio::error::operation_aborted);
}

#if !defined(BOOST_ASIO_NO_DEPRECATED)
BOOST_AUTO_TEST_CASE(null_buffers_wait) {
  connected_pair p;
  int ready = 0;
  const auto handler = [&](error_code ec, std::size_t n) {
    BOOST_TEST(!ec);
    BOOST_TEST(n == 0u);
    ++ready;
  };
  p.server.async_receive(asio::null_buffers(), handler);
  p.server.async_send(asio::null_buffers(), handler);
  p.context.poll();
  BOOST_TEST(ready == 1);
  write_string(p.client, "x");
  run(p.context);
  BOOST_TEST(ready == 2);
  p.server.receive(asio::null_buffers());
  p.server.send(asio::null_buffers());
  BOOST_TEST(p.server.available() == 1u);
}
#endif

BOOST_AUTO_TEST_CASE(layers_of_buffers) {
  connected_pair p;
  asio::buffered_stream<rc::socket&> buffered(p.server);
  write_string(p.client, "line one\nline two\n");
  asio::streambuf lines;
  BOOST_TEST(asio::read_until(buffered, lines, "\n") == 9u);
  std::string second;
  std::getline(std::istream(&lines), second);
  BOOST_TEST(second == "line one");
  asio::write(buffered, asio::buffer("ok", 2));
  buffered.flush();
  BOOST_TEST(read_string(p.client, 2) == "ok");
}

BOOST_AUTO_TEST_SUITE_END()
