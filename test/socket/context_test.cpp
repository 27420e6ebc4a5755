// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Execution contexts of all kinds, and what threads have to do with them.

#include "fixture.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <functional>
#include <future>
#include <memory>

BOOST_AUTO_TEST_SUITE(contexts)

using namespace std::chrono_literals;

/// Two rounds of a ball between sockets of an executor; then the flag is set.
template <class Executor>
class volley : public std::enable_shared_from_this<volley<Executor>> {
public:
  volley(const Executor& ex, std::function<void()> done) : a_(ex), b_(ex), done_(std::move(done)) {
    asio::io_context context;
    rc::acceptor acceptor(context, any_port());
    a_.connect(acceptor.local_endpoint());
    acceptor.accept(b_);
  }
  void start() { play(&a_, &b_, 20); }

private:
  using socket_type = typename rc::socket::rebind_executor<Executor>::other;
  void play(socket_type* from, socket_type* to, int left) {
    auto self = this->shared_from_this();
    asio::async_write(*from, asio::buffer(ball_), [self](error_code ec, std::size_t) { LOCKED_TEST(!ec); });
    asio::async_read(*to, asio::buffer(caught_), [self, from, to, left](error_code ec, std::size_t) {
      LOCKED_TEST(!ec);
      if (left > 1) return self->play(to, from, left - 1);
      self->a_.close();
      self->b_.close();
      self->done_();
    });
  }

  socket_type a_, b_;
  std::function<void()> done_;
  std::array<char, 32> ball_{}, caught_{};
};

template <class Context>
void check_context(Context& context) {
  using executor_type = typename Context::executor_type;
  bool done = false, erased_done = false;
  std::make_shared<volley<executor_type>>(context.get_executor(), [&] { done = true; })->start();
  context.run();
  BOOST_TEST(done);
  context.restart();
  std::make_shared<volley<asio::any_io_executor>>(context.get_executor(), [&] { erased_done = true; })->start();
  context.run();
  BOOST_TEST(erased_done);
}

BOOST_AUTO_TEST_CASE(concurrency_hints) {
  for (const int hint : {1, 8, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE, BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO}) {
    asio::io_context context(hint);
    check_context(context);
  }
}

/// An execution context that has nothing but a queue of functions: no reactor.
class bare_context : public asio::execution_context {
public:
  class executor_type {
  public:
    explicit executor_type(bare_context& c) noexcept : context_(&c) {}
    template <class Function>
    void execute(Function&& f) const {
      context_->push([g = std::make_shared<std::decay_t<Function>>(std::forward<Function>(f))] { std::move (*g)(); });
    }
    bare_context& query(asio::execution::context_t) const noexcept { return *context_; }
    static constexpr asio::execution::blocking_t query(asio::execution::blocking_t) noexcept {
      return asio::execution::blocking.never;
    }
    friend bool operator==(executor_type a, executor_type b) noexcept { return a.context_ == b.context_; }
    friend bool operator!=(executor_type a, executor_type b) noexcept { return !(a == b); }

  private:
    bare_context* context_;
  };

  ~bare_context() {
    shutdown();
    destroy();
  }
  executor_type get_executor() noexcept { return executor_type(*this); }

  /// Until stop() was called.
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!stopped_ || !functions_.empty()) {
      changed_.wait(lock, [this] { return stopped_ || !functions_.empty(); });
      while (!functions_.empty()) {
        const std::function<void()> f = std::move(functions_.front());
        functions_.pop_front();
        lock.unlock();
        f();
        lock.lock();
      }
    }
  }
  void stop() {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

private:
  void push(std::function<void()> f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    functions_.push_back(std::move(f));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> functions_;
  bool stopped_ = false;
};

BOOST_AUTO_TEST_CASE(context_without_a_reactor) {
  {
    bare_context context;
    const auto here = std::this_thread::get_id();
    std::make_shared<volley<bare_context::executor_type>>(context.get_executor(), [&] {
      LOCKED_TEST((std::this_thread::get_id() == here));
      context.stop();
    })->start();
    context.run();
  }
  bare_context context;
  std::make_shared<volley<asio::any_io_executor>>(context.get_executor(), [&] { context.stop(); })->start();
  context.run();
}

BOOST_AUTO_TEST_CASE(strand_of_a_thread_pool) {
  asio::thread_pool pool(3);
  std::promise<void> done;
  using strand_type = asio::strand<asio::thread_pool::executor_type>;
  const strand_type strand(pool.get_executor());
  const auto game = std::make_shared<volley<strand_type>>(strand, [&] {
    LOCKED_TEST(strand.running_in_this_thread());
    done.set_value();
  });
  asio::post(strand, [game] { game->start(); });
  done.get_future().get();
  pool.join();
}

BOOST_AUTO_TEST_CASE(handlers_run_on_the_threads_that_run_the_context_alone) {
  connected_pair p;
  const auto sent = pattern(2 << 20);
  std::vector<unsigned char> received(sent.size());
  std::thread::id runner_id;
  int calls = 0;
  const auto handler = [&](error_code ec, std::size_t) {
    LOCKED_TEST(!ec);
    LOCKED_TEST((std::this_thread::get_id() == runner_id));
    ++calls;
  };
  asio::async_write(p.client, asio::buffer(sent), handler);
  asio::async_read(p.server, asio::buffer(received), handler);
  std::this_thread::sleep_for(30ms);  // internal threads could go on meanwhile
  BOOST_TEST(calls == 0);
  {
    scoped_thread runner([&] {
      runner_id = std::this_thread::get_id();
      p.context.run();
    });
  }
  BOOST_TEST(calls == 2);
}

/// The signals that a thread of this process blocks, or nothing if it has another name.
unsigned long long blocked_signals(const std::string& task, const std::string& name) {
  const std::string folder = "/proc/self/task/" + task;
  std::string found, line;
  std::ifstream(folder + "/comm") >> found;
  if (found.compare(0, name.size(), name) != 0) return 0;
  std::ifstream status(folder + "/status");
  while (std::getline(status, line)) {
    if (line.compare(0, 7, "SigBlk:") == 0) return std::stoull(line.substr(7), nullptr, 16);
  }
  return 0;
}

BOOST_AUTO_TEST_CASE(internal_threads_block_all_signals) {
  connected_pair p;
  int threads = 0;
  DIR* const folder = ::opendir("/proc/self/task");
  BOOST_REQUIRE(folder);
  while (const dirent* entry = ::readdir(folder)) {
    const unsigned long long blocked = blocked_signals(entry->d_name, "asio_rdma");
    if (blocked == 0) continue;
    ++threads;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGPIPE, SIGIO}) {
      BOOST_TEST((blocked >> (signal - 1) & 1) == 1u);
    }
  }
  ::closedir(folder);
  BOOST_TEST(threads >= 1);
}

BOOST_AUTO_TEST_CASE(signals_do_not_interrupt) {
  connected_pair p;
  static std::atomic<int> signals;
  signals = 0;
  struct sigaction action = {}, former = {};
  action.sa_handler = [](int) { ++signals; };  // without SA_RESTART
  ::sigaction(SIGALRM, &action, &former);
  const itimerval every_millisecond = {{0, 1000}, {0, 1000}}, never = {};
  char c = 0, d = 0;
  error_code ec;
  {
    sigset_t alarm, before;
    ::sigemptyset(&alarm);
    ::sigaddset(&alarm, SIGALRM);
    ::pthread_sigmask(SIG_BLOCK, &alarm, &before);
    scoped_thread writer([&] {  // without the signal
      std::this_thread::sleep_for(50ms);
      write_string(p.client, "x");
      std::this_thread::sleep_for(50ms);
      write_string(p.client, "y");
    });
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::setitimer(ITIMER_REAL, &every_millisecond, nullptr);
    p.server.read_some(asio::buffer(&c, 1), ec);
    p.server.async_read_some(asio::buffer(&d, 1), [&](error_code e, std::size_t) { LOCKED_TEST(!e); });
    p.context.run();
    ::setitimer(ITIMER_REAL, &never, nullptr);
  }
  ::sigaction(SIGALRM, &former, nullptr);
  BOOST_TEST(!ec);
  BOOST_TEST(c == 'x');
  BOOST_TEST(d == 'y');
  BOOST_TEST(signals > 0);
}

BOOST_AUTO_TEST_CASE(sockets_outlive_stop) {
  connected_pair p;
  char c = 0;
  int calls = 0;
  p.server.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) {
    BOOST_TEST(!ec);
    ++calls;
  });
  asio::post(p.context, [&] { p.context.stop(); });
  p.context.run();
  write_string(p.client, "xy");
  BOOST_TEST(p.context.run() == 0u);  // stopped
  BOOST_TEST(calls == 0);
  // Synchronous calls need no context that runs; the one that waits comes first.
  BOOST_TEST(read_string(p.server, 1).size() == 1u);
  run(p.context);
  BOOST_TEST(calls == 1);
  p.context.stop();
  p.server.close();
  p.client.async_read_some(asio::buffer(&c, 1), [&](error_code ec, std::size_t) {
    BOOST_TEST(ec == asio::error::eof);
    ++calls;
  });
  run(p.context);
  BOOST_TEST(calls == 2);
}

std::chrono::nanoseconds cpu_time() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

BOOST_AUTO_TEST_CASE(waiting_costs_no_processor_time) {
  connected_pair full, dead;
  rc::acceptor acceptor(full.context, any_port());
  const std::vector<char> block(1 << 20);
  full.client.non_blocking(true);
  for (error_code ec; !ec;) full.client.write_some(asio::buffer(block), ec);
  char c = 0;
  const auto ignore = [](error_code, std::size_t) {};
  full.client.async_read_some(asio::buffer(&c, 1), ignore);
  full.client.async_write_some(asio::buffer(block), ignore);
  full.client.async_wait(rc::socket::wait_error, [](error_code) {});
  acceptor.async_accept([](error_code, rc::socket) {});
  // A peer that is gone, and whose end nobody has asked for.
  dead.client.set_option(rc::socket::linger(true, 0));
  dead.client.close();
  full.context.run_for(200ms);
  const auto before = cpu_time();
  full.context.run_for(1000ms);
  const auto used = cpu_time() - before;
  BOOST_TEST_MESSAGE("processor time of a second of waiting: " << used.count() / 1000 << " us");
  BOOST_TEST((used < 100ms));
}

BOOST_AUTO_TEST_SUITE_END()
