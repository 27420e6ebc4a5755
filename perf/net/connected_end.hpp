// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_CONNECTED_END_HPP
#define ASIO_RDMA_PERF_NET_CONNECTED_END_HPP

#include "../common/end.hpp"
#include "../common/pattern.hpp"
#include "../common/ticks.hpp"
#include "../common/window.hpp"
#include "last_message.hpp"
#include "message_batch.hpp"
#include "sockets.hpp"
#include "transport.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace perf::net {

/// Messages of one size over connected sockets, as a program for TCP would send them, or one for messages.
template <class Protocol>
class connected_end : public end {
public:
  explicit connected_end(const end_of& e)
      : settings_(e.how), line_(e.line), latency_(e.what.latency), is_client_(e.is_client) {
    namespace json = boost::json;
    using endpoint = typename Protocol::endpoint;
    connections_.reserve(settings_.connections);
    if (is_client_) {
      const json::object server = line_.receive();
      const endpoint address(line_.remote_address(), server.at("port").template to_number<std::uint16_t>());
      for (std::uint64_t i = 0; i < settings_.connections; ++i) {
        typename Protocol::socket socket(io_, address.protocol());
        set_options(socket, settings_);
        socket.connect(address);
        add(std::move(socket));
      }
    } else {
      const endpoint address(line_.local_address(), 0);
      typename Protocol::acceptor acceptor(io_);
      acceptor.open(address.protocol());
      set_options(acceptor, settings_);
      acceptor.bind(address);
      acceptor.listen();
      line_.send({{"port", acceptor.local_endpoint().port()}});
      accept_all(acceptor);
    }
  }

  carrier describe() override { return describe_socket(connections_.front().socket); }
  std::uint64_t largest_message() const override { return std::uint64_t{1} << 30; }

  void prepare(std::uint64_t size) override {
    for (connection& c : connections_) {
      c.memory.clear();
      c.block.assign(static_cast<std::size_t>(size), 0);
      if constexpr (keeps_messages) c.batch.prepare(settings_.post_list, static_cast<std::size_t>(size));
      c.arrivals.clear();
      c.turns.resize(settings_.registered && settings_.async && !latency_ ? turns : 0, bytes());
      for (bytes& b : c.turns) b = c.block;
      if (!settings_.registered) continue;
      c.memory.emplace_back(c.block.data(), c.block.size());
      for (bytes& b : c.turns) c.memory.emplace_back(b.data(), b.size());
      // A reader of a stream asks for more than a message.
      const std::size_t room = keeps_messages ? c.block.size() : std::max(c.block.size(), registered_read);
      c.arrivals = std::vector<arrival>(settings_.async && !latency_ ? turns : 1);
      for (arrival& a : c.arrivals) {
        a.memory.resize(room);
        c.memory.emplace_back(a.memory.data(), room);
      }
    }
  }

  result run(const phase& p) override {
    for (connection& c : connections_) {
      c.sent = c.received = 0;
      c.is_done = c.last_sent = false;
    }
    result r;
    window timing(p);
    window_ = &timing;
    phase_ = &p;
    result_ = &r;
    sent_ = 0;
    scale_.reset();
    const bool sends = is_client_ || settings_.bidirectional;
    const socket_counts before = count();
    if (latency_) {
      r.halved = true;
      is_client_ ? ping() : pong();
    } else {
      transfer(sends);
    }
    if (sends && latency_) timing.finish(sent_, r);
    r.tick_nanoseconds = scale_.nanoseconds();
    const socket_counts after = count();
    for (std::size_t i = 0; i < after.size(); ++i)
      r.counters.emplace_back(after[i].first, after[i].second - before[i].second);
    return r;
  }

private:
  using error_code = boost::system::error_code;
  using bytes = std::vector<unsigned char>;
  static constexpr bool keeps_messages = transport<Protocol>::keeps_messages;

