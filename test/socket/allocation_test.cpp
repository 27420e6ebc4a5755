// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "fixture.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t allocations = 0;
}

// Counts what this thread takes from the heap. Not to be inlined: GCC 12 would take new and free for a mismatch. Those
// that do not throw are replaced too (std::stable_sort uses one): AddressSanitizer has its own, whose memory is not
// free()'s.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* p = operator new(size, std::nothrow)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}

BOOST_AUTO_TEST_SUITE(allocation)

/// Two sockets that throw a ball to and fro.
template <class Socket>
struct game {
  game(Socket& a, Socket& b) : from(&a), to(&b) {}

  void play() {
    asio::async_write(*from, asio::buffer(ball), [](error_code, std::size_t) {});
    asio::async_read(*to, asio::buffer(ball), [this](error_code ec, std::size_t) {
      if (ec) return;
      std::swap(from, to);
      if (++rounds == 100) before = allocations;
      if (rounds < 1100) return play();
      taken = allocations - before;
    });
  }

  Socket *from, *to;
  std::array<char, 64> ball{};
  int rounds = 0;
  std::size_t before = 0, taken = 1;
};

BOOST_AUTO_TEST_CASE(operations_take_nothing_from_the_heap) {
  connected_pair p;
  game<rc::socket> g(p.client, p.server);
  g.play();
  p.context.run();
  BOOST_TEST(g.rounds == 1100);
  BOOST_TEST(g.taken == 0u);
}

BOOST_AUTO_TEST_CASE(nor_with_the_executors_type_known) {
  using socket_type = rc::socket::rebind_executor<asio::io_context::executor_type>::other;
  connected_pair p;
  socket_type a(p.context, rc::v4(), p.client.release()), b(p.context, rc::v4(), p.server.release());
  game<socket_type> g(a, b);
  g.play();
  p.context.run();
  BOOST_TEST(g.taken == 0u);
}

/// Memory of a handler's own, which knows what is out.
struct arena {
  int taken = 0;
  int out = 0;
};

template <class T>
struct arena_allocator {
  using value_type = T;
  explicit arena_allocator(arena& a) noexcept : a_(&a) {}
  template <class U>
  arena_allocator(const arena_allocator<U>& other) noexcept : a_(other.a_) {}
  T* allocate(std::size_t n) {
    ++a_->taken;
    ++a_->out;
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* p, std::size_t) noexcept {
    --a_->out;
    ::operator delete(p);
  }
  friend bool operator==(arena_allocator a, arena_allocator b) noexcept { return a.a_ == b.a_; }
  friend bool operator!=(arena_allocator a, arena_allocator b) noexcept { return a.a_ != b.a_; }
  arena* a_;
};

struct arena_handler {
  using allocator_type = arena_allocator<char>;
  allocator_type get_allocator() const noexcept { return allocator_type(*a); }
  void operator()(error_code, std::size_t) const {
    BOOST_TEST(a->out == 0);  // the next operation can have the same memory
    ++*calls;
  }
  arena* a;
  int* calls;
};

BOOST_AUTO_TEST_CASE(memory_comes_from_the_handlers_allocator_and_is_free_when_it_is_called) {
  using socket_type = rc::socket::rebind_executor<asio::io_context::executor_type>::other;
  connected_pair p;
  socket_type server(p.context, rc::v4(), p.server.release());
  arena a;
  int calls = 0;
  char c = 0;
  server.async_read_some(asio::buffer(&c, 1), arena_handler{&a, &calls});  // has to wait
  BOOST_TEST(a.taken == 1);
  BOOST_TEST(a.out == 1);
  p.context.poll();
  write_string(p.client, "x");
  run(p.context);
  server.async_write_some(asio::buffer("x", 1), arena_handler{&a, &calls});  // done at once
  run(p.context);
  server.async_read_some(asio::buffer(&c, 1), arena_handler{&a, &calls});  // cancelled
  server.cancel();
  run(p.context);
  BOOST_TEST(calls == 3);
  BOOST_TEST(a.out == 0);
}

BOOST_AUTO_TEST_SUITE_END()
