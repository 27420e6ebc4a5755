// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// How handlers of every kind of operation are kept and called, whether it was done at once or later.

#include "heap_counter.hpp"
#include "tracking.hpp"

#include <memory>

BOOST_AUTO_TEST_SUITE(upcalls)

BOOST_AUTO_TEST_CASE(a_wake_up_does_not_overtake_a_posted_handler) {
  connected_pair p;
  char a = 0, b = 0;
  std::string order;
  p.server.async_read_some(asio::buffer(&a, 1), [&](error_code, std::size_t) { order += a; });
  p.server.async_read_some(asio::buffer(&b, 1), [&](error_code, std::size_t) { order += b; });
  write_string(p.client, "1");
  const auto until_it_is_there = std::chrono::milliseconds(20);
  std::this_thread::sleep_for(until_it_is_there);
  // By now the descriptor is readable. When this runs, the wake-up is queued; the call finds the first byte, and its
  // handler is queued behind the wake-up, which finds the second one.
  asio::post(p.context, [&] {
    p.server.write_some(asio::buffer("x", 1));
    write_string(p.client, "2");
    std::this_thread::sleep_for(until_it_is_there);
  });
  p.context.run();
  BOOST_TEST(order == "12");
}

/// Checks where it is called from. It can be moved only.
struct tracked_handler {
  template <class... Results>
  void operator()(error_code, Results&&...) {
    BOOST_TEST(!initiating());
    BOOST_TEST(tracker::current() == expected);
    ++*calls;
  }
  tracker* expected;
  int* calls;
  std::unique_ptr<int> alive = std::make_unique<int>(1);
};

struct tracked_handler_with_executor : tracked_handler {
  using executor_type = tracking_executor;
  executor_type get_executor() const noexcept { return executor; }
  tracking_executor executor;
};

template <class Handler>
void check_upcall(kind k, bool at_once, asio::io_context& own, asio::io_context& other, const tracking_executor& ex,
                  Handler handler) {
  BOOST_TEST_CONTEXT(name_of(k) << (at_once ? " done at once" : " done later")) {
    int calls = 0;
    handler.calls = &calls;
    scene<tracking_executor> s(ex);
    s.prepare(k, at_once);
    // From within the context, where dispatch would call it.
    asio::post(ex, [&] { s.start(k, std::move(handler)); });
    own.poll();
    if (!at_once) s.trigger(k);
    run(own);
    run(other);
    BOOST_TEST(calls == 1);
  }
}

BOOST_AUTO_TEST_CASE(never_inside_the_initiating_function_and_on_the_sockets_executor) {
  for (const kind k : all_kinds) {
    for (const bool at_once : {true, false}) {
      asio::io_context context, other;
      tracker t;
      const tracking_executor ex(context.get_executor(), t);
      check_upcall(k, at_once, context, other, ex, tracked_handler{&t, nullptr});
    }
  }
}

BOOST_AUTO_TEST_CASE(never_inside_the_initiating_function_and_on_the_handlers_executor) {
  for (const kind k : all_kinds) {
    for (const bool at_once : {true, false}) {
      asio::io_context context, other;
      tracker t, handlers;
      const tracking_executor ex(context.get_executor(), t), own(other.get_executor(), handlers);
      check_upcall(k, at_once, context, other, ex, tracked_handler_with_executor{{&handlers, nullptr}, own});
    }
  }
}

/// A cancelled operation's handler is called as one that is done later is.
BOOST_AUTO_TEST_CASE(cancelled_operations_too) {
  asio::io_context context, other;
  tracker t, handlers;
  const tracking_executor ex(context.get_executor(), t), own(other.get_executor(), handlers);
  rc::socket::rebind_executor<tracking_executor>::other s(ex);
  rc::socket client(other);
  {
    rc::acceptor acceptor(other, any_port());
    client.connect(acceptor.local_endpoint());
    acceptor.accept(s);
  }
  int calls = 0;
  char c = 0;
  asio::post(ex, [&] {
    s.async_read_some(asio::buffer(&c, 1), tracked_handler{&t, &calls});
    s.async_read_some(asio::buffer(&c, 1), tracked_handler_with_executor{{&handlers, &calls}, own});
    initiating() = true;
    s.cancel();
    initiating() = false;
  });
  context.run();
  BOOST_TEST(calls == 1);
  other.run();
  BOOST_TEST(calls == 2);
}

