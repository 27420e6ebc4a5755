// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/manager.hpp"

#include "soft/cm/calls.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

manager& manager::instance() noexcept {
  // One for each device, of which a process that was forked has another than its parent. The helper thread uses it
  // until the process ends.
  static std::atomic<manager*> current{nullptr};
  device& d = *device::instance();
  manager* known = current.load(std::memory_order_acquire);
  if (known != nullptr && &known->device_ == &d) return *known;
  auto* const fresh = new manager(d);
  if (current.compare_exchange_strong(known, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;  // another thread was faster
  return *known;
}

identifier* manager::find(std::uint64_t number) const noexcept {
  const auto found = ids_.find(number);
  return found == ids_.end() ? nullptr : found->second.get();
}

identifier& manager::add(std::unique_ptr<identifier> i) {
  i->number = next_number();
  identifier& result = *i;
  ids_[i->number] = std::move(i);
  return result;
}

std::unique_ptr<identifier> manager::remove(identifier& i) noexcept {
  const auto found = ids_.find(i.number);
  std::unique_ptr<identifier> result = std::move(found->second);
  ids_.erase(found);
  return result;
}

void manager::send(identifier& i, message m) {
  m.space = i.ps;
  m.from = i.number;
  m.to = i.remote_number;
  send(i.process, m);
}

void manager::send(const std::shared_ptr<peer>& to, message m) {
  m.instance = to->header().instance;
  if (!to->is_self()) return to->send(message_kind::connection, &m, size_of(m));
  device_.helper().post([to, m] { on_message(to, reinterpret_cast<const unsigned char*>(&m), size_of(m)); });
}

void manager::answer(const std::shared_ptr<peer>& to, const message& m, message_type type, std::uint32_t why) {
  message r;
  r.type = type;
  r.space = m.space;
  r.from = m.to;
  r.to = m.from;
  r.reason = why;
  send(to, r);
}

void manager::report(identifier& i, rdma_cm_event_type type, int status, const message& cause) {
  auto e = std::make_unique<cm_event>();
  e->id = &i;
  e->event = type;
  e->status = status;
  e->owner = &i;
  e->cause = cause;
  i.events->push(std::move(e));
}

void manager::set_deadline(identifier& i, std::chrono::milliseconds delay) {
  i.deadline = loop::clock::now() + delay;
  if (std::exchange(looks_at_deadlines_, true)) return;
  device_.helper().after(std::chrono::seconds(1), [this] { look_at_deadlines(); });
}

void manager::look_at_deadlines() {
  const lock_type lock(mutex);
  const auto now = loop::clock::now();
  std::vector<identifier*> due;
  bool are_more = false;
  for_each([&](identifier& i) {
    if (!i.deadline) return;
    if (now >= *i.deadline) due.push_back(&i);
    else are_more = true;
  });
  for (identifier* const i : due) {
    i->deadline.reset();
    expire(*this, *i);
  }
  looks_at_deadlines_ = are_more;
  if (are_more) device_.helper().after(std::chrono::seconds(1), [this] { look_at_deadlines(); });
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
