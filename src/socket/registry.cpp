// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "socket/registry.hpp"

#include "io/forked.hpp"
#include "socket/connection.hpp"
#include "socket/datagram_socket.hpp"
#include "socket/listener.hpp"

#include <algorithm>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

void add_to(stream_counters& sum, const stream_counters& c) noexcept {
  sum.bytes_written += c.bytes_written;
  sum.bytes_sent += c.bytes_sent;
  sum.bytes_acknowledged += c.bytes_acknowledged;
  sum.bytes_received += c.bytes_received;
  sum.bytes_read += c.bytes_read;
  sum.write_bytes_copied += c.write_bytes_copied;
  sum.read_bytes_direct += c.read_bytes_direct;
  sum.write_bytes_direct += c.write_bytes_direct;
  sum.read_bytes_copied += c.read_bytes_copied;
  sum.messages_sent += c.messages_sent;
  sum.messages_received += c.messages_received;
  sum.control_messages_sent += c.control_messages_sent;
  sum.control_messages_received += c.control_messages_received;
  sum.writes += c.writes;
  sum.writes_blocked += c.writes_blocked;
  sum.reads += c.reads;
  sum.reads_blocked += c.reads_blocked;
  sum.credit_stalls += c.credit_stalls;
  sum.credit_stall_time += c.credit_stall_time;
  sum.device_stalls += c.device_stalls;
  sum.device_stall_time += c.device_stall_time;
  sum.completions += c.completions;
  sum.events_armed += c.events_armed;
  sum.events_taken += c.events_taken;
  sum.thread_sleeps += c.thread_sleeps;
  sum.descriptor_waits += c.descriptor_waits;
  sum.background_turns += c.background_turns;
}

}  // namespace

registry& registry::instance() {
  static registry& r = *new registry;
  return r;
}

std::uint64_t registry::add(std::shared_ptr<connection> c) {
  const std::lock_guard<std::mutex> lock(mutex_);
  contents_.connections.emplace(++last_number_, std::move(c));
  return last_number_;
}

std::uint64_t registry::add(std::shared_ptr<listener> l) {
  const std::lock_guard<std::mutex> lock(mutex_);
  contents_.listeners.emplace(++last_number_, std::move(l));
  return last_number_;
}

std::uint64_t registry::add(std::shared_ptr<datagram_socket> d) {
  const std::lock_guard<std::mutex> lock(mutex_);
  contents_.datagrams.emplace(++last_number_, std::move(d));
  return last_number_;
}

void registry::remove_connection(const socket_statistics& last) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_.connections.erase(last.number) != 0) core::add_to(contents_.ended, last);
}

void registry::remove_listener(const socket_statistics& last) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_.listeners.erase(last.number) != 0) core::add_to(contents_.ended, last);
}

void registry::remove_datagrams(const socket_statistics& last) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (contents_.datagrams.erase(last.number) != 0) core::add_to(contents_.ended, last);
}

void registry::count_failed_connect() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++contents_.ended.connects_failed;
}

registry::contents registry::get() const {
  if (io::forked()) return {};  // all of it is the parent's
  const std::lock_guard<std::mutex> lock(mutex_);
  return contents_;
}

void add_to(process_totals& totals, const socket_statistics& s) noexcept {
  if (s.established_for.count() > 0) {
    ++(s.accepted ? totals.accepted : totals.connected);
    if (s.last_error) ++totals.lost;
  } else if (s.state == connection_state::failed) {
    ++(s.accepted ? totals.accepts_failed : totals.connects_failed);
  }
  totals.refused += s.listener.refused_backlog + s.listener.refused_resources + s.listener.refused_other;
  totals.registered_memory += s.levels.registered_memory;
  add_to(totals.counters, s.counters);
}

void visit_sockets(void (*function)(const socket_statistics& s, void* context), void* context, process_totals& totals) {
  const registry::contents all = registry::instance().get();
  totals = all.ended;
  std::map<std::uint64_t, socket_statistics> in_order;
  const auto ask = [&in_order](const auto& numbered) { numbered.second->statistics(in_order[numbered.first]); };
  std::for_each(all.connections.begin(), all.connections.end(), ask);
  std::for_each(all.listeners.begin(), all.listeners.end(), ask);
  std::for_each(all.datagrams.begin(), all.datagrams.end(), ask);
  for (const auto& [number, s] : in_order) {
    add_to(totals, s);
    // One that has ended since the registry was looked at is only summed up.
    if (s.state != connection_state::failed && s.state != connection_state::closed) function(s, context);
  }
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
