// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_STATISTICS_TEXT_HPP
#define ASIO_RDMA_STATISTICS_TEXT_HPP

#include <asio_rdma/rc.hpp>
#include <asio_rdma/statistics.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace core {

/// One word: LISTEN, ESTAB and so on, as ss(8) has them where it has such a state.
inline const char* to_string(connection_state state) noexcept {
  switch (state) {
    case connection_state::unconnected:
      return "UNCONN";
    case connection_state::listening:
      return "LISTEN";
    case connection_state::connecting:
      return "CONNECT";
    case connection_state::accepting:
      return "ACCEPT";
    case connection_state::established:
      return "ESTAB";
    case connection_state::ended:
      return "ENDED";
    case connection_state::lingering:
      return "LINGER";
    case connection_state::disconnecting:
      return "GOODBYE";
    case connection_state::failed:
      return "FAILED";
    case connection_state::closed:
      return "CLOSED";
  }
  return "?";
}

inline std::ostream& operator<<(std::ostream& out, connection_state state) {
  return out << to_string(state);
}

}  // namespace core

using core::to_string;

namespace detail {

/// Builds a line of "name:value" pairs.
class statistics_line {
public:
  explicit statistics_line(const char* start) : text_(start) {}

  statistics_line& add(const std::string& name, const std::string& value) {
    text_.append(" ").append(name).append(":").append(value);
    return *this;
  }
  statistics_line& add(const char* name, std::uint64_t value) { return add(name, std::to_string(value)); }
  /// Milliseconds with microseconds behind the point.
  statistics_line& add(const char* name, std::chrono::nanoseconds value) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.3fms", std::chrono::duration<double, std::milli>(value).count());
    return add(name, std::string(buffer));
  }
  statistics_line& add_fraction(const char* name, std::uint64_t part, std::uint64_t whole) {
    return add(name, std::to_string(part) + "/" + std::to_string(whole));
  }
  statistics_line& add_if(bool condition, const char* name, int value) {
    return condition ? add(name, std::to_string(value)) : *this;
  }

  std::string finish() const { return text_ + "\n"; }

private:
  std::string text_;
};

inline std::string endpoint_text(const rc::endpoint& e) {
  const bool is_known = e.port() != 0 || !e.address().is_unspecified();
  if (!is_known) return "*";
  const std::string address = e.address().to_string();
  return (e.address().is_v6() ? "[" + address + "]" : address) + ":" + std::to_string(e.port());
}

inline std::string counters_text(const stream_counters& c) {
  return statistics_line("\t")
             .add("bytes_written", c.bytes_written)
             .add("bytes_sent", c.bytes_sent)
             .add("bytes_acked", c.bytes_acknowledged)
             .add("bytes_received", c.bytes_received)
             .add("bytes_read", c.bytes_read)
             .add("write_copied", c.write_bytes_copied)
             .add("write_direct", c.write_bytes_direct)
             .add("read_copied", c.read_bytes_copied)
             .add("read_direct", c.read_bytes_direct)
             .finish() +
         statistics_line("\t")
             .add("msgs_out", c.messages_sent)
             .add("msgs_in", c.messages_received)
             .add("control_out", c.control_messages_sent)
             .add("control_in", c.control_messages_received)
             .add("writes", c.writes)
             .add("writes_blocked", c.writes_blocked)
             .add("reads", c.reads)
             .add("reads_blocked", c.reads_blocked)
             .finish() +
         statistics_line("\t")
             .add("credit_stalls", c.credit_stalls)
             .add("credit_stalled", c.credit_stall_time)
             .add("device_stalls", c.device_stalls)
             .add("device_stalled", c.device_stall_time)
             .add("completions", c.completions)
             .add("events_armed", c.events_armed)
             .add("events_taken", c.events_taken)
             .add("sleeps", c.thread_sleeps)
             .add("descriptor_waits", c.descriptor_waits)
             .add("background", c.background_turns)
             .finish();
}

inline std::string listener_text(const listener_counters& l) {
  return statistics_line("\t")
      .add("accepted", l.accepted)
      .add("refused_backlog", l.refused_backlog)
      .add("refused_resources", l.refused_resources)
      .add("refused_other", l.refused_other)
      .add("unconfirmed", l.unconfirmed)
      .add("pending", l.pending)
      .finish();
}

inline std::string datagram_text(const datagram_counters& d) {
  return statistics_line("\t")
             .add("datagrams_unread", d.unread)
             .add("datagrams_waiting", d.waiting)
             .add("peers", d.peers)
             .add("groups", d.groups)
             .add("lookups", d.lookups)
             .add("lookups_failed", d.lookups_failed)
             .add("peers_learned", d.peers_learned)
             .finish() +
         statistics_line("\t")
             .add("truncated", d.truncated)
             .add("dropped_unresolved", d.dropped_unresolved)
             .add("dropped_waiting", d.dropped_waiting)
             .add("dropped_by_device", d.dropped_by_device)
             .add("dropped_foreign", d.dropped_foreign)
             .add("dropped_filtered", d.dropped_filtered)
             .add("dropped_closed", d.dropped_closed)
             .finish();
}

