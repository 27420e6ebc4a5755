// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "support/cm_events.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace test_support {

namespace {

/// An event that is ours, so that the connection manager can be told at once that the one it is a copy of was seen. It
/// waits for that before it destroys an id.
struct copied {
  rdma_cm_event event{};
  std::array<unsigned char, 256> text{};
  rdma_event_channel* channel = nullptr;

  copied(rdma_event_channel* c, const rdma_cm_event& from) : event(from), channel(c) {
    // Where the private data lies in an event depends on whether it is of a datagram's id; for others it is the same.
    auto& conn = event.param.conn;
    const bool is_datagram = from.id != nullptr && from.id->ps == RDMA_PS_UDP;
    const void*& data = is_datagram ? event.param.ud.private_data : conn.private_data;
    const std::uint8_t size = is_datagram ? event.param.ud.private_data_len : conn.private_data_len;
    if (data == nullptr) return;
    std::memcpy(text.data(), data, size);
    data = text.data();
  }
  copied(const copied&) = delete;
  copied& operator=(const copied&) = delete;

  bool is_request() const { return event.event == RDMA_CM_EVENT_CONNECT_REQUEST; }
  /// Whose destruction waits until it is acknowledged.
  rdma_cm_id* owner() const { return is_request() ? event.listen_id : event.id; }
};

struct state {
  std::mutex mutex;
  std::list<std::unique_ptr<copied>> waiting;  // in the connection manager's order
  std::set<const copied*> given;               // and not acknowledged
  std::condition_variable acknowledged;
  std::set<const rdma_cm_id*> dying;           // ids that are being destroyed, until there is one at that address again
  std::mt19937 random;
  unsigned longest = 0;
  unsigned request_delay = 0;
  unsigned nth = 0;  // event next to which one is inserted; 0 for none
  rdma_cm_event_type type{};
  int status = 0;
  bool before = false;
};

state& all() {
  static state& s = *new state;  // the internal thread outlives static objects
  return s;
}

std::atomic<bool> wanted{false};
std::atomic<bool> has_struck{false};

/// One event of the connection manager's, and what comes next to it.
void add(state& s, std::unique_ptr<copied> c) {
  const bool is_the_one = s.nth != 0 && --s.nth == 0;
  if (!is_the_one) return s.waiting.push_back(std::move(c));
  rdma_cm_event more{};
  more.id = c->owner();
  more.event = s.type;
  more.status = s.status;
  auto inserted = std::make_unique<copied>(c->channel, more);
  has_struck = true;
  auto& first = s.before ? inserted : c;
  auto& second = s.before ? c : inserted;
  s.waiting.push_back(std::move(first));
  s.waiting.push_back(std::move(second));
}

/// The next of a channel's, at random of those that may come now.
std::unique_ptr<copied> take(state& s, rdma_event_channel* channel) {
  std::vector<decltype(s.waiting)::iterator> candidates;
  std::set<const rdma_cm_id*> earlier;
  for (auto i = s.waiting.begin(); i != s.waiting.end(); ++i) {
    if ((*i)->channel == channel && earlier.insert((*i)->event.id).second) candidates.push_back(i);
  }
  if (candidates.empty()) return nullptr;
  const std::size_t chosen = s.longest == 0 ? 0 : s.random() % candidates.size();
  if (chosen != 0) has_struck = true;
  std::unique_ptr<copied> result = std::move(*candidates[chosen]);
  s.waiting.erase(candidates[chosen]);
  return result;
}

void begin() {
  has_struck = false;
  wanted = true;
}

}  // namespace

void cm_events::shuffle(unsigned seed, unsigned longest_microseconds) {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().random.seed(seed);
  all().longest = longest_microseconds;
  begin();
}

void cm_events::insert(rdma_cm_event_type type, int status, unsigned nth, bool before) {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().type = type;
  all().status = status;
  all().nth = nth;
  all().before = before;
  begin();
}

void cm_events::delay_requests(unsigned microseconds) {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().request_delay = microseconds;
  begin();
}

bool cm_events::stop() noexcept {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().longest = all().request_delay = all().nth = 0;
  wanted = !all().waiting.empty();
  return has_struck;
}

bool cm_events::are_wanted() noexcept {
  return wanted;
}

int cm_events::get(int (*real_get)(rdma_event_channel*, rdma_cm_event**), int (*real_acknowledge)(rdma_cm_event*),
                   int (*real_destroy)(rdma_cm_id*), rdma_event_channel* channel, rdma_cm_event** event) {
  if ((::fcntl(channel->fd, F_GETFL) & O_NONBLOCK) == 0) return real_get(channel, event);
  state& s = all();
  std::unique_lock<std::mutex> lock(s.mutex);
  const bool has_some =
      std::any_of(s.waiting.begin(), s.waiting.end(), [&](const auto& c) { return c->channel == channel; });
  if (!has_some && s.longest != 0) {
    const auto pause = static_cast<unsigned>(s.random() % s.longest);
    lock.unlock();
    ::usleep(pause);
    lock.lock();
  }
  // All that are there, while their order is to be changed; as many as it takes otherwise.
  while (s.longest != 0 || !has_some) {
    rdma_cm_event* next = nullptr;
    const int result = real_get(channel, &next);
    if (result != 0) {
      if (!has_some && s.waiting.empty()) return result;
      break;
    }
    auto c = std::make_unique<copied>(channel, *next);
    real_acknowledge(next);
    if (c->is_request()) s.dying.erase(c->event.id);
    if (s.dying.count(c->owner()) != 0) {
      if (c->is_request()) real_destroy(c->event.id);
      continue;
    }
    if (c->is_request() && s.request_delay != 0) {
      has_struck = true;
      const unsigned pause = s.request_delay;
      lock.unlock();
      ::usleep(pause);
      lock.lock();
    }
    add(s, std::move(c));
    if (s.longest == 0) break;
  }
  std::unique_ptr<copied> taken = take(s, channel);
  if (!taken) {
    errno = EAGAIN;
    return -1;
  }
  *event = &taken->event;
  s.given.insert(taken.release());
  return 0;
}

bool cm_events::acknowledge(rdma_cm_event* event) noexcept {
  const std::lock_guard<std::mutex> lock(all().mutex);
  static_assert(offsetof(copied, event) == 0);
  auto* const ours = reinterpret_cast<copied*>(event);
  if (all().given.erase(ours) == 0) return false;
  delete ours;
  all().acknowledged.notify_all();
  return true;
}

void cm_events::made(const rdma_cm_id* id) noexcept {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().dying.erase(id);
}

void cm_events::forget(int (*real_destroy)(rdma_cm_id*), rdma_cm_id* id) noexcept {
  std::list<std::unique_ptr<copied>> gone;
  {
    std::unique_lock<std::mutex> lock(all().mutex);
    const auto& given = all().given;
    all().acknowledged.wait(lock, [&] {
      return std::none_of(given.begin(), given.end(), [id](const copied* c) { return c->owner() == id; });
    });
    all().dying.insert(id);
    auto& list = all().waiting;
    for (auto i = list.begin(); i != list.end();) {
      const auto next = std::next(i);
      if ((*i)->owner() == id || (*i)->event.id == id) gone.splice(gone.end(), list, i);
      i = next;
    }
  }
  // Nobody has heard of a connection that a listener takes with it.
  for (const auto& c : gone) {
    if (c->is_request() && c->event.id != id) real_destroy(c->event.id);
  }
}

}  // namespace test_support
