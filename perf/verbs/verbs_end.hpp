// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_VERBS_VERBS_END_HPP
#define ASIO_RDMA_PERF_VERBS_VERBS_END_HPP

#include "../common/end.hpp"
#include "../common/peak.hpp"
#include "../common/ticks.hpp"
#include "../common/window.hpp"
#include "alarm.hpp"
#include "link.hpp"

#include <boost/asio/io_context.hpp>

#include <poll.h>
#include <deque>
#include <optional>
#include <vector>

namespace perf::verbs {

/// One end of a measurement of verbs' operations, through raw_connection.
class verbs_end : public end {
public:
  explicit verbs_end(const end_of& e);

  carrier describe() override;
  std::uint64_t largest_message() const override { return largest_; }
  void prepare(std::uint64_t size) override;
  result run(const phase& p) override;

private:
  void connect();
  void accept();
  rdma::raw_options options() const;

  // bandwidth.cpp: every connection's requests, all at once.
  void transfer(const phase& p, bool sends, bool receives, result& r);
  void post_all(const phase& p, bool is_over);
  bool has_received_all(const phase& p) const;
  void note_post(std::uint64_t before);
  void note_completion();

  // latency.cpp: one at a time.
  void ping_sends(const phase& p, result& r);
  void pong_sends(const phase& p);
  void ping_writes(const phase& p, result& r);
  void pong_writes(const phase& p);
  void time_operations(const phase& p, result& r);
  void take_sample(std::uint64_t from, std::uint64_t to, result& r);

  /// Takes completions of a connection, for at most as long as one list of them.
  std::size_t take(link& l);
  /// The same, until there is one: polls, or sleeps with --events. Returns 0 if the other side says meanwhile that it
  /// has done all.
  std::size_t take_some(link& l);
  /// To be called when there is nothing to do: sleeps with --events, and looks now and then whether the other side is
  /// still there, and what it says.
  void idle();
  /// Returns true if there was nothing for a while.
  bool sleep_until_completion();
  bool take_event(link& l);
  [[noreturn]] void fail(const rdma::work_completion& c);

  // How a phase ends: who sent says how much, who received says how much of it arrived.
  void say_sent();
  void hear(const boost::json::object& message);
  bool is_told() const noexcept { return !told_sent_.empty(); }
  void settle(bool sends, bool receives, result& r);

  const program& program_;
  const settings& settings_;
  control& line_;
  const bool is_client_;
  boost::asio::io_context io_{1};
  std::deque<link> links_;
  std::vector<rdma::work_completion> completions_;
  std::uint64_t largest_ = 0;

  std::optional<window> window_;
  tick_scale scale_;
  std::uint64_t sent_ = 0;  // on all connections, in this phase
  std::uint64_t completed_ = 0;
  unsigned idle_ = 0;
  bool is_armed_ = false;
  bool has_blocking_channel_ = false;
  std::optional<alarm> alarm_;  // while it measures with one
  std::vector<pollfd> ready_;
  std::vector<std::uint64_t> told_sent_;  // what the other side has sent, by connection
  std::optional<std::uint64_t> told_received_;
  bool notes_ = false;
  std::vector<post_mark> posts_;
  std::vector<completion_mark> done_;
};

}  // namespace perf::verbs

#endif
