// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include "socket/parameter.hpp"
#include "support/cm_events.hpp"
#include "support/usage.hpp"

#include <asio_rdma/statistics_text.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <ostream>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

namespace fault_test {

namespace {

using asio_rdma::rc;
using test_support::cm_events;
using test_support::injector;
using clock = std::chrono::steady_clock;

/// What there is in this process.
struct census {
  std::map<std::string, long> objects = injector::living();
  std::size_t sockets = asio_rdma::snapshot().sockets.size();
  std::size_t descriptors = test_support::usage::count_descriptors();

  /// Nothing is left. Of descriptors there may be fewer: soft0 holds other processes' completion channels while they
  /// live.
  bool is_no_more_than(const census& before) const {
    return objects == before.objects && sockets == before.sockets && descriptors <= before.descriptors;
  }
  friend std::ostream& operator<<(std::ostream& out, const census& c) {
    out << c.sockets << " sockets, " << c.descriptors << " descriptors";
    for (const auto& [kind, count] : c.objects) out << ", " << count << ' ' << kind;
    return out;
  }
};

/// What connections leave behind goes away in the background.
template <class Condition>
bool wait_until(Condition condition) {
  const auto end = clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

/// A connection that has nothing to do with the others.
class bystander {
public:
  bystander() {
    rc::acceptor acceptor(context_, {test_address(), 0});
    client_.connect(acceptor.local_endpoint());
    acceptor.accept(server_);
  }

  void work() {
    const std::string text = pattern(1000, ++turn_);
    std::string there(text.size(), '\0'), back(text.size(), '\0');
    error_code result = asio::error::would_block;
    const auto failed = [&](const error_code& ec) {
      result = ec;
      return static_cast<bool>(ec);
    };
    asio::async_write(client_, asio::buffer(text), [&](error_code ec, std::size_t) {
      if (failed(ec)) return;
      asio::async_read(server_, asio::buffer(there), [&](error_code ec2, std::size_t) {
        if (failed(ec2)) return;
        asio::async_write(server_, asio::buffer(there), [&](error_code ec3, std::size_t) {
          if (failed(ec3)) return;
          result = asio::error::would_block;
          asio::async_read(client_, asio::buffer(back), [&](error_code ec4, std::size_t) { failed(ec4); });
        });
      });
    });
    run(context_);
    BOOST_TEST_REQUIRE(!result, "a connection beside it: " << result.message());
    BOOST_TEST((back == text));
  }

private:
  asio::io_context context_;
  rc::socket client_{context_};
  rc::socket server_{context_};
  unsigned turn_ = 0;
};

void check_received(const end& e, const std::string& sent) {
  BOOST_TEST(e.has_ended);
  if (e.is_complete) BOOST_TEST((e.received == sent), "an end without an error came after " << e.received.size());
  BOOST_TEST((sent.compare(0, e.received.size(), e.received) == 0), "what was received was not sent");
}

/// Which call fails in turn: each at first, fewer and fewer of the many of a data path.
unsigned next_call(unsigned n, bool is_data_path) {
  return is_data_path && n >= 8 ? n + n / 2 : n + 1;
}

}  // namespace

std::string pattern(std::size_t size, unsigned seed) {
  std::string result(size, '\0');
  unsigned state = seed;
  for (char& c : result) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<char>(state >> 24);
  }
  return result;
}

void run(asio::io_context& context) {
  context.restart();
  context.run_for(std::chrono::seconds(30));
  BOOST_TEST_REQUIRE(context.stopped(), "something hangs: " << asio_rdma::snapshot());
}

error_code check_both(const end& client, const end& server, const std::string& to_client, const std::string& to_server,
                      bool is_faulty) {
  check_received(client, to_client);
  check_received(server, to_server);
  const error_code result = client.result ? client.result : server.result;
  BOOST_TEST((is_faulty || !result), result.message());
  BOOST_TEST((client.result != asio::error::operation_aborted), "the other end: " << server.result.message()
                                                                 << "; received: " << client.received.size());
  BOOST_TEST((client.result || server.result != asio::error::operation_aborted));
  if (!result) BOOST_TEST((client.is_complete && server.is_complete));
  return result;
}

void settle() {
  for (census last, next;; last = next) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    next = census();
    if (next.objects == last.objects && next.sockets == last.sockets && next.descriptors == last.descriptors) return;
  }
}

void leaves_nothing(const std::function<void()>& scenario) {
  const census before;
  scenario();
  census after;
  const auto is_nothing_left = [&] {
    return injector::living() == before.objects && (after = census()).is_no_more_than(before);
  };
  BOOST_TEST_REQUIRE(wait_until(is_nothing_left), "left behind: " << after << "; before: " << before);
}

namespace {

/// An event that the connection manager may have for an id, whatever else it has.
struct odd_event {
  rdma_cm_event_type type;
  int status = 0;
  bool is_harmless = false;
};

/// Runs a scenario beside another connection, with faults.
class faulty_runs {
public:
  using scenario_type = std::function<error_code(bool)>;

