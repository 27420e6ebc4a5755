// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw/checker.hpp"

#include "error/option_error.hpp"
#include "error/text.hpp"
#include "raw/known_regions.hpp"

#include <algorithm>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

using core::error;

namespace {

/// A line that says what is wrong, if anything is.
class complaint {
public:
  void say(const char* sentence) noexcept { say("%s", sentence); }
  template <class... Arguments>
  void say(const char* format, Arguments... arguments) noexcept {
    if (line_.length() == 0) line_.add(format, arguments...);
  }
  error refuse() const noexcept { return line_.length() == 0 ? error() : core::refuse_use(buffer_); }

private:
  char buffer_[512];
  core::text line_{buffer_, sizeof buffer_};
};

using number = unsigned long long;

bool is_outside(std::uint64_t address, std::uint64_t length, std::uint64_t begin, std::uint64_t size) noexcept {
  return address < begin || address - begin > size || length > size - (address - begin);
}

/// Returns the bytes of all buffers.
std::uint64_t check_buffers(complaint& c, const checker::facts& f, const ibv_sge* buffers, int count, unsigned most,
                            bool is_inline) {
  if (count < 0 || static_cast<unsigned>(count) > most) {
    c.say("a request has %d buffers, and the queue was made for %u: raise raw_options::send_sge or receive_sge", count,
          most);
    return 0;
  }
  std::uint64_t all = 0;
  for (int i = 0; i < count; ++i) {
    const ibv_sge& b = buffers[i];
    all += b.length;
    if (is_inline || b.length == 0) continue;
    const key_meaning m = find_key(f.domain, b.lkey);
    if (m.elsewhere) {
      c.say("buffer %d has the local key 0x%x, which belongs to another device, or to connections that are set up the "
            "other way: register the memory with this connection", i, b.lkey);
    }
    if (m.here && is_outside(b.addr, b.length, m.address, m.length)) {
      c.say("buffer %d, %u bytes at 0x%llx, is not within its memory, %llu bytes at 0x%llx", i, b.length,
            number{b.addr}, number{m.length}, number{m.address});
    }
  }
  return all;
}

bool is_atomic(ibv_wr_opcode o) noexcept {
  return o == IBV_WR_ATOMIC_CMP_AND_SWP || o == IBV_WR_ATOMIC_FETCH_AND_ADD;
}
bool is_one_sided(ibv_wr_opcode o) noexcept {
  return o == IBV_WR_RDMA_WRITE || o == IBV_WR_RDMA_WRITE_WITH_IMM || o == IBV_WR_RDMA_READ || is_atomic(o);
}

void check_remote(complaint& c, const checker::facts& f, const ibv_send_wr& r, std::uint64_t bytes) {
  const std::uint64_t address = is_atomic(r.opcode) ? r.wr.atomic.remote_addr : r.wr.rdma.remote_addr;
  const std::uint32_t key = is_atomic(r.opcode) ? r.wr.atomic.rkey : r.wr.rdma.rkey;
  if (f.remote.length != 0 && key == f.remote.key && is_outside(address, bytes, f.remote.address, f.remote.length)) {
    c.say("%llu bytes at the peer's 0x%llx are not within the memory that it offers, %llu bytes at 0x%llx",
          number{bytes}, number{address}, number{f.remote.length}, number{f.remote.address});
  }
  if (!is_atomic(r.opcode)) return;
  if (bytes != 8) c.say("the result of an atomic is 8 bytes, and the buffer has %llu", number{bytes});
  if (address % 8 != 0) c.say("an atomic's address, 0x%llx, is no multiple of 8", number{address});
}

void check_send(complaint& c, const checker::facts& f, const ibv_send_wr& r) {
  const bool is_inline = (r.send_flags & IBV_SEND_INLINE) != 0;
  const bool reads = r.opcode == IBV_WR_RDMA_READ || is_atomic(r.opcode);
  const std::uint64_t bytes = check_buffers(c, f, r.sg_list, r.num_sge, f.limits.send_sge, is_inline);
  if (is_inline && reads) c.say("a read or an atomic cannot be inline");
  if (is_inline && bytes > f.limits.inline_size) {
    c.say("%llu bytes are too many to be inline, the device takes %u: leave inline_data() out, or raise "
          "raw_options::inline_size", number{bytes}, f.limits.inline_size);
  }
  if (f.reliable) {
    if (bytes > f.limits.max_message) {
      c.say("%llu bytes are more than the device moves in one request, %u: use several", number{bytes},
            f.limits.max_message);
    }
    if (is_one_sided(r.opcode)) check_remote(c, f, r, bytes);
    return;
  }
  if (is_one_sided(r.opcode)) c.say("datagrams know sends only, no reads, writes or atomics");
  if (r.wr.ud.ah == nullptr) c.say("a datagram has no address: work_request::to()");
  if (bytes > f.limits.mtu) {
    c.say("%llu bytes are too many for a datagram, the path carries %u", number{bytes}, f.limits.mtu);
  }
}

/// Depths are what was granted, which may be more than was asked for.
void check_depth(complaint& c, std::uint64_t outstanding, unsigned depth, const char* queue, const char* option) {
  if (outstanding < depth) return;
  c.say("the %s queue is full with %u requests: poll() before posting more, have at least one in %u signalled, or "
        "raise raw_options::%s", queue, depth, depth, option);
}

}  // namespace

