// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Rate and latency of stream sockets, RDMA's and TCP's, with synchronous and with asynchronous operations. Run it with
// --help.

#include "options.hpp"
#include "usage.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/buffers.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// What the client tells the server.
struct job {
  boost::endian::big_uint64_buf_t latency;
  boost::endian::big_uint64_buf_t size;
  boost::endian::big_uint64_buf_t iterations;
};

void check(const error_code& ec) {
  if (ec) throw boost::system::system_error(ec);
}

// One end of a measurement. Its functions come in two forms, and return when they are done.
template <class Protocol>
class end {
public:
  using socket_type = typename Protocol::socket;

  end(asio::io_context& io, socket_type socket, bool async, std::size_t size)
      : io_(io), socket_(std::move(socket)), async_(async), block_(size) {}

  socket_type& socket() { return socket_; }

  void send(std::uint64_t count) {
    if (!async_) {
      for (; count > 0; --count) asio::write(socket_, asio::buffer(block_));
    } else if (count > 0) {
      left_ = count;
      send_next();
      run();
    }
  }

  void receive(std::uint64_t bytes) {
    if (!async_) {
      while (bytes > 0) bytes -= socket_.read_some(asio::buffer(block_, portion(bytes)));
    } else {
      left_ = bytes;
      receive_next();
      run();
    }
  }

  // Round trips, the client's side; their times in microseconds go into samples.
  void ping(std::uint64_t count, std::vector<double>& samples) {
    samples.clear();
    samples.reserve(count);
    samples_ = &samples;
    left_ = count;
    if (!async_) {
      for (; left_ > 0; --left_) {
        begun_ = clock::now();
        asio::write(socket_, asio::buffer(block_));
        asio::read(socket_, asio::buffer(block_));
        take_sample();
      }
    } else {
      ping_next();
      run();
    }
  }

  // Round trips, the server's side.
  void pong(std::uint64_t count) {
    if (!async_) {
      for (; count > 0; --count) {
        asio::read(socket_, asio::buffer(block_));
        asio::write(socket_, asio::buffer(block_));
      }
    } else {
      left_ = count;
      pong_next();
      run();
    }
  }

  // Lets the other end know that everything before has arrived.
  void confirm() { asio::write(socket_, asio::buffer("!", 1)); }
  void await_confirmation() {
    char c;
    asio::read(socket_, asio::buffer(&c, 1));
  }

private:
  using clock = std::chrono::steady_clock;

  std::size_t portion(std::uint64_t bytes) const {
    return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, block_.size()));
  }

  void run() {
    io_.restart();
    io_.run();
  }

  void take_sample() { samples_->push_back(std::chrono::duration<double, std::micro>(clock::now() - begun_).count()); }

  void send_next() {
    asio::async_write(socket_, asio::buffer(block_), [this](const error_code& ec, std::size_t) {
      check(ec);
      if (--left_ > 0) send_next();
    });
  }

  void receive_next() {
    socket_.async_read_some(asio::buffer(block_, portion(left_)), [this](const error_code& ec, std::size_t size) {
      check(ec);
      left_ -= size;
      if (left_ > 0) receive_next();
    });
  }

  void ping_next() {
    if (left_-- == 0) return;
    begun_ = clock::now();
    asio::async_write(socket_, asio::buffer(block_), [this](const error_code& ec, std::size_t) {
      check(ec);
      asio::async_read(socket_, asio::buffer(block_), [this](const error_code& ec2, std::size_t) {
        check(ec2);
        take_sample();
        ping_next();
      });
    });
  }

  void pong_next() {
    if (left_-- == 0) return;
    asio::async_read(socket_, asio::buffer(block_), [this](const error_code& ec, std::size_t) {
      check(ec);
      asio::async_write(socket_, asio::buffer(block_), [this](const error_code& ec2, std::size_t) {
        check(ec2);
        pong_next();
      });
    });
  }

  asio::io_context& io_;
  socket_type socket_;
  bool async_;
  std::vector<char> block_;
  std::uint64_t left_ = 0;
  clock::time_point begun_;
  std::vector<double>* samples_ = nullptr;
};

// A tenth of the iterations comes first, unmeasured: caches, page tables and TCP's window want to be warm.
std::uint64_t warm_up(std::uint64_t iterations) {
  return iterations / 10 + 1;
}

template <class Protocol, class SocketOrAcceptor>
void set_options(SocketOrAcceptor& s, const options& o) {
  if (o.receive_buffer != 0) s.set_option(asio::socket_base::receive_buffer_size(o.receive_buffer));
  if (o.send_buffer != 0) s.set_option(asio::socket_base::send_buffer_size(o.send_buffer));
  if constexpr (std::is_same_v<Protocol, asio_rdma::rc>) {
    if (o.queue_depth != 0) s.set_option(asio_rdma::queue_depth(o.queue_depth));
  }
}