struct arena_handler {
  using allocator_type = arena_allocator<char>;
  allocator_type get_allocator() const noexcept { return allocator_type(*a); }
  template <class... Results>
  void operator()(error_code, Results&&...) const {
    *heap = heap_allocations();
    ++*calls;
    BOOST_TEST(a->out == 0);  // the next operation can have the same memory
    BOOST_TEST(a->taken > 0);
  }
  arena* a;
  int* calls;
  std::size_t* heap;
};

BOOST_AUTO_TEST_CASE(memory_comes_from_the_handlers_allocator_and_is_free_when_it_is_called) {
  using executor_type = asio::io_context::executor_type;
  for (const kind k : all_kinds) {
    for (const bool at_once : {true, false}) {
      BOOST_TEST_CONTEXT(name_of(k) << (at_once ? " done at once" : " done later")) {
        asio::io_context context;
        scene<executor_type> s(context.get_executor());
        s.prepare(k, at_once);
        arena a;
        int calls = 0;
        std::size_t heap = 0;
        s.start(k, arena_handler{&a, &calls, &heap});
        context.poll();
        if (!at_once) s.trigger(k);
        run(context);
        BOOST_TEST(calls == 1);
        BOOST_TEST(a.out == 0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(no_other_memory_is_taken_once_a_socket_was_used) {
  using executor_type = asio::io_context::executor_type;
  for (const kind k : {kind::read, kind::write, kind::wait_read, kind::wait_write}) {
    BOOST_TEST_CONTEXT(name_of(k)) {
      arena a, waiting;  // they outlive the wait, which ends with its socket
      int calls = 0;
      std::size_t before = 0, after = 0, ignored = 0;
      asio::io_context context;
      scene<executor_type> s(context.get_executor());
      s.prepare(kind::wait_error, false);
      s.start(kind::wait_error, arena_handler{&waiting, &calls, &ignored});
      context.poll();
      // The first ones may make what stays.
      for (int round = 1; round <= 100; ++round) {
        s.prepare(k, true);
        before = heap_allocations();
        s.start(k, arena_handler{&a, &calls, &after});
        context.restart();
        while (calls < round) context.run_one();
      }
      BOOST_TEST(after == before);
      BOOST_TEST(waiting.out == 1);
    }
  }
}

#if BOOST_VERSION >= 108200
/// Calls at once, and says so.
struct inline_executor {
  template <class Function>
  void execute(Function&& f) const {
    std::forward<Function>(f)();
  }
  asio::execution_context& query(asio::execution::context_t) const noexcept { return *context; }
  friend bool operator==(const inline_executor&, const inline_executor&) noexcept { return true; }
  friend bool operator!=(const inline_executor&, const inline_executor&) noexcept { return false; }
  asio::execution_context* context;
};

BOOST_AUTO_TEST_CASE(immediate_executor_is_used_for_what_was_done_at_once) {
  for (const kind k : all_kinds) {
    BOOST_TEST_CONTEXT(name_of(k)) {
      asio::io_context context;
      scene<asio::any_io_executor> s(context.get_executor());
      s.prepare(k, true);
      int calls = 0;
      s.start(k, asio::bind_immediate_executor(inline_executor{&context}, [&](error_code, auto&&...) {
                BOOST_TEST(initiating());
                ++calls;
              }));
      BOOST_TEST(calls == 1);
      // A handler with an executor of its own is called there, for all that.
      scene<asio::any_io_executor> s2(context.get_executor());
      s2.prepare(k, true);
      s2.start(k,
               asio::bind_executor(context.get_executor(),
                                   asio::bind_immediate_executor(inline_executor{&context}, [&](error_code, auto&&...) {
                                     BOOST_TEST(context.get_executor().running_in_this_thread());
                                     ++calls;
                                   })));
      BOOST_TEST(calls == 1);
      run(context);
      BOOST_TEST(calls == 2);
    }
  }
}
#endif

BOOST_AUTO_TEST_SUITE_END()
