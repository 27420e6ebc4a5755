// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOCKET_STREAM_BURST_HPP
#define ASIO_RDMA_SRC_SOCKET_STREAM_BURST_HPP

#include "log/log.hpp"
#include "socket/stream_engine.hpp"
#include "transfer/message.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace core {

inline std::uint64_t address_of(const std::byte* p) noexcept {
  return reinterpret_cast<std::uintptr_t>(p);
}

/// A list of work requests that is posted with one doorbell.
class stream_engine::burst {
public:
  explicit burst(stream_engine& engine) noexcept : engine_(engine) {}

  /// A message: its bytes, if any, go from local memory, that of control texts or of a key, to an address of the peer.
  void add(transfer::message_kind kind, std::uint32_t length_field, const std::byte* from, std::uint32_t length,
           std::uint64_t to, std::uint32_t remote_key) noexcept {
    add(kind, length_field, from, length, to, remote_key, engine_.queues_.control_texts_key());
  }
  void add(transfer::message_kind kind, std::uint32_t length_field, const std::byte* from, std::uint32_t length,
           std::uint64_t to, std::uint32_t remote_key, std::uint32_t local_key) noexcept {
    if (count_ == capacity) post();
    ibv_send_wr& request = requests_[count_];
    ibv_sge& entry = entries_[count_];
    request = {};
    request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
    request.imm_data = htonl(transfer::encode_immediate(kind, length_field));
    request.wr.rdma.remote_addr = to;
    request.wr.rdma.rkey = remote_key;
    if (length > 0) {
      entry.addr = address_of(from);
      entry.length = length;
      entry.lkey = local_key;
      request.sg_list = &entry;
      request.num_sge = 1;
      if (length <= engine_.queues_.inline_size()) request.send_flags |= IBV_SEND_INLINE;
    }
    const bool signalled = engine_.slots_->signal_due();
    if (signalled) request.send_flags |= IBV_SEND_SIGNALED;
    request.wr_id = engine_.slots_->posted(engine_.staging_->posted(), signalled, engine_.direct_posted_) * 2;
    if (count_ > 0) requests_[count_ - 1].next = &request;
    ++count_;
  }

  /// A control message with a text, for which there is room.
  template <std::size_t Size>
  void add_text(transfer::message_kind kind, const std::array<unsigned char, Size>& text) noexcept {
    const std::size_t offset = engine_.window_->next_slot() * transfer::mirror_slot_size;
    std::byte* const here = engine_.queues_.control_texts() + offset;
    std::memcpy(here, text.data(), Size);
    engine_.window_->sent_control();
    add(kind, Size, here, Size, engine_.peer_.mirror_address + offset, engine_.peer_.mirror_key);
  }

  /// No message: opens a window of the program's memory to the peer.
  void add_open(ibv_mw* window, std::uint32_t key, ibv_mr* region, const std::byte* data,
                std::uint32_t length) noexcept {
    ibv_send_wr& request = add_local(IBV_WR_BIND_MW);
    request.bind_mw.mw = window;
    request.bind_mw.rkey = key;
    request.bind_mw.bind_info.mr = region;
    request.bind_mw.bind_info.addr = address_of(data);
    request.bind_mw.bind_info.length = length;
    request.bind_mw.bind_info.mw_access_flags = IBV_ACCESS_REMOTE_WRITE;
  }
  /// No message: shuts it.
  void add_shut(std::uint32_t key) noexcept { add_local(IBV_WR_LOCAL_INV).invalidate_rkey = key; }

  /// No message: a write of no bytes, which takes no receive.
  void add_silent() noexcept {
    add(transfer::message_kind::data, 0, nullptr, 0, engine_.peer_.ring_address, engine_.peer_.ring_key);
    requests_[count_ - 1].opcode = IBV_WR_RDMA_WRITE;
    requests_[count_ - 1].imm_data = 0;
  }

  void post() noexcept {
    if (count_ == 0) return;
    // Without a completion for the last one, nothing would tell that the burst was sent.
    requests_[count_ - 1].send_flags |= IBV_SEND_SIGNALED;
    engine_.slots_->signal_last();
    count_ = 0;
    ibv_send_wr* bad = nullptr;
    engine_.requests_posted_ = engine_.slots_->next_index();
    if (const int e = engine_.queues_.post_sends(requests_, bad)) {
      engine_.requests_posted_ = bad->wr_id / 2;  // nothing will be heard of it and those behind it
      engine_.tail_is_silent_ = bad != requests_;
      log(log_level::warning, "post_send: %s", std::strerror(e));
      engine_.broken(error(e));
    }
  }

private:
  ibv_send_wr& add_local(ibv_wr_opcode opcode) noexcept {
    add_silent();
    ibv_send_wr& request = requests_[count_ - 1];
    request.opcode = opcode;
    return request;
  }

  static constexpr unsigned capacity = 16;
  stream_engine& engine_;
  unsigned count_ = 0;
  ibv_send_wr requests_[capacity];
  ibv_sge entries_[capacity];
};

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
