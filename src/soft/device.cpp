// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/device.hpp"

#include "soft/cm/calls.hpp"
#include "soft/calls.hpp"

#include <pthread.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

std::atomic<device*> opened{nullptr};
std::mutex opening;

/// The child of a fork has neither the helper thread nor the slot: it begins anew, with what it needs of its own.
void watch_for_forks() noexcept {
  static const int once = ::pthread_atfork([] { opening.lock(); }, [] { opening.unlock(); },
                                           [] {
                                             opened.store(nullptr, std::memory_order_relaxed);
                                             opening.unlock();
                                           });
  (void)once;
}

}  // namespace

device* device::instance() noexcept {
  // Looked at by every call: a load once it is open.
  if (device* const d = opened.load(std::memory_order_acquire)) return d;
  watch_for_forks();
  const std::lock_guard<std::mutex> lock(opening);
  if (device* const d = opened.load(std::memory_order_relaxed)) return d;
  auto* const candidate = new device();
  if (const int e = candidate->open()) {
    delete candidate;
    errno = e;
    return nullptr;
  }
  opened.store(candidate, std::memory_order_release);
  candidate->start();
  return candidate;
}

int device::open() noexcept {
  unsigned slot = 0;
  if (const int e = processes_.open(slot)) return e;
  if (const int e = memory_.create(slot)) return e;
  heap_.open(memory_);
  return helper_.start();
}

void device::start() {
  // Lets every process of the user read and write this one's memory, which Yama forbids by default on some systems:
  // less safe, and faster. See prctl(2).
  look_at_copy_variable();
  const char* const tracer = std::getenv("ASIO_RDMA_SOFT_PTRACER");
  if (tracer && std::strcmp(tracer, "any") == 0) ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  processes_.on_up = [this](const std::shared_ptr<peer>& p) { process_is_up(p); };
  processes_.on_down = [this](const std::shared_ptr<peer>& p) { process_is_down(p); };
  processes_.on_message = [](const std::shared_ptr<peer>& p, message_kind kind, const unsigned char* data,
                             std::size_t size) {
    device::instance()->take_message(p, kind, data, size);
  };
  processes_.start();
}

void device::take_message(const std::shared_ptr<peer>& p, message_kind kind, const unsigned char* data,
                          std::size_t size) {
  const auto copied_to = [data, size](auto& text) {
    if (size != sizeof text) return false;
    std::memcpy(&text, data, sizeof text);
    return true;
  };
  switch (kind) {
    case message_kind::connection:
      return cm::on_message(p, data, size);
    case message_kind::device: {
      std::uint32_t text[2];
      if (copied_to(text)) handle_event(static_cast<device_event>(text[0]), text[1]);
      return;
    }
    case message_kind::request: {
      indirect_request text;
      if (copied_to(text)) do_request(p, text);
      return;
    }
    case message_kind::answer: {
      indirect_answer text;
      if (!copied_to(text)) return;
      if (const auto q = find_qp(text.qp)) q->answered(text);
      lent_.take_back(p->slot(), text.buffer);
      return;
    }
    case message_kind::datagram:
      return take_datagram(data, size);
    case message_kind::hello:
      return;
  }
}

bool device::is_gone(unsigned slot) noexcept {
  const std::shared_ptr<peer> p = instance()->processes_.find(slot);
  return !p || !p->is_alive();
}

void device::process_is_up(const std::shared_ptr<peer>& p) {
  for (const auto& q : all_qps()) q->other_process_is_up(p->slot());
  cm::on_up(p);
}

void device::process_is_down(const std::shared_ptr<peer>& p) {
  for (auto& holder : memory_.header().atomics) {
    std::uint32_t dead = p->slot() + 1;
    holder.compare_exchange_strong(dead, 0);
  }
  {
    const std::lock_guard<std::mutex> lock(objects_mutex_);
    for (const auto& q : qps_) {
      if (q.second->receives) q.second->receives.repair(p->slot());
    }
    for (const auto& s : srqs_) s.second->queue.repair(p->slot());
    for (const auto& c : cqs_) repair_completion_queue(*c.second, p->slot());
  }
  // Only now: who waits for them goes on with what was put right.
  wipe_marks(memory_.header(), p->slot());
  lent_.take_back_all(p->slot());
  for (const auto& q : all_qps()) q->other_process_is_down(p->slot());
  if (p->base() != nullptr) wakers_.forget(p->header().instance);
  cm::on_down(p);
}

ibv_context* device::cm_context() noexcept {
  std::call_once(cm_once_, [this] {
    ibv_device** const list = get_device_list(nullptr);
    cm_context_ = open_device(list[0]);
    free_device_list(list);
    if (cm_context_ != nullptr) cm_domain_ = alloc_pd(cm_context_);
  });
  return cm_context_;
}

ibv_pd* device::cm_domain() noexcept {
  return cm_context() != nullptr ? cm_domain_ : nullptr;
}

void device::add_qp(unsigned index, const std::shared_ptr<queue_pair>& q) {
  const std::lock_guard<std::mutex> lock(objects_mutex_);
  if (q) qps_[index] = q;
  else qps_.erase(index);
  local_qps_[index].store(q.get(), std::memory_order_release);
}

void device::add_cq(unsigned index, completion_queue* cq) {
  const std::lock_guard<std::mutex> lock(objects_mutex_);
  if (cq) cqs_[index] = cq;
  else cqs_.erase(index);
}

void device::add_srq(unsigned index, shared_receive_queue* srq) {
  const std::lock_guard<std::mutex> lock(objects_mutex_);
  if (srq) srqs_[index] = srq;
  else srqs_.erase(index);
}

std::shared_ptr<queue_pair> device::find_qp(std::uint32_t number) const {
  const std::lock_guard<std::mutex> lock(objects_mutex_);
  const auto found = qps_.find(index_of(number));
  return found != qps_.end() && found->second->qp_base.qp_num == number ? found->second : nullptr;
}

std::vector<std::shared_ptr<queue_pair>> device::all_qps() const {
  std::vector<std::shared_ptr<queue_pair>> result;
  const std::lock_guard<std::mutex> lock(objects_mutex_);
  for (const auto& q : qps_) result.push_back(q.second);
  return result;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
