// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <asio_rdma/name_registry.hpp>

#include <memory>
#include <vector>

using asio_rdma::name_client;
using asio_rdma::name_entry;
using asio_rdma::name_resolver;
using asio_rdma::name_server;
using asio_rdma::name_table;
using std::chrono::seconds;

namespace {

const ud::endpoint here(asio::ip::make_address("10.0.0.1"), 7000);
const ud::endpoint there(asio::ip::make_address("fd77::1"), 7001);

/// A service that a thread runs.
struct service_fixture {
  explicit service_fixture(const name_table::limits& limits = {})
      : server(context.get_executor(), {asio::ip::address_v4::loopback(), 0}, limits),
        client(own.get_executor(), server.local_endpoint()),
        runner([this] { context.run(); }) {}
  ~service_fixture() {
    server.stop();
    work.reset();
    runner.join();
  }

  /// What the service answers to a text.
  std::string say(const std::string& text) {
    asio::ip::tcp::socket s(own);
    s.connect(server.local_endpoint());
    error_code ec;
    asio::write(s, asio::buffer(text), ec);
    std::string answer;
    asio::read_until(s, asio::dynamic_buffer(answer), "\n\n", ec);
    return answer;
  }

  asio::io_context context, own;
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  name_server server;
  name_client client;
  std::thread runner;
};

struct tight_fixture : service_fixture {
  tight_fixture() : service_fixture({2, 2, 2}) {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(names, *boost::unit_test::label("rdma"))

BOOST_AUTO_TEST_CASE(leases_end) {
  name_table table({10, 10, 10});
  const auto start = std::chrono::steady_clock::now();
  BOOST_TEST(!table.enter("a", here, seconds(10), start));
  BOOST_TEST(!table.enter("a", there, seconds(20), start));
  BOOST_TEST(table.look_up("a", start).size() == 2u);
  BOOST_TEST(table.look_up("a", start)[0].left.count() == 10);
  BOOST_TEST(!table.enter("a", here, seconds(30), start + seconds(9)));  // renewed
  BOOST_TEST(table.look_up("a", start + seconds(19)).size() == 2u);
  BOOST_TEST(table.look_up("a", start + seconds(20)).size() == 1u);
  BOOST_TEST(table.look_up("a", start + seconds(39)).empty());
  BOOST_TEST(table.size() == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_entered) {
  name_table table({1, 1, 1});
  const auto now = std::chrono::steady_clock::now();
  const auto is_refused = [&](const std::string& name, const ud::endpoint& e, seconds lease) {
    return table.enter(name, e, lease, now) == asio::error::invalid_argument;
  };
  BOOST_TEST(is_refused("", here, seconds(1)));
  BOOST_TEST(is_refused("two words", here, seconds(1)));
  BOOST_TEST(is_refused(std::string(129, 'x'), here, seconds(1)));
  BOOST_TEST(is_refused("a", ud::endpoint(here.address(), 0), seconds(1)));
  BOOST_TEST(is_refused("a", ud::endpoint(ud::v4(), 7), seconds(1)));
  BOOST_TEST(is_refused("a", here, seconds(0)));
  BOOST_TEST(is_refused("a", here, seconds(86401)));
  BOOST_TEST(!table.enter(std::string(128, 'x'), here, seconds(86400), now));
  BOOST_TEST(table.enter("a", here, seconds(1), now) == asio::error::no_buffer_space);
  BOOST_TEST(table.enter(std::string(128, 'x'), there, seconds(1), now) == asio::error::no_buffer_space);
  table.remove(std::string(128, 'x'), there);
  table.remove(std::string(128, 'x'), here);
  BOOST_TEST(!table.enter("a", here, seconds(1), now));
}

BOOST_FIXTURE_TEST_CASE(enter_look_up_list_and_remove, service_fixture) {
  BOOST_TEST(client.look_up("echo").empty());
  client.enter("echo", here, seconds(60));
  client.enter("echo", there, seconds(60));
  client.enter("echo/2", here, seconds(60));
  client.enter("other", here, seconds(60));
  const std::vector<name_entry> found = client.look_up("echo");
  BOOST_REQUIRE(found.size() == 2u);
  BOOST_TEST(found[0].endpoint == here);
  BOOST_TEST(found[1].endpoint == there);
  BOOST_TEST(found[0].left.count() > 50);
  BOOST_TEST(client.list().size() == 4u);
  BOOST_TEST(client.list("echo").size() == 3u);
  BOOST_TEST(client.list("none").empty());
  client.remove("echo", here);
  client.remove("echo", here);
  BOOST_TEST(client.look_up("echo").size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_lease_that_is_not_renewed_ends, service_fixture) {
  client.enter("short", here, seconds(1));
  BOOST_TEST(client.look_up("short").size() == 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  BOOST_TEST(client.look_up("short").empty());
}

BOOST_FIXTURE_TEST_CASE(asynchronously, service_fixture) {
  std::size_t found = 0;
  client.async_enter("name", here, seconds(60), [&](error_code ec) {
    BOOST_TEST(!ec);
    client.async_look_up("name", [&](error_code e, std::vector<name_entry> entries) {
      BOOST_TEST(!e);
      found = entries.size();
    });
  });
  own.run();
  BOOST_TEST(found == 1u);
}

BOOST_FIXTURE_TEST_CASE(refusals_say_why, service_fixture) {
  error_code ec;
  client.enter("no name", here, seconds(1), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  BOOST_TEST(client.last_answer().find("invalid name") == 0u);
  BOOST_TEST(client.look_up("name\nREMOVE name 10.0.0.1 7000", ec).empty());
  BOOST_TEST(ec == asio::error::invalid_argument);
  client.enter("name", here, seconds(0), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  BOOST_TEST(client.last_answer() == "invalid lease: 1 to 86400 seconds");
  client.enter("name", ud::endpoint(), seconds(1), ec);
  BOOST_TEST(ec == asio::error::invalid_argument);
  BOOST_TEST(client.last_answer().find("invalid endpoint") == 0u);
}

BOOST_FIXTURE_TEST_CASE(whatever_is_said_gets_an_answer_and_harms_nobody, service_fixture) {
  client.enter("name", here, seconds(60));
  for (const char* text : {"\n", "HELLO\n", "LOOKUP\n", "LOOKUP a b\n", "REGISTER a b c d\n",
                           "REMOVE a 1.2.3.4 99999\n", "REGISTER a 1.2.3.4 1 -5\n",
                           "REGISTER a 1.2.3.4 1 99999999999999999999\n"}) {
    BOOST_TEST(say(text).find("ERROR ") == 0u, text);
  }
  BOOST_TEST(say(std::string(5000, 'x')).find("ERROR the line is too long") == 0u);
  BOOST_TEST(say("LOOKUP name\nLOOKUP name\n").find("OK\nname 10.0.0.1 7000 ") == 0u);
  BOOST_TEST(client.look_up("name").size() == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_full_table_and_too_many_clients, tight_fixture) {
  client.enter("one", here, seconds(60));
  client.enter("two", here, seconds(60));
  error_code ec;
  client.enter("three", here, seconds(60), ec);
  BOOST_TEST(ec == asio::error::no_buffer_space);
  BOOST_TEST(client.last_answer().find("full") == 0u);
  asio::ip::tcp::socket first(own), second(own);
  first.connect(server.local_endpoint());
  second.connect(server.local_endpoint());
  for (asio::ip::tcp::socket* s : {&first, &second}) {
    asio::write(*s, asio::buffer("LIST\n", 5));
    std::string answer;
    asio::read_until(*s, asio::dynamic_buffer(answer), "\n\n");
  }
  (void)client.list({}, ec);
  BOOST_TEST(static_cast<bool>(ec));
  first.close();
  second.close();
  for (int i = 0; i < 100 && ec; ++i) {
    (void)client.list({}, ec);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  BOOST_TEST(!ec);
}

BOOST_AUTO_TEST_CASE(nobody_there) {
  asio::io_context context;
  asio::ip::tcp::endpoint nobody;
  {
    asio::ip::tcp::acceptor a(context, {asio::ip::address_v4::loopback(), 0});
    nobody = a.local_endpoint();
  }
  name_client client(context.get_executor(), nobody);
  error_code ec;
  BOOST_TEST(client.look_up("name", ec).empty());
  BOOST_TEST(ec == asio::error::connection_refused);
}

BOOST_FIXTURE_TEST_CASE(a_resolver_of_names, service_fixture) {
  name_resolver resolver(own.get_executor(), server.local_endpoint());
  error_code ec;
  BOOST_TEST(resolver.resolve("name", ec).empty());
  BOOST_TEST(ec == asio::error::host_not_found);
  client.enter("name", here, seconds(60));
  name_resolver::results_type results = resolver.resolve("name");
  BOOST_REQUIRE(results.size() == 1u);
  BOOST_TEST(results.begin()->endpoint() == here);
  BOOST_TEST(results.begin()->host_name() == "name");
  std::size_t found = 0;
  resolver.async_resolve("name", [&](error_code e, name_resolver::results_type r) {
    BOOST_TEST(!e);
    found = r.size();
  });
  own.run();
  BOOST_TEST(found == 1u);
}

BOOST_FIXTURE_TEST_CASE(one_sender_finds_a_hundred_receivers, service_fixture) {
  std::vector<std::unique_ptr<ud::socket>> receivers;
  for (int i = 0; i < 100; ++i) {
    receivers.push_back(std::make_unique<ud::socket>(own, any_port()));
    client.enter("receiver/" + std::to_string(i), receivers.back()->local_endpoint(), seconds(600));
  }
  ud::socket sender(own, any_port());
  const auto all = client.list("receiver/");
  BOOST_REQUIRE(all.size() == 100u);
  for (const name_entry& e : all) sender.send_to(asio::buffer(e.name), e.endpoint);
  for (int i = 0; i < 100; ++i) {
    ud::endpoint from;
    BOOST_TEST(receive_string(*receivers[static_cast<std::size_t>(i)], &from) == "receiver/" + std::to_string(i));
    BOOST_TEST(from == sender.local_endpoint());
  }
}

BOOST_AUTO_TEST_SUITE_END()