inline std::string path_text(const socket_statistics& s) {
  statistics_line line("\t");
  line.add("number", s.number);
  if (!s.device.empty()) line.add("device", s.device + (s.port != 0 ? "/" + std::to_string(s.port) : ""));
  if (s.gid_index >= 0) line.add("gid[" + std::to_string(s.gid_index) + "]", s.gid.to_string());
  if (s.queue_pair != 0) line.add("qp", s.queue_pair).add("peer_qp", s.peer_queue_pair).add("mtu", s.path_mtu);
  if (s.is_datagram) line.add("kind", std::string("datagram"));
  line.add_if(s.ack_timeout >= 0, "ack_timeout", s.ack_timeout);
  line.add_if(s.retry_count >= 0, "retry", s.retry_count).add_if(s.rnr_retry >= 0, "rnr_retry", s.rnr_retry);
  if (s.established_for.count() > 0) line.add("age", s.established_for);
  if (s.sending_ended) line.add("shutdown", std::string("sending"));
  if (s.receiving_ended) line.add("eof", std::string("received"));
  return line.finish();
}

inline std::string levels_text(const stream_levels& l) {
  return statistics_line("\t")
      .add_fraction("rcvbuf", l.receive_buffer_used, l.receive_buffer_size)
      .add_fraction("sndbuf", l.send_buffer_used, l.send_buffer_size)
      .add("unsent", l.send_buffer_unsent)
      .add_fraction("peerbuf", l.peer_buffer_used, l.peer_buffer_size)
      .add("credit_bytes", l.credit_bytes)
      .add("credit_msgs", l.credit_messages)
      .add("rcv_depth", l.receive_queue_depth)
      .add("peer_depth", l.peer_queue_depth)
      .add_fraction("sndq", l.send_queue_used, l.send_queue_depth)
      .add("registered", l.registered_memory)
      .finish();
}

}  // namespace detail

/// In the manner of "ss -ti": a line with the state, bytes that wait to be read and to be acknowledged (of a listener:
/// connections that wait, and the backlog) and both endpoints; then lines that begin with a tab, of names and values.
/// Times are in milliseconds, sizes in bytes. Ends with a newline.
inline std::string to_string(const socket_statistics& s) {
  const bool is_listener = s.state == connection_state::listening;
  char head[64];
  std::snprintf(head, sizeof head, "%-8s %-7llu %-7llu ", to_string(s.state),
                static_cast<unsigned long long>(is_listener ? s.listener.waiting : s.levels.receive_buffer_used),
                static_cast<unsigned long long>(is_listener ? s.listener.backlog : s.levels.send_buffer_used));
  std::string text = head;
  text += detail::endpoint_text(s.local) + " " + detail::endpoint_text(s.remote) + "\n" + detail::path_text(s);
  if (is_listener) {
    text += detail::listener_text(s.listener);
  } else {
    text += detail::levels_text(s.levels) + detail::counters_text(s.counters);
    if (s.is_datagram) text += detail::datagram_text(s.datagrams);
  }
  if (!s.failure.empty()) text += "\t failure: " + s.failure + "\n";
  return text;
}

namespace core {

/// The same for sums. Ends with a newline.
inline std::string to_string(const process_totals& t) {
  return detail::statistics_line("TOTAL   ")
             .add("connected", t.connected)
             .add("connects_failed", t.connects_failed)
             .add("accepted", t.accepted)
             .add("accepts_failed", t.accepts_failed)
             .add("lost", t.lost)
             .add("refused", t.refused)
             .add("registered", t.registered_memory)
             .finish() +
         detail::counters_text(t.counters);
}

inline std::ostream& operator<<(std::ostream& out, const process_totals& t) {
  return out << to_string(t);
}

}  // namespace core

using core::to_string;

/// A line of headings, every connection and listener, and the sums of the process.
inline std::string to_string(const process_snapshot& s) {
  std::string text = "State    Recv-Q  Send-Q  Local Peer\n";
  for (const socket_statistics& each : s.sockets) text += to_string(each);
  return text + to_string(s.totals);
}

/// Writes one, as to_string() has it.
inline std::ostream& operator<<(std::ostream& out, const socket_statistics& s) {
  return out << to_string(s);
}
/// Writes all, as to_string() has them.
inline std::ostream& operator<<(std::ostream& out, const process_snapshot& s) {
  return out << to_string(s);
}

}  // namespace v1
}  // namespace asio_rdma

#endif