  using socket_counts = std::vector<std::pair<std::string, std::uint64_t>>;
  /// What --socket_counters shows.
  socket_counts count() {
    socket_counts result;
    if constexpr (!is_kernels<Protocol>) {
      using counters = asio_rdma::stream_counters;
      constexpr std::pair<const char*, std::uint64_t counters::*> shown[] = {
          {"messages_sent", &counters::messages_sent},
          {"messages_received", &counters::messages_received},
          {"control_messages_sent", &counters::control_messages_sent},
          {"control_messages_received", &counters::control_messages_received},
          {"write_bytes_copied", &counters::write_bytes_copied},
          {"write_bytes_direct", &counters::write_bytes_direct},
          {"read_bytes_copied", &counters::read_bytes_copied},
          {"read_bytes_direct", &counters::read_bytes_direct},
          {"completions", &counters::completions},
          {"events_armed", &counters::events_armed},
      };
      if (!settings_.socket_counters) return result;
      for (const auto& [name, member] : shown) {
        std::uint64_t sum = 0;
        for (connection& c : connections_) sum += asio_rdma::statistics(c.socket).counters.*member;
        result.emplace_back(name, sum);
      }
    }
    return result;
  }

  struct arrival {
    bytes memory;
    boost::asio::cancellation_signal stop;
  };

  struct connection {
    explicit connection(typename Protocol::socket s) : socket(std::move(s)) {}
    typename Protocol::socket socket;
    transport<Protocol> carry;
    std::conditional_t<keeps_messages, message_batch<Protocol>, no_batch> batch;
    bytes block;     // what is sent
    std::vector<bytes> turns;  // the same, where several are sent at once
    std::vector<asio_rdma::registered_buffer> memory;  // what a device knows of them
    bytes arriving;  // what is received, where both go on at once
    std::vector<arrival> arrivals;  // the same, where several reads wait
    std::uint64_t sent = 0;
    std::uint64_t received = 0;  // bytes
    bool is_done = false;        // the last message has begun to arrive
    bool last_sent = false;      // or is on its way
    std::uint64_t begun = 0;     // ticks
  };

  static void check(const error_code& ec) {
    if (ec) throw boost::system::system_error(ec, "data connection");
  }

  void add(typename Protocol::socket socket) {
    if constexpr (!keeps_messages) socket.set_option(typename Protocol::no_delay(true));
    connections_.emplace_back(std::move(socket));
  }

  // A client that dies before it has connected is noticed on the control connection.
  template <class Acceptor>
  void accept_all(Acceptor& acceptor) {
    acceptor.non_blocking(true);
    while (connections_.size() < settings_.connections) {
      error_code ec;
      typename Protocol::socket socket = acceptor.accept(ec);
      if (!ec) {
        socket.non_blocking(false);
        add(std::move(socket));
      } else if (ec == boost::asio::error::would_block) {
        line_.look_for_error();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      } else {
        check(ec);
      }
    }
  }

  void work() {
    io_.restart();
    io_.run();
  }

  // Makes the next message to send; false if it is the last one.
  bool fill(connection& c, bytes& block) {
    c.last_sent = phase_->seconds == 0 ? c.sent + 1 >= phase_->messages : window_->is_over(sent_);
    block[0] = c.last_sent ? is_last : more_follow;
    if (settings_.validate) fill_pattern(block.data() + 1, block.size() - 1, c.sent, 1);
    ++c.sent;
    ++sent_;
    return !c.last_sent;
  }

  void write(connection& c, const bytes& block) {
    if constexpr (!is_kernels<Protocol>) {
      if (settings_.registered) return c.carry.write(c.socket, asio_rdma::registered(boost::asio::buffer(block)));
    }
    c.carry.write(c.socket, boost::asio::buffer(block));
  }
  template <class Handler>
  void async_write(connection& c, const bytes& block, Handler handler) {
    if constexpr (!is_kernels<Protocol>) {
      if (settings_.registered) {
        return c.carry.async_write(c.socket, asio_rdma::registered(boost::asio::buffer(block)), std::move(handler));
      }
    }
    c.carry.async_write(c.socket, boost::asio::buffer(block), std::move(handler));
  }