  explicit faulty_runs(const scenario_type& scenario) : scenario_(scenario) {
    const census with_other = settled_objects();
    (void)scenario_(false);  // what is made once and kept
    other_.work();
    BOOST_TEST_REQUIRE(wait_until([&] { return census().objects == with_other.objects; }));
    BOOST_TEST_REQUIRE(!once(false));
  }
  ~faulty_runs() {
    BOOST_TEST(faults_ > 0u);
    for (const auto& [name, results] : seen_) {
      std::string list;
      for (const std::string& r : results) list += "; " + r;
      BOOST_TEST_MESSAGE(name << list);
    }
    BOOST_TEST_MESSAGE(faults_ << " faults");
  }
  faulty_runs(const faulty_runs&) = delete;
  faulty_runs& operator=(const faulty_runs&) = delete;

  /// False if there is no such call.
  bool run(std::size_t point, int error, unsigned nth, unsigned how_many) {
    const char* const name = injector::points()[point].name;
    bool struck = false;
    BOOST_TEST_CONTEXT(name << ", call " << nth << ": " << std::generic_category().message(error)) {
      injector::fail(point, nth, error, how_many);
      const error_code result = once(true);
      struck = note(name, result, injector::stop());
    }
    return struck;
  }

  /// False if there is no such event.
  bool insert(const odd_event& e, unsigned nth, bool before) {
    const std::string name = "event type " + std::to_string(e.type);  // its name is rdma-core's to tell
    bool struck = false;
    BOOST_TEST_CONTEXT(name << (before ? " before event " : " after event ") << nth) {
      cm_events::insert(e.type, e.status, nth, before);
      const error_code result = once(!e.is_harmless);
      struck = note(name, result, cm_events::stop());
    }
    return struck;
  }

  void shuffle(unsigned seed) {
    BOOST_TEST_CONTEXT("order " << seed) {
      cm_events::shuffle(seed, 2000);
      const error_code result = once(false);
      note("another order", result, cm_events::stop());
      BOOST_TEST(!result, result.message());
    }
  }

private:
  /// Once the connections of an earlier test are gone, all that there is is the other one's.
  static census settled_objects() {
    BOOST_TEST_REQUIRE(wait_until([] { return injector::living()["QPs"] == 2 && injector::living()["ids"] == 2; }));
    return census();
  }

  bool note(const std::string& name, const error_code& result, bool struck) {
    if (struck) {
      ++faults_;
      seen_[name].insert(result.message());
    } else {
      BOOST_TEST(!result, result.message());
    }
    return struck;
  }

  error_code once(bool is_faulty) {
    error_code result;
    leaves_nothing([&] {
      result = scenario_(is_faulty);
      injector::stop();
      cm_events::stop();
    });
    other_.work();
    return result;
  }

  const scenario_type& scenario_;
  bystander other_;
  unsigned faults_ = 0;
  std::map<std::string, std::set<std::string>> seen_;
};

}  // namespace

void fail_each_call(const std::function<error_code(bool)>& scenario) {
  // How many calls of a kind, at most, fail in turn with the same error.
  const int most = parameter("ASIO_RDMA_TEST_FAULTS", 20, 1);
  faulty_runs runs(scenario);
  for (std::size_t i = 0; i < injector::points().size(); ++i) {
    const injector::point& p = injector::points()[i];
    for (const int error : p.errors) {
      unsigned n = 1;
      for (int turn = 0; turn < most && runs.run(i, error, n, 1); ++turn) n = next_call(n, p.is_data_path);
      if (n == 1 || most == 1) break;  // there is none, or no time for the others
    }
  }
}

void insert_each_event(const std::function<error_code(bool)>& scenario) {
  constexpr int timed_out = -ETIMEDOUT, stale = 10;  // the latter is a reason of InfiniBand's to reject
  constexpr odd_event events[] = {
      {RDMA_CM_EVENT_ADDR_CHANGE, 0, true},
      {RDMA_CM_EVENT_TIMEWAIT_EXIT, 0, true},
      {RDMA_CM_EVENT_ADDR_ERROR, timed_out},
      {RDMA_CM_EVENT_ROUTE_ERROR, timed_out},
      {RDMA_CM_EVENT_UNREACHABLE, timed_out},
      {RDMA_CM_EVENT_CONNECT_ERROR, -EINVAL},
      {RDMA_CM_EVENT_REJECTED, stale},
      {RDMA_CM_EVENT_DISCONNECTED},
      {RDMA_CM_EVENT_DEVICE_REMOVAL},
  };
  faulty_runs runs(scenario);
  for (const odd_event& e : events) {
    for (const bool before : {true, false}) {
      for (unsigned n = 1; n < 100 && runs.insert(e, n, before); ++n) {
      }
    }
  }
}

void shuffle_events(unsigned times, const std::function<error_code(bool)>& scenario) {
  faulty_runs runs(scenario);
  for (unsigned seed = 0; seed < times; ++seed) runs.shuffle(seed);
}

void fail_from_each_call_on(const std::function<error_code(bool)>& scenario) {
  const int most = parameter("ASIO_RDMA_TEST_FAULTS", 20, 1);
  faulty_runs runs(scenario);
  for (std::size_t i = 0; i < injector::points().size(); ++i) {
    const injector::point& p = injector::points()[i];
    unsigned n = 1;
    for (int turn = 0; turn < most && runs.run(i, p.errors.front(), n, ~0u); ++turn) n *= 3;
  }
}

}  // namespace fault_test
