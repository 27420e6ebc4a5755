// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "link.hpp"

#include "../common/pattern.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace perf::verbs {

link::link(boost::asio::io_context& io, const program& p, const settings& s)
    : raw(io), is_one_sided_(p.is_one_sided()), validates_(s.validate), program_(p), settings_(s) {
  header_ = s.is_datagram() ? rdma::work_completion::datagram_header : 0;
}

std::uint64_t link::largest_message() const {
  const rdma::raw_limits limits = raw.limits();
  return settings_.is_datagram() ? limits.mtu : std::min<std::uint64_t>(limits.max_message, std::uint64_t{1} << 30);
}

std::uint64_t link::own_slots() const noexcept {
  if (program_.what == operation::write && program_.latency) return 1;  // both sides look at one place
  return validates_ ? settings_.send_depth : 0;
}

void link::make_memory(const std::vector<std::uint64_t>& sizes) {
  const bool receives = program_.what == operation::send;
  std::uint64_t bytes = 0;
  for (const std::uint64_t size : sizes) bytes = std::max(bytes, slots(size, own_slots()).bytes());
  in_offset_ = bytes;
  if (receives) {
    // Whatever comes finds room: receives that one size leaves serve the next.
    receive_slots_ = slots(sizes.back() + header_, settings_.validate ? settings_.receive_depth : 0);
    bytes = std::max(bytes, receive_slots_.bytes());
  }
  memory_ = raw.register_memory(in_offset_ + bytes);
  raw.offer(memory_.offer(in_offset_, bytes));
  if (!receives) return;

  receive_depth_ =
      std::min(settings_.receive_depth, settings_.validate ? receive_slots_.count() : settings_.receive_depth);
  receive_pieces_.assign(std::min(settings_.receive_post_list, receive_depth_),
                         memory_.slice(in_offset_, sizes.back() + header_));
  for (rdma::local_buffer& piece : receive_pieces_) {
    rdma::receive_request r(piece);
    receives_.push_back(r.with_id(receive_id));
  }
  while (receives_posted_ + receives_.size() <= receive_depth_) post_receives();
}

void link::look_at_peer() {
  if (!is_one_sided_) return;
  const std::uint64_t offered = raw.peer_memory().length;
  if (offered < memory_.size() - in_offset_) {
    throw std::runtime_error("the other side offers " + std::to_string(offered) + " bytes of memory, too few");
  }
}

void link::prepare(std::uint64_t size) {
  size_ = size;
  posted_ = completed_ = 0;
  received_before_ = received_;
  slots_ = slots(size, own_slots());
  depth_ = validates_ ? std::min(settings_.send_depth, slots_.count()) : settings_.send_depth;
  const std::uint64_t list = std::min(settings_.post_list, depth_);
  moderation_ = until_signal_ = std::min(settings_.moderation, depth_);
  out_ = memory_.slice(0, 0).addr;
  target_ = raw.peer_memory().address;
  const bool fits = size <= std::min<std::uint64_t>(settings_.inline_size, raw.limits().inline_size);
  const bool can_inline = program_.what == operation::send || program_.what == operation::write;
  flags_ = can_inline && fits ? unsigned{IBV_SEND_INLINE} : 0;
  is_special_ = validates_ || program_.what == operation::atomic;

  pieces_.assign(list, memory_.slice(0, size));
  requests_.clear();
  const rdma::remote_address there = raw.peer_memory();
  for (rdma::local_buffer& piece : pieces_) {
    switch (program_.what) {
      case operation::write:
        requests_.push_back(rdma::work_request::write(piece, there));
        break;
      case operation::read:
        requests_.push_back(rdma::work_request::read(piece, there));
        break;
      case operation::atomic:
        requests_.push_back(settings_.atomic == "FETCH_AND_ADD"
                                ? rdma::work_request::fetch_and_add(piece, there, 1)
                                : rdma::work_request::compare_and_swap(piece, there, 0, 1));
        break;
      default:
        requests_.push_back(rdma::work_request::send(piece));
        if (settings_.is_datagram()) requests_.back().to(raw.peer());
    }
  }
  // What the other side will find here. Receives that are posted are not touched.
  if (program_.what == operation::send) return;
  std::memset(in_data(), 0, slots_.bytes());
  if (validates_ && program_.what == operation::read) {
    for (std::uint64_t i = 0; i < slots_.count(); ++i) fill_pattern(in_data() + slots_.offset(i), size, i);
  }
}

void link::post_receives() {
  for (std::size_t j = 0; j < receives_.size(); ++j) {
    receive_pieces_[j].addr = memory_.slice(in_offset_, 0).addr + receive_slots_.offset(receives_posted_ + j);
  }
  if (receives_.size() == 1) {
    raw.post_receive(receives_[0]);
  } else {
    raw.post_receive(rdma::span<rdma::receive_request>(receives_.data(), receives_.size()));
  }
  receives_posted_ += receives_.size();
}

// What makes one request differ from the one before.
void link::specialise(rdma::work_request& r, std::uint64_t number) {
  unsigned char* const data = out_data() + slots_.offset(number);
  switch (program_.what) {
    case operation::atomic:
      r.wr.atomic.remote_addr = target_;  // one counter
      if (r.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
        r.wr.atomic.compare_add = number;
        r.wr.atomic.swap = number + 1;
      }
      break;
    case operation::read:
      std::memset(data, 0, size_);
      break;
    default:
      fill_pattern(data, size_, number);
      if (settings_.is_datagram()) r.with_immediate(static_cast<std::uint32_t>(number));  // some may get lost
  }
}

void link::check_results(std::uint64_t first, std::uint64_t end) const {
  for (std::uint64_t number = first; number < end; ++number) {
    const unsigned char* const data = out_data() + slots_.offset(number);
    if (program_.what == operation::read) check_pattern(data, size_, number & slots_.mask);
    if (program_.what != operation::atomic) continue;
    std::uint64_t before;
    std::memcpy(&before, data, sizeof before);
    if (before != number) {
      throw std::runtime_error("--data_validation: atomic operation " + std::to_string(number) + " found " +
                               std::to_string(before) + ", not " + std::to_string(number));
    }
  }
}

void link::check_received(const rdma::work_completion& c) const {
  if (c.bytes() != size_ + header_) {
    throw std::runtime_error("--data_validation: a message of " + std::to_string(c.bytes()) + " bytes came, not " +
                             std::to_string(size_ + header_));
  }
  const std::uint64_t number = settings_.is_datagram() ? c.immediate() : received();
  check_pattern(in_data() + receive_slots_.offset(received_) + header_, size_, number);
}

void link::check_written(std::uint64_t count) const {
  for (std::uint64_t i = 0; i < std::min(count, slots_.count()); ++i) {
    const std::uint64_t number = count - 1 - i;
    check_pattern(in_data() + slots_.offset(number), size_, number);
  }
}

}  // namespace perf::verbs
