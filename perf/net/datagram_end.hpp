// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_DATAGRAM_END_HPP
#define ASIO_RDMA_PERF_NET_DATAGRAM_END_HPP

#include "../common/end.hpp"
#include "../common/pattern.hpp"
#include "../common/ticks.hpp"
#include "../common/window.hpp"
#include "message_batch.hpp"
#include "sockets.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace perf::net {

/// Datagrams of one size, any of which may get lost: so everything is asynchronous, and how many were sent is said on
/// the control connection.
template <class Protocol>
class datagram_end : public end {
public:
  explicit datagram_end(const end_of& e)
      : settings_(e.how), line_(e.line), latency_(e.what.latency), is_client_(e.is_client) {
    namespace json = boost::json;
    using endpoint = typename Protocol::endpoint;
    const endpoint here(line_.local_address(), 0);
    connections_.reserve(settings_.connections);
    json::array ports;
    for (std::uint64_t i = 0; i < settings_.connections; ++i) {
      typename Protocol::socket socket(io_, here.protocol());
      set_options(socket, settings_);
      socket.bind(here);
      ports.emplace_back(socket.local_endpoint().port());
      connections_.emplace_back(std::move(socket));
    }
    line_.send({{"ports", ports}});
    const json::object other = line_.receive();
    const json::array& theirs = other.at("ports").as_array();
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      connections_[i].socket.connect({line_.remote_address(), theirs.at(i).template to_number<std::uint16_t>()});
    }
  }

  carrier describe() override { return describe_socket(connections_.front().socket); }
  std::uint64_t largest_message() const override {
    if constexpr (!is_kernels<Protocol>) {
      return asio_rdma::maximum_payload(const_cast<typename Protocol::socket&>(connections_.front().socket));
    } else {
      return 65507;  // what an IP packet leaves
    }
  }

  void prepare(std::uint64_t size) override {
    for (connection& c : connections_) {
      c.block.assign(static_cast<std::size_t>(size), 0);
      c.arriving.resize(c.block.size());
      if constexpr (has_batches) c.batch.prepare(settings_.post_list, c.block.size());
    }
  }

  result run(const phase& p) override {
    for (connection& c : connections_) c.sent = c.received = 0;
    result r;
    window timing(p);
    window_ = &timing;
    phase_ = &p;
    result_ = &r;
    sent_ = received_ = 0;
    is_over_ = false;
    scale_.reset();
    for (connection& c : connections_) {
      if (!c.is_receiving) receive_next(c);
    }
    if (latency_) {
      r.halved = true;
      is_client_ ? ping() : pong();
      if (is_client_) timing.finish(sent_, r);
    } else {
      transfer(is_client_ || settings_.bidirectional);
    }
    r.tick_nanoseconds = scale_.nanoseconds();
    return r;
  }