  std::size_t read_some(connection& c, bytes& into) {
    if constexpr (!is_kernels<Protocol>) {
      if (settings_.registered) return c.carry.read_some(c.socket, asio_rdma::registered(boost::asio::buffer(into)));
    }
    return c.carry.read_some(c.socket, boost::asio::buffer(into));
  }

  // Looks at bytes that came; they can be of several messages.
  void take(connection& c, const unsigned char* data, std::size_t size) {
    const std::size_t length = c.block.size();
    while (size > 0) {
      const std::size_t offset = static_cast<std::size_t>(c.received % length);
      const std::size_t part = std::min(size, length - offset);
      if (offset == 0 && data[0] == is_last) c.is_done = true;
      const std::size_t marker = offset == 0 ? 1 : 0;
      if (settings_.validate) check_pattern(data + marker, part - marker, c.received / length, offset + marker);
      c.received += part;
      data += part;
      size -= part;
    }
  }
  static bool has_all(const connection& c) { return c.is_done && c.received % c.block.size() == 0; }

  void transfer(bool sends) {
    const bool receives = !is_client_ || settings_.bidirectional;
    for (connection& c : connections_) c.arriving.resize(c.block.size());
    said_received_ = false;
    if (settings_.post_list > 1) {
      if constexpr (keeps_messages) transfer_batches(sends, receives);
    } else if (settings_.async) {
      for (connection& c : connections_) {
        if (sends && c.turns.empty()) send_next(c, c.block);
        for (std::size_t i = 0; sends && i < c.turns.size() && !c.last_sent; ++i) send_next(c, c.turns[i]);
        if (!receives) continue;
        if (c.arrivals.empty()) receive_next(c);
        for (arrival& a : c.arrivals) receive_next(c, a);
      }
      work();
    } else if (sends) {
      connection& c = connections_.front();
      for (bool more = true; more;) {
        more = fill(c, c.block);
        write(c, c.block);
      }
    } else {
      connection& c = connections_.front();
      while (!has_all(c)) {
        bytes& into = settings_.registered ? c.arrivals.front().memory : c.arriving;
        take(c, into.data(), read_some(c, into));
      }
    }
    if (receives) say_received();
    if (sends) {
      line_.receive();
      window_->finish(sent_, *result_);
    }
    if (!settings_.registered) return;
    // Nothing new may come before the last reads were cancelled.
    if (receives) line_.send({{"settled", true}});
    if (sends) line_.receive();
  }

  // A sender's time ends when the other side has everything.
  void say_received() {
    const bool is_all = std::all_of(connections_.begin(), connections_.end(), has_all);
    if (is_all && !std::exchange(said_received_, true)) line_.send({{"received", true}});
  }

  void send_next(connection& c, bytes& block) {
    fill(c, block);
    async_write(c, block, [this, &c, &block](const error_code& ec, std::size_t) {
      check(ec);
      if (!c.last_sent) send_next(c, block);
    });
  }

  void receive_next(connection& c) {
    c.carry.async_read_some(c.socket, boost::asio::buffer(c.arriving),
                            [this, &c](const error_code& ec, std::size_t size) {
                              check(ec);
                              take(c, c.arriving.data(), size);
                              if (!has_all(c)) receive_next(c);
                            });
  }

  // Of several reads of registered memory, those that are left when everything has come are cancelled.
  void receive_next(connection& c, arrival& a) {
    const auto handler = [this, &c, &a](const error_code& ec, std::size_t size) {
      if (ec == boost::asio::error::operation_aborted && has_all(c)) return;
      check(ec);
      take(c, a.memory.data(), size);
      if (!has_all(c)) return receive_next(c, a);
      say_received();  // and then wait until the peer has given memory back
      for (arrival& other : c.arrivals) other.stop.emit(boost::asio::cancellation_type::total);
    };
    c.carry.async_read_some(c.socket, asio_rdma::registered(boost::asio::buffer(a.memory)),
                            boost::asio::bind_cancellation_slot(a.stop.slot(), handler));
  }

