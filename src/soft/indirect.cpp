// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/indirect.hpp"

#include "soft/device.hpp"
#include "soft/queue_pair.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

iovec in_segment(void* base, std::uint64_t offset, std::uint64_t size) noexcept {
  return {static_cast<unsigned char*>(base) + offset, size};
}

/// Copies within this process, between a list and one piece.
void copy(const iovec* list, unsigned count, const iovec& piece, bool from_list) {
  const peer& self = *device::instance()->processes().self();
  (void)(from_list ? self.copy_to(list, count, &piece, 1) : self.copy_from(list, count, &piece, 1));
}

}  // namespace

result queue_pair::ask(const remote_request& r, const iovec* local, unsigned locals) {
  device& d = *device::instance();
  // All of the message is in the segment at once. Where that is full, others have to finish first.
  const std::uint64_t buffer = d.lent().lend(other->slot(), std::max<std::uint64_t>(r.length, 1));
  if (buffer == 0) return {outcome::busy, IBV_WC_SUCCESS, 0};
  if (r.opcode != IBV_WR_RDMA_READ && !is_atomic(r.opcode)) {
    copy(local, locals, in_segment(d.memory().base(), buffer, r.length), true);
  }
  const indirect_request text{r, ++wait_number, buffer};
  waiting = asked = true;
  other->send(message_kind::request, &text, sizeof text);
  return {outcome::asked, IBV_WC_SUCCESS, 0};
}

void queue_pair::answered(const indirect_answer& a) {
  const std::lock_guard<std::mutex> lock(send_mutex);
  if (!asked || a.number != wait_number) return;  // it was flushed
  waiting = asked = false;
  ++wait_number;
  const send_request r = requests[executed & (send_depth - 1)];
  result x = a.outcome;
  const bool fetches = r.opcode == IBV_WR_RDMA_READ || is_atomic(r.opcode);
  if (fetches && x.how == outcome::done && x.status == IBV_WC_SUCCESS) {
    held_mark here(device::instance()->memory().header(), device::instance()->slot());
    std::array<iovec, max_sge> local;
    const int locals = local_pieces(r, here, IBV_ACCESS_LOCAL_WRITE, local.data());
    if (locals < 0) {
      x.status = IBV_WC_LOC_PROT_ERR;
    } else {
      copy(local.data(), static_cast<unsigned>(locals),
           in_segment(device::instance()->memory().base(), a.buffer, r.length), false);
    }
  }
  if (x.how == outcome::done) {
    finish(r, x.status, x.bytes);
  } else {
    retry_later(x.how, r);
  }
  run();
}

void do_request(const std::shared_ptr<peer>& from, const indirect_request& r) {
  const std::uint64_t length = r.what.length;
  if (length > max_message || r.buffer > segment_bytes || length > segment_bytes - r.buffer) return;
  const iovec data = in_segment(from->base(), r.buffer, length);
  const indirect_answer answer{
      r.number, r.buffer, r.what.from_qp,
      respond(device::instance()->processes().self(), r.what, &data, length != 0 ? 1u : 0u)};
  from->send(message_kind::answer, &answer, sizeof answer);
}

void pass_datagram(peer& to, const datagram_header& d, const iovec* local, unsigned locals) {
  unsigned char text[sizeof d + mtu_bytes];
  std::memcpy(text, &d, sizeof d);
  copy(local, locals, {text + sizeof d, d.length}, true);
  to.send(message_kind::datagram, text, sizeof d + d.length);
}

void take_datagram(const unsigned char* data, std::size_t size) {
  datagram_header d;
  if (size < sizeof d) return;
  std::memcpy(&d, data, sizeof d);
  if (size != sizeof d + d.length) return;
  const iovec bytes{const_cast<unsigned char*>(data) + sizeof d, d.length};
  deliver(device::instance()->processes().self(), d, &bytes, d.length != 0 ? 1u : 0u);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