private:
  /// Nothing more comes of what has not arrived for so long.
  static constexpr std::chrono::milliseconds silence{200};
  /// Between looks at the control connection.
  static constexpr std::chrono::milliseconds turn{5};
  using error_code = boost::system::error_code;
  using bytes = std::vector<unsigned char>;
  static constexpr bool has_batches = !is_kernels<Protocol>;

  struct connection {
    explicit connection(typename Protocol::socket s) : socket(std::move(s)) {}
    typename Protocol::socket socket;
    bytes block;     // what is sent
    bytes arriving;
    std::conditional_t<has_batches, message_batch<Protocol>, no_batch> batch;
    bool is_receiving = false;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t begun = 0;  // ticks
  };

  static void check(const error_code& ec) {
    if (ec) throw boost::system::system_error(ec, "data socket");
  }

  void work_a_while(std::chrono::milliseconds time = turn) {
    io_.restart();
    io_.run_for(time);
  }

  /// Its number comes first, as far as it has room. False if it is the last one.
  bool fill(connection& c, bytes& block) {
    const std::uint64_t number = c.sent++;
    const std::size_t head = std::min(block.size(), sizeof number);
    std::memcpy(block.data(), &number, head);
    if (settings_.validate) fill_pattern(block.data() + head, block.size() - head, number, head);
    ++sent_;
    return !is_last(c);
  }
  /// The number of what has come, as far as there was room for it.
  std::uint64_t look_at(const bytes& block) const {
    std::uint64_t number = 0;
    const std::size_t head = std::min(block.size(), sizeof number);
    std::memcpy(&number, block.data(), head);
    if (settings_.validate && head == sizeof number) {
      check_pattern(block.data() + head, block.size() - head, number, head);
    }
    return number;
  }
  bool is_last(const connection& c) {
    return phase_->seconds == 0 ? c.sent >= phase_->messages : window_->is_over(sent_);
  }

  void receive_next(connection& c) {
    c.is_receiving = true;
    if constexpr (has_batches) {
      if (settings_.post_list > 1) return receive_next_batch(c);
    }
    c.socket.async_receive(boost::asio::buffer(c.arriving), [this, &c](const error_code& ec, std::size_t size) {
      check(ec);
      if (size == c.block.size()) arrived(c);
      receive_next(c);
    });
  }

  void receive_next_batch(connection& c) {
    asio_rdma::async_receive_batch(c.socket, c.batch.incoming(), [this, &c](const error_code& ec, std::size_t count) {
      check(ec);
      c.batch.take(count, [&](const bytes& block, std::size_t size) {
        if (size != block.size()) return;
        ++received_;
        look_at(block);
      });
      receive_next_batch(c);
    });
  }

  void arrived(connection& c) {
    ++received_;
    const std::uint64_t number = look_at(c.arriving);
    if (!latency_) return;
    if (!is_client_) return answer(c);
    const std::uint64_t mask =
        c.block.size() >= sizeof number ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * c.block.size()) - 1;
    if (number == ((c.sent - 1) & mask)) end_ping(c);
  }

  void transfer(bool sends) {
    const bool receives = !is_client_ || settings_.bidirectional;
    std::size_t sending = sends ? connections_.size() : 0;
    if (sends) {
      for (connection& c : connections_) send_next(c, sending);
    }
    bool has_said = !sends, knows_arrived = !sends, knows_sent = !receives, has_answered = !receives;
    std::uint64_t to_come = 0, seen = 0;
    auto last_came = std::chrono::steady_clock::now();
    while (!knows_arrived || !has_answered) {
      work_a_while();
      if (sending == 0 && !has_said) {
        window_->finish(sent_, *result_);  // before the wait for what has perhaps got lost
        line_.send({{"sent", sent_}});
        has_said = true;
      }
      if (received_ != seen) last_came = std::chrono::steady_clock::now();
      seen = received_;
      if (knows_sent && !has_answered && (seen >= to_come || std::chrono::steady_clock::now() - last_came > silence)) {
        line_.send({{"arrived", seen}});
        has_answered = true;
      }
      if (!line_.has_message()) continue;
      const boost::json::object told = line_.receive();
      if (const auto* sent = told.if_contains("sent")) {
        to_come = sent->template to_number<std::uint64_t>();
        knows_sent = true;
      } else {
        const auto there = told.at("arrived").template to_number<std::uint64_t>();
        result_->lost = there < sent_ ? sent_ - there : 0;
        knows_arrived = true;
      }
    }
  }

  void send_next(connection& c, std::size_t& sending) {
    bool more = true;
    const auto sent = [this, &c, &sending](bool has_more, const error_code& ec) {
      check(ec);
      if (has_more) return send_next(c, sending);
      if (--sending == 0) io_.stop();
    };
    if constexpr (has_batches) {
      if (settings_.post_list > 1) {
        const auto& batch = c.batch.outgoing([&](bytes& block) { return more = fill(c, block); });
        asio_rdma::async_send_batch(c.socket, batch,
                                    [sent, more](const error_code& ec, std::size_t) { sent(more, ec); });
        return;
      }
    }
    more = fill(c, c.block);
    c.socket.async_send(boost::asio::buffer(c.block),
                        [sent, more](const error_code& ec, std::size_t) { sent(more, ec); });
  }

  void ping() {
    begin_ping(connections_.front());
    while (!is_over_) {
      const std::uint64_t before = sent_;
      work_a_while(silence);
      if (is_over_ || sent_ != before) continue;
      ++result_->lost;
      next_ping(connections_.front());
    }
    line_.send({{"over", true}});
  }

  void begin_ping(connection& c) {
    fill(c, c.block);
    c.begun = ticks();
    c.socket.async_send(boost::asio::buffer(c.block), [](const error_code& ec, std::size_t) { check(ec); });
  }
  void end_ping(connection& c) {
    const std::uint64_t passed = ticks() - c.begun;
    if (window_->is_open()) {
      result_->times.add(passed);
      if (settings_.unsorted) result_->unsorted.push_back(passed);
    }
    next_ping(c);
  }
  void next_ping(connection& c) {
    if (!is_last(c)) return begin_ping(c);
    is_over_ = true;
    io_.stop();
  }

  void pong() {
    while (!line_.has_message()) work_a_while();
    line_.receive();
  }
  void answer(connection& c) {
    c.block = c.arriving;
    c.socket.async_send(boost::asio::buffer(c.block), [](const error_code& ec, std::size_t) { check(ec); });
  }

  const settings& settings_;
  control& line_;
  const bool latency_;
  const bool is_client_;
  boost::asio::io_context io_{1};
  std::vector<connection> connections_;
  std::uint64_t sent_ = 0;  // on all of them
  std::uint64_t received_ = 0;
  bool is_over_ = false;
  const phase* phase_ = nullptr;
  window* window_ = nullptr;
  result* result_ = nullptr;
  tick_scale scale_;
};

}  // namespace perf::net

#endif
