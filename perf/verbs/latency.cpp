// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs_end.hpp"

namespace perf::verbs {

void verbs_end::take_sample(std::uint64_t from, std::uint64_t to, result& r) {
  if (!window_->is_open()) return;
  r.times.add(to - from);
  if (settings_.unsorted) r.unsorted.push_back(to - from);
}

// A sample reaches from one post to the next, as perftest's.
void verbs_end::ping_sends(const phase& p, result& r) {
  link& l = links_.front();
  r.halved = true;
  std::uint64_t before = 0;
  for (bool is_over = false; !is_over;) {
    const std::uint64_t now = ticks();
    if (sent_ > 0) take_sample(before, now, r);
    before = now;
    l.post(true);
    ++sent_;
    while (l.received() < sent_ || l.completed() < sent_) {
      const std::size_t count = take_some(l);
      for (std::size_t i = 0; i < count; ++i) {
        const rdma::work_completion& c = completions_[i];
        if (!c.ok()) fail(c);
        (c.wr_id & receive_id) != 0 ? l.receive(c) : l.complete(c);
      }
    }
    is_over = p.seconds != 0 ? window_->is_over(sent_) : sent_ >= p.messages;
  }
  take_sample(before, ticks(), r);
}

void verbs_end::pong_sends(const phase& p) {
  link& l = links_.front();
  while (p.seconds != 0 || l.completed() < p.messages) {
    const std::size_t count = take_some(l);
    if (count == 0 && is_told()) return;
    for (std::size_t i = 0; i < count; ++i) {
      const rdma::work_completion& c = completions_[i];
      if (!c.ok()) fail(c);
      (c.wr_id & receive_id) != 0 ? l.receive(c) : l.complete(c);
    }
    if (l.posted() < l.received() && l.has_room()) l.post(true);
  }
}

namespace {

// Messages are told from each other by their last byte, which the device writes last.
unsigned char mark_of(std::uint64_t number) noexcept {
  return static_cast<unsigned char>(number + 1);
}

}  // namespace

void verbs_end::ping_writes(const phase& p, result& r) {
  link& l = links_.front();
  r.halved = true;
  std::uint64_t before = 0;
  for (bool is_over = false; !is_over;) {
    const unsigned char mark = mark_of(sent_);
    *l.last_byte_out() = mark;
    const std::uint64_t now = ticks();
    if (sent_ > 0) take_sample(before, now, r);
    before = now;
    l.post(true);
    ++sent_;
    // Until the request has completed, its memory is the device's.
    while (l.completed() < sent_) {
      const std::size_t count = take_some(l);
      for (std::size_t i = 0; i < count; ++i) {
        if (!completions_[i].ok()) fail(completions_[i]);
        l.complete(completions_[i]);
      }
    }
    while (__atomic_load_n(l.last_byte_in(), __ATOMIC_ACQUIRE) != mark) idle();
    idle_ = 0;
    is_over = p.seconds != 0 ? window_->is_over(sent_) : sent_ >= p.messages;
  }
  take_sample(before, ticks(), r);
}

void verbs_end::pong_writes(const phase& p) {
  link& l = links_.front();
  for (std::uint64_t number = 0; p.seconds != 0 || number < p.messages; ++number) {
    const unsigned char mark = mark_of(number);
    while (__atomic_load_n(l.last_byte_in(), __ATOMIC_ACQUIRE) != mark) {
      idle();
      if (is_told()) return;
    }
    idle_ = 0;
    *l.last_byte_out() = mark;
    l.post(true);
    while (l.completed() <= number) {
      const std::size_t count = take(l);
      if (count == 0) idle();
      for (std::size_t i = 0; i < count; ++i) {
        if (!completions_[i].ok()) fail(completions_[i]);
        l.complete(completions_[i]);
      }
    }
  }
}

void verbs_end::time_operations(const phase& p, result& r) {
  link& l = links_.front();
  std::uint64_t before = 0;
  for (bool is_over = false; !is_over;) {
    const std::uint64_t now = ticks();
    if (sent_ > 0) take_sample(before, now, r);
    before = now;
    l.post(true);
    ++sent_;
    while (l.completed() < sent_) {
      const std::size_t count = take_some(l);
      for (std::size_t i = 0; i < count; ++i) {
        if (!completions_[i].ok()) fail(completions_[i]);
        l.complete(completions_[i]);
      }
    }
    is_over = p.seconds != 0 ? window_->is_over(sent_) : sent_ >= p.messages;
  }
  take_sample(before, ticks(), r);
}

}  // namespace perf::verbs