// A line of columns under a line of their names.
class table {
public:
  template <class T>
  void add(const char* name, const T& value) {
    names_ << ' ' << std::setw(12) << name;
    values_ << ' ' << std::fixed << std::setprecision(3) << std::setw(12) << value;
  }
  void add(const usage& used, std::uint64_t iterations) {
    add("CPU[us]", used.cpu_seconds * 1e6 / static_cast<double>(iterations));
    add("sleeps", used.sleeps / static_cast<double>(iterations));
  }
  void print() const { std::cout << names_.str() << '\n' << values_.str() << std::endl; }

private:
  std::ostringstream names_;
  std::ostringstream values_;
};

// The RDMA device that carries a connection, so that nobody takes the figures of one for another's.
std::string device_of(asio_rdma::rc::socket& socket) {
  return asio_rdma::device_name(socket);
}
std::string device_of(asio::ip::tcp::socket&) {
  return "-";
}

template <class Protocol>
void serve(const options& o) {
  asio::io_context io(1);
  typename Protocol::resolver resolver(io);
  const typename Protocol::endpoint endpoint = resolver.resolve(o.bind, o.port)->endpoint();
  typename Protocol::acceptor acceptor(io);
  acceptor.open(endpoint.protocol());
  acceptor.set_option(asio::socket_base::reuse_address(true));
  set_options<Protocol>(acceptor, o);
  acceptor.bind(endpoint);
  acceptor.listen();
  typename Protocol::socket socket = acceptor.accept();
  socket.set_option(typename Protocol::no_delay(true));

  job j;
  asio::read(socket, asio::buffer(&j, sizeof j));
  end<Protocol> e(io, std::move(socket), o.async, static_cast<std::size_t>(j.size.value()));
  const auto serve_iterations = [&](std::uint64_t count) {
    if (j.latency.value() != 0) return e.pong(count);
    e.receive(count * j.size.value());
    e.confirm();
  };
  serve_iterations(warm_up(j.iterations.value()));
  const usage_meter meter;
  serve_iterations(j.iterations.value());

  table t;
  t.add("server", "");
  t.add("device", device_of(e.socket()));
  t.add(meter(), j.iterations.value());
  t.print();
}

template <class Protocol>
void measure(const options& o) {
  asio::io_context io(1);
  typename Protocol::resolver resolver(io);
  const typename Protocol::endpoint server = resolver.resolve(o.address, o.port)->endpoint();
  typename Protocol::socket socket(io, server.protocol());
  set_options<Protocol>(socket, o);
  socket.connect(server);
  socket.set_option(typename Protocol::no_delay(true));

  job j;
  j.latency = o.latency ? 1 : 0;
  j.size = o.size;
  j.iterations = o.iterations;
  asio::write(socket, asio::buffer(&j, sizeof j));
  end<Protocol> e(io, std::move(socket), o.async, o.size);
  std::vector<double> samples;
  const auto run_iterations = [&](std::uint64_t count) {
    if (o.latency) return e.ping(count, samples);
    e.send(count);
    e.await_confirmation();
  };
  run_iterations(warm_up(o.iterations));
  const usage_meter meter;
  run_iterations(o.iterations);
  const usage used = meter();

  table t;
  t.add("transport", o.tcp ? "tcp" : "rdma");
  t.add("device", device_of(e.socket()));
  t.add("form", o.async ? "async" : "sync");
  t.add("bytes", o.size);
  t.add("iterations", o.iterations);
  if (o.latency) {
    std::sort(samples.begin(), samples.end());
    const auto half = [&samples](double part) {
      return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))] / 2;
    };
    t.add("half_min[us]", half(0));
    t.add("half_med[us]", half(0.5));
    t.add("half_p99[us]", half(0.99));
    t.add("half_max[us]", half(1));
    t.add("half_avg[us]", used.seconds * 1e6 / static_cast<double>(2 * o.iterations));
  } else {
    t.add("Gb/s", static_cast<double>(o.size * o.iterations) * 8e-9 / used.seconds);
  }
  t.add(used, o.iterations);
  t.print();
}

template <class Protocol>
void run(const options& o) {
  return o.address.empty() ? serve<Protocol>(o) : measure<Protocol>(o);
}

}  // namespace

int main(int argc, char** argv) {
  const options o = parse_options(argc, argv);
  try {
    if (o.tcp) {
      run<asio::ip::tcp>(o);
    } else {
      run<asio_rdma::rc>(o);
    }
    return EXIT_SUCCESS;
  } catch (const boost::system::system_error& e) {
    std::cerr << "stream_perf: " << e.code().message() << '\n';
  } catch (const std::exception& e) {
    std::cerr << "stream_perf: " << e.what() << '\n';
  }
  return EXIT_FAILURE;
}
