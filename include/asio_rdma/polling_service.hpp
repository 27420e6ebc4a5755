// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_POLLING_SERVICE_HPP
#define ASIO_RDMA_POLLING_SERVICE_HPP

#include <asio_rdma/detail/wake_set.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {

/// Polls the completion queues of raw connections in place of sleeping on their channels, and runs the ready handlers
/// of an io_context between the looks: for programs that give a core for the shortest latency. run() does so on the
/// calling thread, which may be one that was started for it.
///
/// Connections with traffic are looked at all the time. Up to 32 that have had none for a while are quiet: one of them
/// is looked at, in turn, at every eighth look. All others sleep: their completion queues are armed, and what wakes
/// them is asked for at every 256th look. So a thousand of them cost the busy ones next to nothing, and each that gets
/// something to do is found within 256 looks, and is busy from then on. A look is one at all busy connections, and
/// takes some ten nanoseconds for each, the handlers aside.
///
/// @par Thread Safety
/// stop() and statistics() are safe. Everything else belongs to the thread in run(): to handlers of the io_context, and
/// to anybody while nobody is in run().
class polling_service {
public:
  /// What is done while there is nothing to do.
  struct back_off {
    /// Looks in vain before the thread begins to yield the processor at each.
    std::uint64_t spins = 2000;
    /// More looks in vain, after those, before it begins to sleep at each.
    std::uint64_t yields = std::numeric_limits<std::uint64_t>::max();
    /// How long it sleeps; whatever comes meanwhile waits as long.
    std::chrono::microseconds sleep{50};

    /// The processor is never given up.
    static back_off none() noexcept { return {std::numeric_limits<std::uint64_t>::max(), 0, {}}; }
  };

  /// Gets completions, in the order in which they were taken. They are gone when it returns.
  using completion_handler = std::function<void(span<work_completion>)>;

  /// Runs the handlers of this io_context, which has to outlive it.
  explicit polling_service(boost::asio::io_context& context) : context_(context) {}
  polling_service(const polling_service&) = delete;
  polling_service& operator=(const polling_service&) = delete;
  /// Connections that it has served go on by themselves, as after remove().
  ~polling_service() {
    for (const auto& e : entries_)
      if (e->room) e->room->serve(false);
    *alive_ = nullptr;
  }

  /// Serves the asynchronous operations of a connection from now on, until remove(), or until it is closed. Its
  /// completion queue is no longer armed. The connection has to be open.
  template <class Executor>
  void add(basic_raw_connection<Executor>& connection) {
    add(connection, nullptr);
  }
  /// The same, and calls on_completions for those of requests that were posted by post_send() and post_receive().
  template <class Executor>
  void add(basic_raw_connection<Executor>& connection, completion_handler on_completions) {
    const auto room = connection.completion_room();
    auto e = std::make_unique<entry>();
    e->room = room;
    e->id = ++ids_;
    e->last_found = queue_looks_;
    e->channel_fd = connection.native_handle().channel_fd;
    if (on_completions) e->on_completions = std::make_shared<const completion_handler>(std::move(on_completions));
    busy_.push_back(e.get());
    entries_.push_back(std::move(e));
    room->serve(true);
  }

  /// Its completion queue is armed again where something waits. No effect on one that is not served.
  template <class Executor>
  void remove(basic_raw_connection<Executor>& connection) {
    const auto room = connection.completion_room();
    for (const auto& e : entries_) {
      if (e->room != room) continue;
      e->room->serve(false);
      e->room.reset();
      has_holes_ = true;
    }
  }

  /// Looks for completions and runs the io_context's handlers, until stop() or until the io_context is stopped. Returns
  /// how many completions were taken.
  std::size_t run() { return loop(clock::time_point::max()); }
  /// The same, for that long at most.
  template <class Rep, class Period>
  std::size_t run_for(const std::chrono::duration<Rep, Period>& time) {
    return loop(clock::now() + std::chrono::duration_cast<clock::duration>(time));
  }
  /// Looks once and runs what handlers are ready. Never sleeps.
  std::size_t poll_one() {
    std::size_t n = 0;
    // From within the io_context, so that handlers which may run at once do.
    boost::asio::post(context_, [this, &n] { n = look(); });
    if (context_.stopped()) context_.restart();
    context_.poll();
    if (has_holes_ && !is_running_) fill_holes();
    return n;
  }
  /// Ends run(), soon. Thread-safe.
  void stop() noexcept { stop_.store(true, std::memory_order_relaxed); }