error checker::check(const facts& f, const ibv_send_wr* first, const ibv_send_wr*& bad) const {
  std::uint64_t outstanding = sends_.size();
  for (bad = first; bad != nullptr; bad = bad->next, ++outstanding) {
    complaint c;
    check_depth(c, outstanding, f.limits.send_depth, "send", "send_depth");
    check_send(c, f, *bad);
    if (const error e = c.refuse()) return e;
  }
  return {};
}

error checker::check(const facts& f, const ibv_recv_wr* first, const ibv_recv_wr*& bad) const {
  std::uint64_t outstanding = receives_;
  for (bad = first; bad != nullptr; bad = bad->next, ++outstanding) {
    complaint c;
    check_depth(c, outstanding, f.limits.receive_depth, "receive", "receive_depth");
    (void)check_buffers(c, f, bad->sg_list, bad->num_sge, f.limits.receive_sge, false);
    if (const error e = c.refuse()) return e;
  }
  return {};
}

void checker::posted(const ibv_send_wr* first, const ibv_send_wr* end) {
  for (; first != end; first = first->next) {
    sends_.push_back({first->wr_id, (first->send_flags & IBV_SEND_SIGNALED) != 0});
  }
}

void checker::posted(const ibv_recv_wr* first, const ibv_recv_wr* end) {
  for (; first != end; first = first->next) ++receives_;
}

bool checker::retire_send(std::uint64_t id) noexcept {
  // Completions come in the order of the requests, and one stands for those before it that are not signalled. One that
  // failed may not have been signalled itself.
  auto found = std::find_if(sends_.begin(), sends_.end(), [](const send& s) { return s.signaled; });
  if (found == sends_.end() || found->id != id) {
    found = std::find_if(sends_.begin(), sends_.end(), [id](const send& s) { return s.id == id; });
  }
  if (found == sends_.end()) return false;
  sends_.erase(sends_.begin(), found + 1);
  return true;
}

void checker::completed(const ibv_wc* completions, int count) noexcept {
  for (const ibv_wc* c = completions; c != completions + count; ++c) {
    const bool failed = c->status != IBV_WC_SUCCESS;  // then the kind of request is not told
    const bool receive = !failed && (c->opcode & IBV_WC_RECV) != 0;
    if (!receive && retire_send(c->wr_id)) continue;
    if ((receive || failed) && receives_ != 0) --receives_;
  }
}

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma
