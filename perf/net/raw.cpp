// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// --mode raw: the asynchronous operations of raw_connection, with handlers, as an Asio program would use them.

#include "../common/pattern.hpp"
#include "../common/ticks.hpp"
#include "../common/window.hpp"
#include "../verbs/accept.hpp"
#include "../verbs/link.hpp"
#include "modes.hpp"

#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <deque>

namespace perf::net {

namespace {

namespace rdma = asio_rdma;
using boost::system::error_code;
using tcp = boost::asio::ip::tcp;

// An immediate says whether a message is the last of its phase: where large messages share a place, what is in it may
// be of another one already.
constexpr std::uint32_t more_follow = 0;
constexpr std::uint32_t is_last = 1;

constexpr std::uint64_t sends_at_a_time = 64;
constexpr std::uint64_t receives_at_a_time = 2 * sends_at_a_time;

class raw_end : public end {
public:
  explicit raw_end(const end_of& e)
      : settings_(e.how), line_(e.line), latency_(e.what.latency), is_client_(e.is_client) {
    if (is_client_) {
      const tcp::endpoint address(line_.remote_address(), line_.receive().at("port").to_number<std::uint16_t>());
      for (std::uint64_t i = 0; i < settings_.connections; ++i) {
        connection& c = connections_.emplace_back(io_);
        c.raw.open(address, options());
        make_memory(c);
        c.raw.establish();
      }
    } else {
      rdma::raw_acceptor acceptor(io_);
      acceptor.listen(tcp::endpoint(line_.local_address(), 0), options());
      line_.send({{"port", acceptor.local_endpoint().port()}});
      for (std::uint64_t i = 0; i < settings_.connections; ++i) {
        connection& c = connections_.emplace_back(io_);
        verbs::accept_request(io_, acceptor, c.raw, line_);
        make_memory(c);
        c.raw.establish();
      }
    }
  }

  carrier describe() override { return verbs::describe_connection(connections_.front().raw); }
  std::uint64_t largest_message() const override { return connections_.front().raw.limits().max_message; }

  void prepare(std::uint64_t size) override {
    size_ = size;
    for (connection& c : connections_) {
      c.sent = c.received = 0;
      c.has_sent_last = false;
    }
  }

  result run(const phase& p) override {
    result r;
    r.halved = latency_;
    window timing(p);
    window_ = &timing;
    phase_ = &p;
    result_ = &r;
    sent_ = 0;
    left_ = 0;
    scale_.reset();
    const bool sends = is_client_ || settings_.bidirectional;
    const bool receives = !is_client_ || settings_.bidirectional;
    for (connection& c : connections_) {
      if (latency_) {
        if (is_client_) begin_ping(c);
        ++left_;
        continue;
      }
      left_ += (sends ? 1 : 0) + (receives ? 1 : 0);
      for (std::uint64_t i = 0; sends && i < sends_ && !c.has_sent_last; ++i) send(c, i);
    }
    // Receives of the phases to come stay posted, so that the context does not run out of work by itself.
    io_.restart();
    while (left_ > 0) io_.run_one();
    if (!latency_ && receives) line_.send({{"received", true}});
    if (!latency_ && sends) line_.receive();
    if (sends) timing.finish(sent_, r);
    r.tick_nanoseconds = scale_.nanoseconds();
    return r;
  }

private:
  struct connection {
    explicit connection(boost::asio::io_context& io) : raw(io) {}
    rdma::raw_connection raw;
    rdma::registered_memory memory;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t under_way = 0;
    bool has_sent_last = false;
    std::uint64_t begun = 0;  // ticks
  };

  rdma::raw_options options() const {
    rdma::raw_options o;
    o.send_depth = sends_at_a_time;
    o.receive_depth = receives_at_a_time;
    if (settings_.gid_index != unset) o.gid_index = static_cast<int>(settings_.gid_index);
    if (settings_.service_level != unset) o.service_level = static_cast<int>(settings_.service_level);
    if (settings_.traffic_class != unset) o.traffic_class = static_cast<int>(settings_.traffic_class);
    return o;
  }

  // What is sent comes first. Large messages share a place, as in the programs that measure verbs.
  void make_memory(connection& c) {
    const std::uint64_t largest = sizes_of(settings_, c.raw.limits().max_message).back();
    stride_ = verbs::slots(largest, 1).stride;
    constexpr std::uint64_t most = 64 << 20;
    out_slots_ = std::max<std::uint64_t>(1, std::min(sends_at_a_time, most / stride_));
    in_slots_ = std::max<std::uint64_t>(1, std::min(receives_at_a_time, most / stride_));
    // Where messages are looked at, each that is under way needs a place of its own.
    sends_ = settings_.validate ? out_slots_ : sends_at_a_time;
    c.memory = c.raw.register_memory((out_slots_ + in_slots_) * stride_, rdma::memory_access::local);
    for (std::uint64_t i = 0; i < (settings_.validate ? in_slots_ : receives_at_a_time); ++i) receive(c, i);
  }
  unsigned char* out(connection& c, std::uint64_t slot) const {
    return c.memory.as<unsigned char>(slot % out_slots_ * stride_);
  }
  std::uint64_t in_offset(std::uint64_t slot) const { return (out_slots_ + slot % in_slots_) * stride_; }

  static void check(const error_code& ec) {
    if (ec) throw boost::system::system_error(ec, "data connection");
  }

  void send(connection& c, std::uint64_t slot) {
    const bool last = phase_->seconds == 0 ? c.sent + 1 >= phase_->messages : window_->is_over(sent_);
    if (settings_.validate) fill_pattern(out(c, slot), size_, c.sent);
    c.has_sent_last = last;
    ++c.sent;
    ++sent_;
    post(c, slot);
  }

  void post(connection& c, std::uint64_t slot) {
    ++c.under_way;
    const rdma::local_buffer from = c.memory.slice(slot % out_slots_ * stride_, size_);
    rdma::work_request request = rdma::work_request::send(from).with_immediate(c.has_sent_last ? is_last : more_follow);
    c.raw.async_submit(request, [this, &c, slot](const error_code& ec, const rdma::work_completion&) {
      check(ec);
      --c.under_way;
      if (latency_) {
        look_whether_all_is_done(c);
      } else if (!c.has_sent_last) {
        send(c, slot);
      } else if (c.under_way == 0) {
        --left_;
      }
    });
  }

  void receive(connection& c, std::uint64_t slot) {
    const rdma::local_buffer to = c.memory.slice(in_offset(slot), stride_);
    c.raw.async_receive(to, [this, &c, slot](const error_code& ec, const rdma::work_completion& w) {
      check(ec);
      const unsigned char* const data = c.memory.as<unsigned char>(in_offset(slot));
      const bool last = w.immediate() == is_last;
      if (settings_.validate) check_pattern(data, size_, c.received);
      ++c.received;
      receive(c, slot);
      if (!latency_) {
        if (last) --left_;
      } else if (is_client_) {
        end_ping(c);
      } else {
        answer(c, data, last);
      }
    });
  }

  void begin_ping(connection& c) {
    c.begun = ticks();
    send(c, 0);
  }
  void end_ping(connection& c) {
    const std::uint64_t passed = ticks() - c.begun;
    if (window_->is_open()) {
      result_->times.add(passed);
      if (settings_.unsorted) result_->unsorted.push_back(passed);
    }
    c.has_sent_last ? look_whether_all_is_done(c) : begin_ping(c);
  }
  void answer(connection& c, const unsigned char* data, bool last) {
    std::copy(data, data + size_, out(c, 0));
    c.has_sent_last = last;
    ++c.sent;
    post(c, 0);
  }
  void look_whether_all_is_done(connection& c) {
    if (c.has_sent_last && c.under_way == 0 && c.received == c.sent) --left_;
  }

  const settings& settings_;
  control& line_;
  const bool latency_;
  const bool is_client_;
  boost::asio::io_context io_{1};
  std::deque<connection> connections_;
  std::uint64_t size_ = 0;
  std::uint64_t stride_ = 0;
  std::uint64_t out_slots_ = 1;
  std::uint64_t in_slots_ = 1;
  std::uint64_t sends_ = 1;  // under way at a time
  std::uint64_t sent_ = 0;   // on all of them
  unsigned left_ = 0;        // directions that go on
  const phase* phase_ = nullptr;
  window* window_ = nullptr;
  result* result_ = nullptr;
  tick_scale scale_;
};

}  // namespace

std::unique_ptr<end> make_raw(const end_of& e) {
  return std::make_unique<raw_end>(e);
}

}  // namespace perf::net