  /// What is done from now on while there is nothing to do.
  void set_back_off(const back_off& b) noexcept { back_off_ = b; }
  /// Keeps the calling thread on one processor, counted from 0. EINVAL for one that it may not run on.
  static void pin(int processor, boost::system::error_code& ec) noexcept {
    cpu_set_t set;
    CPU_ZERO(&set);
    const bool possible = processor >= 0 && processor < CPU_SETSIZE;
    if (possible) CPU_SET(static_cast<unsigned>(processor), &set);
    const int e = possible ? ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set) : EINVAL;
    ec = boost::system::error_code(e, boost::system::system_category());
  }
  /// Throws boost::system::system_error.
  static void pin(int processor) {
    boost::system::error_code ec;
    pin(processor, ec);
    if (ec) boost::throw_exception(boost::system::system_error(ec, "polling_service: pin"));
  }

  /// Whether looks are counted, and the time that they take measured. ASIO_RDMA_PROBE=1 turns it on from the beginning.
  void probe(bool on) noexcept { is_probing_ = on; }
  /// What was counted while probe() was on: looks at completion queues, those that found nothing, completions, and the
  /// time spent in looking, handlers included. Thread-safe.
  raw_statistics statistics() const noexcept {
    raw_statistics s;
    s.polls = counts_.polls.load(std::memory_order_relaxed);
    s.empty_polls = counts_.empty_polls.load(std::memory_order_relaxed);
    s.completions = counts_.completions.load(std::memory_order_relaxed);
    s.poll_time = std::chrono::nanoseconds(counts_.poll_nanoseconds.load(std::memory_order_relaxed));
    return s;
  }

