// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "verbs_end.hpp"

#include "../common/flags.hpp"
#include "accept.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>

#include <dlfcn.h>
#include <fcntl.h>
#include <algorithm>
#include <sstream>

namespace perf {

std::unique_ptr<end> make_verbs_end(const end_of& e) {
  return std::make_unique<verbs::verbs_end>(e);
}

namespace verbs {

namespace json = boost::json;
using tcp = boost::asio::ip::tcp;

carrier describe_connection(rdma::raw_connection& c) {
  const rdma::raw_limits limits = c.limits();
  carrier result;
  result.device = c.native_handle().context->device->name;
  result.mtu = limits.mtu;
  result.gid_index = static_cast<std::uint64_t>(std::max(0, limits.gid_index));
  result.inline_size = limits.inline_size;
  result.port = limits.port;
  find_link(result, limits.port);
  std::ostringstream local;
  local << c.local_endpoint() << ", queue pair " << c.queue_pair().native_handle()->qp_num;
  result.local = local.str();
  std::ostringstream remote;
  remote << c.remote_endpoint();
  result.remote = remote.str();
  return result;
}

namespace {

// perf/count, preloaded, counts what goes through a context's functions. It cannot see the library's own devices by
// itself.
void let_count(ibv_context* context) {
  void* const found = ::dlsym(RTLD_DEFAULT, "asio_rdma_count");
  if (found) reinterpret_cast<void (*)(ibv_context*)>(found)(context);
}

}  // namespace

verbs_end::verbs_end(const end_of& e) : program_(e.what), settings_(e.how), line_(e.line), is_client_(e.is_client) {
  completions_.resize(settings_.poll_batch);
  is_client_ ? connect() : accept();
  for (link& l : links_) l.look_at_peer();
  if (settings_.events && links_.size() == 1) {
    // One channel can be slept on by the call that takes its events, as perftest does it.
    const int fd = links_.front().raw.native_handle().channel_fd;
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    has_blocking_channel_ = true;
  }
  let_count(links_.front().raw.native_handle().context);
  if (settings_.probe) {
    for (link& l : links_) l.raw.probe(true);
  }
}

rdma::raw_options verbs_end::options() const {
  const settings& s = settings_;
  rdma::raw_options o;
  o.transport = s.is_datagram() ? rdma::raw_transport::datagram : rdma::raw_transport::reliable;
  o.setup = s.rdma_cm ? rdma::raw_setup::connection_manager : rdma::raw_setup::exchange;
  o.send_depth = static_cast<unsigned>(s.send_depth);
  o.receive_depth = program_.what == operation::send ? static_cast<unsigned>(s.receive_depth) : 1;
  o.send_sge = o.receive_sge = 1;
  o.inline_size = static_cast<unsigned>(s.inline_size);
  o.read_depth = s.outstanding == unset ? 255 : static_cast<int>(s.outstanding);  // what the device can
  o.setup_timeout = 60000;  // under a debugger, or on a machine that is very busy; an end that has died shows at once
  o.ack_timeout = static_cast<int>(s.ack_timeout);
  o.retry_count = static_cast<int>(s.retries);
  if (s.traffic_class != unset) o.traffic_class = static_cast<int>(s.traffic_class);
  if (s.type_of_service != unset) {
    // A server learns from its client how they connect.
    if (!s.rdma_cm) throw usage_error("--tos (-T) is rdma_cm's (-R), which the client does not use");
    o.traffic_class = static_cast<int>(s.type_of_service);
  }
  if (s.service_level != unset) o.service_level = static_cast<int>(s.service_level);
  if (s.gid_index != unset) o.gid_index = static_cast<int>(s.gid_index);
  if (s.device_port != unset) o.port = static_cast<int>(s.device_port);
  if (s.mtu != unset) o.mtu = static_cast<int>(s.mtu);
  return o;
}

void verbs_end::connect() {
  const json::object server = line_.receive();
  const tcp::endpoint address(line_.remote_address(), server.at("port").to_number<std::uint16_t>());
  for (std::uint64_t i = 0; i < settings_.connections; ++i) {
    link& l = links_.emplace_back(io_, program_, settings_);
    l.raw.open(address, options());
    largest_ = l.largest_message();
    l.make_memory(sizes_of(settings_, largest_));
    l.raw.establish();
  }
}

void verbs_end::accept() {
  rdma::raw_acceptor acceptor(io_);
  acceptor.listen(tcp::endpoint(line_.local_address(), 0), options(), 1024);
  line_.send({{"port", acceptor.local_endpoint().port()}});
  for (std::uint64_t i = 0; i < settings_.connections; ++i) {
    link& l = links_.emplace_back(io_, program_, settings_);
    accept_request(io_, acceptor, l.raw, line_);
    largest_ = l.largest_message();
    l.make_memory(sizes_of(settings_, largest_));
    l.raw.establish();
  }
}

carrier verbs_end::describe() {
  return describe_connection(links_.front().raw);
}

void verbs_end::prepare(std::uint64_t size) {
  for (link& l : links_) l.prepare(size);
}

result verbs_end::run(const phase& p) {
  result r;
  const bool sends = is_client_ || settings_.bidirectional;
  const bool receives = !is_client_ || settings_.bidirectional;
  sent_ = completed_ = 0;
  told_sent_.clear();
  told_received_.reset();
  for (link& l : links_) {
    if (settings_.probe) l.raw.probe(true);
  }
  double post_before = 0;
  double poll_before = 0;
  const auto probe = [this](double& post, double& poll) {
    for (link& l : links_) {
      post += std::chrono::duration<double>(l.raw.statistics().post_time).count();
      poll += std::chrono::duration<double>(l.raw.statistics().poll_time).count();
    }
  };
  probe(post_before, poll_before);
  scale_.reset();
  window_.emplace(p);
  if (has_blocking_channel_) alarm_.emplace();
  if (!program_.latency) {
    transfer(p, sends, receives, r);
  } else if (program_.what == operation::send) {
    is_client_ ? ping_sends(p, r) : pong_sends(p);
  } else if (program_.what == operation::write) {
    is_client_ ? ping_writes(p, r) : pong_writes(p);
  } else if (is_client_) {
    time_operations(p, r);
  }
  if (program_.latency && sends) {
    window_->finish(sent_, r);
    say_sent();
  }
  alarm_.reset();
  r.tick_nanoseconds = scale_.nanoseconds();
  if (sends && notes_) r.peak_messages = peak_rate(posts_, done_) * 1e9 / r.tick_nanoseconds;
  probe(r.post_seconds, r.poll_seconds);
  r.post_seconds -= post_before;
  r.poll_seconds -= poll_before;
  settle(sends, receives, r);
  return r;
}

std::size_t verbs_end::take(link& l) {
  return l.raw.poll(rdma::span<rdma::work_completion>(completions_.data(), completions_.size()));
}

std::size_t verbs_end::take_some(link& l) {
  for (;;) {
    const std::size_t count = take(l);
    if (count > 0) {
      idle_ = 0;
      return count;
    }
    idle();
    if (is_told()) return take(l);
  }
}

void verbs_end::idle() {
  constexpr unsigned patience = 1 << 20;  // looks in vain, some 10 ms, before one that costs a system call
  if (settings_.events) {
    if (!sleep_until_completion()) return;
  } else if (++idle_ < patience) {
    return;
  }
  idle_ = 0;
  if (line_.has_message()) hear(line_.receive());
}

// Asks for events, then lets the caller look once more, since a completion that came in between raises none, and sleeps
// when it finds nothing again.
bool verbs_end::sleep_until_completion() {
  if (!is_armed_) {
    for (link& l : links_) l.raw.completion_queue().request_notification();
    is_armed_ = true;
    return false;
  }
  is_armed_ = false;
  if (alarm_) return !take_event(links_.front());
  std::vector<pollfd>& ready = ready_;
  if (ready.empty()) {
    for (link& l : links_) ready.push_back({l.raw.native_handle().channel_fd, POLLIN, 0});
  }
  constexpr int until_a_look_at_the_other_side = 100;  // ms
  if (::poll(ready.data(), ready.size(), until_a_look_at_the_other_side) <= 0) return true;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if ((ready[i].revents & POLLIN) != 0) take_event(links_[i]);
  }
  return false;
}

bool verbs_end::take_event(link& l) {
  const rdma::core::raw_objects& o = l.raw.native_handle();
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  if (o.table->get_cq_event(o.channel, &queue, &context) != 0) return false;
  o.table->ack_cq_events(queue, 1);
  return true;
}

void verbs_end::fail(const rdma::work_completion& c) {
  // What the other side says is nearer to the cause.
  if (line_.has_message()) hear(line_.receive());
  const std::string what = (c.wr_id & receive_id) != 0 ? "a receive" : "message " + std::to_string(c.wr_id - 1);
  throw std::runtime_error(what + " completed with an error: " + c.error().message() + " (vendor error " +
                           std::to_string(c.vendor_error()) + ')');
}

void verbs_end::say_sent() {
  json::array counts;
  for (const link& l : links_) counts.push_back(l.posted());
  line_.send({{"sent", std::move(counts)}});
}

void verbs_end::hear(const json::object& message) {
  if (const json::value* const sent = message.if_contains("sent")) {
    for (const json::value& v : sent->as_array()) told_sent_.push_back(v.to_number<std::uint64_t>());
    if (told_sent_.size() == links_.size()) return;
  } else if (const json::value* const received = message.if_contains("received")) {
    told_received_ = received->to_number<std::uint64_t>();
    return;
  }
  throw peer_error("the other side says something that makes no sense now");
}

void verbs_end::settle(bool sends, bool receives, result& r) {
  const bool two_sided = program_.what == operation::send;
  if (receives) {
    while (!is_told()) hear(line_.receive());
    std::uint64_t arrived = 0;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      arrived += two_sided ? links_[i].received() : told_sent_[i];
      if (settings_.validate && program_.what == operation::write && !program_.latency)
        links_[i].check_written(told_sent_[i]);
    }
    line_.send({{"received", arrived}});
  }
  if (!sends) return;
  while (!told_received_) hear(line_.receive());
  // Pongs are what proves that pings arrived.
  if (two_sided && !program_.latency && *told_received_ < sent_) r.lost = sent_ - *told_received_;
  if (r.lost > 0 && !settings_.is_datagram()) {
    throw std::runtime_error(std::to_string(r.lost) + " messages of a reliable connection did not arrive");
  }
}

}  // namespace verbs
}  // namespace perf