  void transfer_batches(bool sends, bool receives) {
    if (settings_.async) {
      for (connection& c : connections_) {
        if (sends) send_next_batch(c);
        if (receives) receive_next_batch(c);
      }
      return work();
    }
    connection& c = connections_.front();
    if (sends) {
      for (bool more = true; more;) asio_rdma::send_batch(c.socket, fill_batch(c, more));
    } else {
      while (!has_all(c)) take_batch(c, asio_rdma::receive_batch(c.socket, c.batch.incoming()));
    }
  }
  const auto& fill_batch(connection& c, bool& more) {
    return c.batch.outgoing([&](bytes& block) { return more = fill(c, block); });
  }
  void take_batch(connection& c, std::size_t count) {
    c.batch.take(count, [&](const bytes& block, std::size_t size) { take(c, block.data(), size); });
  }
  void send_next_batch(connection& c) {
    bool more = true;
    const auto& batch = fill_batch(c, more);
    asio_rdma::async_send_batch(c.socket, batch, [this, &c, more](const error_code& ec, std::size_t) {
      check(ec);
      if (more) send_next_batch(c);
    });
  }
  void receive_next_batch(connection& c) {
    asio_rdma::async_receive_batch(c.socket, c.batch.incoming(), [this, &c](const error_code& ec, std::size_t count) {
      check(ec);
      take_batch(c, count);
      if (!has_all(c)) receive_next_batch(c);
    });
  }

  void ping() {
    connection& c = connections_.front();
    c.arriving.resize(c.block.size());
    if (settings_.async) {
      ping_next(c);
      work();
      return;
    }
    do {
      begin_ping(c);
      write(c, c.block);
      c.carry.read(c.socket, boost::asio::buffer(c.arriving));
      end_ping(c);
    } while (c.block[0] != is_last);
  }

  void begin_ping(connection& c) {
    fill(c, c.block);
    c.begun = ticks();
  }
  void end_ping(connection& c) {
    const std::uint64_t passed = ticks() - c.begun;
    if (window_->is_open()) {
      result_->times.add(passed);
      if (settings_.unsorted) result_->unsorted.push_back(passed);
    }
    if (settings_.validate) check_pattern(c.arriving.data() + 1, c.arriving.size() - 1, c.sent - 1, 1);
  }

  void ping_next(connection& c) {
    begin_ping(c);
    async_write(c, c.block, [this, &c](const error_code& ec, std::size_t) {
      check(ec);
      c.carry.async_read(c.socket, boost::asio::buffer(c.arriving), [this, &c](const error_code& ec2, std::size_t) {
        check(ec2);
        end_ping(c);
        if (c.block[0] != is_last) ping_next(c);
      });
    });
  }

  void pong() {
    connection& c = connections_.front();
    if (settings_.async) {
      pong_next(c);
      work();
      return;
    }
    do {
      c.carry.read(c.socket, boost::asio::buffer(c.block));
      write(c, c.block);
    } while (c.block[0] != is_last);
  }

  void pong_next(connection& c) {
    c.carry.async_read(c.socket, boost::asio::buffer(c.block), [this, &c](const error_code& ec, std::size_t) {
      check(ec);
      async_write(c, c.block, [this, &c](const error_code& ec2, std::size_t) {
        check(ec2);
        if (c.block[0] != is_last) pong_next(c);
      });
    });
  }

  static constexpr std::size_t turns = 4;
  static constexpr std::size_t registered_read = 1 << 20;  // bytes

  const settings& settings_;
  control& line_;
  const bool latency_;
  const bool is_client_;
  boost::asio::io_context io_{1};
  std::vector<connection> connections_;
  std::uint64_t sent_ = 0;  // on all of them
  bool said_received_ = false;
  const phase* phase_ = nullptr;
  window* window_ = nullptr;
  result* result_ = nullptr;
  tick_scale scale_;
};

}  // namespace perf::net

#endif
