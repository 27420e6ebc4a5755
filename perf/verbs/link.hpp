// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_VERBS_LINK_HPP
#define ASIO_RDMA_PERF_VERBS_LINK_HPP

#include "../common/end.hpp"
#include "slots.hpp"

#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perf::verbs {

namespace rdma = asio_rdma;

/// Tells the completions of receives, of which the lower bits count nothing, from those of sends, which are numbered.
constexpr std::uint64_t receive_id = std::uint64_t{1} << 63;

/// What carries a connection.
carrier describe_connection(rdma::raw_connection& c);

/// One of the connections of a measurement, with its memory: first what it sends, or what its reads and atomics bring;
/// then what it receives, or what the other side accesses.
class link {
public:
  link(boost::asio::io_context& io, const program& p, const settings& s);

  /// Between the two halves of the set-up: registers memory, offers it, and posts the receives.
  /// @param sizes all that will be sent
  void make_memory(const std::vector<std::uint64_t>& sizes);
  /// After it: looks at what the other side has offered. Throws std::runtime_error if that is not enough.
  void look_at_peer();
  /// Before each phase: makes the requests, for messages of a size, and what the other side will find.
  void prepare(std::uint64_t size);

  std::uint64_t largest_message() const;

  /// Posts the next list of requests.
  /// @param final whether they are the last: then they complete, whatever the moderation
  [[gnu::always_inline]] void post(bool final) {
    const std::size_t last = requests_.size() - 1;
    for (std::size_t j = 0; j <= last; ++j) {
      rdma::work_request& r = requests_[j];
      const std::uint64_t number = posted_ + j;
      const std::uint64_t offset = slots_.offset(number);
      pieces_[j].addr = out_ + offset;
      if (is_one_sided_) r.wr.rdma.remote_addr = target_ + offset;  // it is in the same place for atomics
      const bool signal = --until_signal_ == 0 || (final && j == last);
      if (signal) until_signal_ = moderation_;
      r.send_flags = signal ? flags_ | IBV_SEND_SIGNALED : flags_;
      r.wr_id = number + 1;
      if (is_special_) specialise(r, number);
    }
    if (last == 0) {
      raw.post_send(requests_[0]);
    } else {
      raw.post_send(rdma::span<rdma::work_request>(requests_.data(), requests_.size()));
    }
    posted_ += last + 1;
  }
  /// Whether another list has room.
  bool has_room() const noexcept { return posted_ - completed_ + requests_.size() <= depth_; }
  std::uint64_t list_size() const noexcept { return requests_.size(); }

  /// Takes a completion of a send: all up to it are done.
  [[gnu::always_inline]] void complete(const rdma::work_completion& c) {
    if (validates_) check_results(completed_, c.wr_id);
    completed_ = c.wr_id;
  }
  /// Takes a completion of a receive, and posts receives again when there are enough for a list.
  [[gnu::always_inline]] void receive(const rdma::work_completion& c) {
    if (validates_) check_received(c);
    ++received_;
    if (received_ + receive_depth_ - receives_posted_ >= receives_.size()) post_receives();
  }

  std::uint64_t posted() const noexcept { return posted_; }
  std::uint64_t completed() const noexcept { return completed_; }
  std::uint64_t received() const noexcept { return received_ - received_before_; }
  bool is_signal_due() const noexcept { return until_signal_ == moderation_; }

  /// After the other side has sent so many by writes: whether the last ones are there. Throws.
  void check_written(std::uint64_t count) const;

  /// The last byte of the memory that the other side writes to, of a message of the current size, and of ours.
  unsigned char* last_byte_in() const noexcept { return in_data() + size_ - 1; }
  unsigned char* last_byte_out() const noexcept { return out_data() + size_ - 1; }

  rdma::raw_connection raw;

private:
  unsigned char* out_data() const noexcept { return memory_.as<unsigned char>(0); }
  unsigned char* in_data() const noexcept { return memory_.as<unsigned char>(in_offset_); }
  void post_receives();
  std::uint64_t own_slots() const noexcept;
  void specialise(rdma::work_request& r, std::uint64_t number);
  void check_results(std::uint64_t first, std::uint64_t end) const;
  void check_received(const rdma::work_completion& c) const;

  // What every message needs comes first.
  std::vector<rdma::work_request> requests_;
  std::vector<rdma::local_buffer> pieces_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t until_signal_ = 1;
  std::uint64_t moderation_ = 1;
  std::uint64_t depth_ = 1;
  std::uint64_t out_ = 0;     // address of what is sent
  std::uint64_t target_ = 0;  // address at the other side
  slots slots_;
  unsigned flags_ = 0;
  bool is_one_sided_;
  bool is_special_ = false;
  bool validates_;

  std::vector<rdma::receive_request> receives_;
  std::vector<rdma::local_buffer> receive_pieces_;
  slots receive_slots_;
  std::uint64_t receives_posted_ = 0;
  std::uint64_t received_ = 0;
  std::uint64_t received_before_ = 0;  // in phases before
  std::uint64_t receive_depth_ = 0;

  const program& program_;
  const settings& settings_;
  rdma::registered_memory memory_;
  std::size_t in_offset_ = 0;
  std::uint64_t size_ = 0;
  std::size_t header_ = 0;  // in front of what is received
};

}  // namespace perf::verbs

#endif
