// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs_end.hpp"

#include <algorithm>

namespace perf::verbs {

void verbs_end::note_post(std::uint64_t before) {
  if (notes_) posts_.push_back({ticks(), before});
}
void verbs_end::note_completion() {
  if (notes_) done_.push_back({ticks(), completed_});
}

void verbs_end::post_all(const phase& p, bool is_over) {
  for (link& l : links_) {
    while (l.has_room()) {
      bool final = false;
      if (p.seconds == 0) {
        if (l.posted() >= p.messages) break;
        final = l.posted() + l.list_size() >= p.messages;
      } else if (is_over && l.is_signal_due()) {
        break;  // everything that was posted will say that it has completed
      }
      note_post(sent_);
      l.post(final);
      sent_ += l.list_size();
    }
  }
}

bool verbs_end::has_received_all(const phase& p) const {
  if (p.seconds != 0 && !is_told()) return false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i].received() < (is_told() ? told_sent_[i] : p.messages)) return false;
  }
  return true;
}

void verbs_end::transfer(const phase& p, bool sends, bool receives, result& r) {
  const bool takes_receives = receives && program_.what == operation::send;
  constexpr std::uint64_t most_notes = 1 << 20;
  notes_ = sends && p.counts && !settings_.no_peak && p.seconds == 0 && p.messages * links_.size() <= most_notes;
  posts_.clear();
  done_.clear();
  if (notes_) {
    posts_.reserve(p.messages * links_.size() + 1);
    done_.reserve(p.messages * links_.size() + 1);
  }
  bool is_over = false;
  bool is_sent = !sends;
  bool is_received = !takes_receives;
  std::uint64_t arrived = 0;
  unsigned rounds = 0;
  // What datagrams got lost is known when nothing more comes.
  constexpr auto patience = std::chrono::milliseconds(100);
  std::chrono::steady_clock::time_point quiet_since{};

  while (!is_sent || !is_received) {
    if (!is_sent) {
      if (p.seconds != 0 && !is_over && (++rounds & 15) == 0) is_over = window_->is_over(completed_);
      post_all(p, is_over);
    }
    std::size_t taken = 0;
    for (link& l : links_) {
      const std::size_t count = take(l);
      taken += count;
      for (std::size_t i = 0; i < count; ++i) {
        const rdma::work_completion& c = completions_[i];
        if (__builtin_expect(!c.ok(), 0)) fail(c);
        if ((c.wr_id & receive_id) != 0) {
          l.receive(c);
          ++arrived;
        } else {
          completed_ += c.wr_id - l.completed();
          l.complete(c);
        }
      }
      if (count > 0) note_completion();
    }
    if (taken > 0) {
      idle_ = 0;
    } else {
      idle();
    }
    if (!is_sent && completed_ == sent_) {
      const bool all = p.seconds != 0 ? is_over : std::all_of(links_.begin(), links_.end(), [&p](const link& l) {
        return l.posted() >= p.messages;
      });
      if (all) {
        is_sent = true;
        window_->finish(completed_, r);
        say_sent();
      }
    }
    if (!is_received) {
      is_received = has_received_all(p);
      if (!is_received && settings_.is_datagram() && is_told()) {
        const auto now = std::chrono::steady_clock::now();
        if (taken > 0 || quiet_since == std::chrono::steady_clock::time_point{}) quiet_since = now;
        is_received = now - quiet_since > patience;
      }
      // A receiver that does not send measures too.
      if (is_received && !sends) window_->finish(arrived, r);
    }
  }
}

}  // namespace perf::verbs