private:
  using clock = std::chrono::steady_clock;

  struct entry {
    std::shared_ptr<detail::completion_room> room;  // null: removed
    std::shared_ptr<const completion_handler> on_completions;
    std::uint64_t last_found = 0;  // which look at a queue it was
    std::uint64_t id = 0;          // to be told by when it wakes
    int channel_fd = -1;
  };

  // Counted by one thread, read by any.
  struct counters {
    std::atomic<std::uint64_t> polls{0}, empty_polls{0}, completions{0}, poll_nanoseconds{0};
    static void add(std::atomic<std::uint64_t>& to, std::uint64_t n) noexcept {
      to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    }
  };

  using entries = std::vector<entry*>;

  static constexpr int looks_in_a_turn = 32;
  // A quiet connection is found within most_quiet * quiet_every looks, and a sleeping one as soon.
  static constexpr std::size_t most_quiet = 32;
  static constexpr std::uint64_t quiet_every = 8;
  static constexpr std::uint64_t wake_every = most_quiet * quiet_every;
  static constexpr std::uint64_t quiet_after = 20000;  // looks at queues, since this one had a completion

  std::size_t loop(clock::time_point end) {
    if (context_.stopped()) context_.restart();
    const auto work = boost::asio::make_work_guard(context_);
    stop_.store(false, std::memory_order_relaxed);
    end_ = end;
    found_ = 0;
    is_running_ = true;
    next_turn();
    while (is_running_ && context_.run_one() != 0) {
    }
    is_running_ = false;
    return found_;
  }

  /// Looks are taken within a handler of the io_context's, so that the handlers of operations can be called right
  /// there; between two turns it runs others.
  void next_turn() {
    boost::asio::post(context_, [alive = alive_, this] {
      if (*alive == this && is_running_) turn();
    });
  }

  void turn() {
    for (int i = 0; i < looks_in_a_turn; ++i) {
      const std::size_t n = is_probing_ ? probed_look() : look();
      found_ += n;
      n != 0 ? void(vain_looks_ = 0) : rest();
      if (stop_.load(std::memory_order_relaxed)) break;
    }
    if (has_holes_) fill_holes();
    if (stop_.load(std::memory_order_relaxed) || clock::now() >= end_) {
      is_running_ = false;
    } else {
      next_turn();
    }
  }

  void rest() {
    if (++vain_looks_ <= back_off_.spins) return;
    if (vain_looks_ - back_off_.spins <= back_off_.yields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(back_off_.sleep);
    }
  }

  std::size_t probed_look() {
    const clock::time_point begin = clock::now();
    const std::size_t n = look();
    counters::add(counts_.poll_nanoseconds, static_cast<std::uint64_t>((clock::now() - begin).count()));
    counters::add(counts_.completions, n);
    return n;
  }

  std::size_t look() {
    ++looks_;
    std::size_t found = 0;
    // Handlers may add connections, and remove some.
    for (std::size_t i = 0; i < busy_.size();) {
      entry& e = *busy_[i];
      const std::size_t n = look_at(e);
      found += n;
      if (n == 0 && queue_looks_ - e.last_found > quiet_after) {
        quiet_.push_back(take_out(busy_, i));
      } else {
        ++i;
      }
    }
    if (!quiet_.empty() && (busy_.empty() || looks_ % quiet_every == 0)) found += look_at_quiet();
    if (!sleeping_.empty() && looks_ % wake_every == 0) found += wake();
    return found;
  }

  std::size_t look_at_quiet() {
    if (next_quiet_ >= quiet_.size()) next_quiet_ = 0;
    const std::size_t n = look_at(*quiet_[next_quiet_]);
    if (n != 0) {
      busy_.push_back(take_out(quiet_, next_quiet_));
    } else if (quiet_.size() > most_quiet) {
      return put_to_sleep(next_quiet_);
    } else {
      ++next_quiet_;
    }
    return n;
  }

  /// Lets the device say when there is something. One that cannot sleep stays quiet.
  std::size_t put_to_sleep(std::size_t index) {
    entry& e = *quiet_[index];
    if (e.room) {
      e.room->settle();
      if (e.room->arm() || !wakes_.add(e.channel_fd, e.id)) {
        ++next_quiet_;
        return 0;
      }
    }
    take_out(quiet_, index);
    sleeping_.emplace(e.id, &e);
    // What has come before it was armed wakes nobody.
    const std::size_t n = look_at(e);
    if (n != 0) rouse(e);
    return n;
  }

  void rouse(entry& e) {
    sleeping_.erase(e.id);
    busy_.push_back(&e);
  }

  std::size_t wake() {
    std::size_t found = 0;
    std::uint64_t ids[most_quiet];
    std::size_t count;
    do {
      count = wakes_.take(ids, most_quiet);
      for (std::size_t i = 0; i < count; ++i) {
        const auto woken = sleeping_.find(ids[i]);
        if (woken == sleeping_.end()) continue;  // was removed, or has been found before
        entry& e = *woken->second;
        rouse(e);
        e.last_found = queue_looks_;
        if (e.room) e.room->settle();
        found += look_at(e);
      }
    } while (count == most_quiet);
    // One that is closed wakes nobody.
    const auto next = sleeping_.upper_bound(last_checked_);
    last_checked_ = next == sleeping_.end() ? 0 : next->first;
    if (next == sleeping_.end()) return found;
    entry& e = *next->second;
    const std::size_t n = look_at(e);
    if (n != 0) rouse(e);
    return found + n;
  }

  static entry* take_out(entries& from, std::size_t index) {
    entry* const e = from[index];
    from[index] = from.back();
    from.pop_back();
    return e;
  }

  std::size_t look_at(entry& e) {
    const auto room = e.room.get();
    if (room == nullptr) return 0;
    ++queue_looks_;
    const std::size_t n = room->serve();
    if (is_probing_) {
      counters::add(counts_.polls, 1);
      if (n == 0) counters::add(counts_.empty_polls, 1);
    }
    if (n != 0) {
      e.last_found = queue_looks_;
      if (e.room && e.on_completions) hand_over(e);
    } else if (e.room && e.room.use_count() == 1) {
      e.room.reset();  // the connection is closed
      has_holes_ = true;
    }
    return n;
  }

  void hand_over(entry& e) {
    work_completion completions[32];
    const auto room = e.room;  // the handler may close the connection, or remove it
    const auto handler = e.on_completions;
    while (const std::size_t n = room->take_served(completions)) (*handler)(span<work_completion>(completions, n));
  }

  void fill_holes() {
    has_holes_ = false;
    const auto is_hole = [](const auto& e) { return !e->room; };
    for (entries* const kind : {&busy_, &quiet_})
      kind->erase(std::remove_if(kind->begin(), kind->end(), is_hole), kind->end());
    for (auto i = sleeping_.begin(); i != sleeping_.end();) i = i->second->room ? std::next(i) : sleeping_.erase(i);
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_hole), entries_.end());
  }

  boost::asio::io_context& context_;
  std::vector<std::unique_ptr<entry>> entries_;
  entries busy_, quiet_;                      // each is in one of these,
  std::map<std::uint64_t, entry*> sleeping_;  // or here, by its id
  std::uint64_t last_checked_ = 0;
  detail::wake_set wakes_;
  std::uint64_t ids_ = 0;
  std::size_t next_quiet_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t queue_looks_ = 0;
  std::uint64_t vain_looks_ = 0;
  std::size_t found_ = 0;
  bool has_holes_ = false;
  bool is_running_ = false;
  bool is_probing_ = core::raw_probe_wanted();
  back_off back_off_;
  clock::time_point end_;
  std::atomic<bool> stop_{false};
  counters counts_;
  std::shared_ptr<polling_service*> alive_ = std::make_shared<polling_service*>(this);
};

}  // namespace v1
}  // namespace asio_rdma

#endif
