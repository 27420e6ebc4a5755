// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Sends a file from one process to another. One source, built twice: file_transfer_tcp over TCP and file_transfer_rdma
// over RDMA. Start the receiver first; it takes one file and ends:
//
//   file_transfer_rdma receive ADDRESS PORT OUTPUT
//   file_transfer_rdma send ADDRESS PORT FILE
//
// ADDRESS is the receiver's: one of an RDMA device's, or any of this host's on soft0. The receiver confirms the number
// of bytes once they are in OUTPUT. Progress goes to the standard error; the standard output gets bytes, time, rate,
// and what carried the bytes.

#ifdef USE_RDMA
#include <asio_rdma/asio_rdma.hpp>
using transport = asio_rdma::rc;
#else
#include <boost/asio/ip/tcp.hpp>
using transport = boost::asio::ip::tcp;
#endif

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/endian/buffers.hpp>
#include <boost/system/system_error.hpp>

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace asio = boost::asio;
using asio::use_awaitable;

namespace {

#ifdef USE_RDMA
std::string carrier_of(transport::socket& socket) {
  return "RDMA device " + asio_rdma::device_name(socket);
}

// The library knows more of a failure than fits into an error_code: step, device, peer.
std::string explain(const boost::system::system_error& e, transport::socket& socket) {
  const auto failure = asio_rdma::last_failure(socket);
  return failure.step == asio_rdma::failure_step::none ? e.code().message() : failure.text;
}
#else
std::string carrier_of(transport::socket&) {
  return "TCP";
}
std::string explain(const boost::system::system_error& e, transport::socket&) {
  return e.code().message();
}
#endif

constexpr std::size_t block_size = 1024 * 1024;

// A file that throws errors with their cause and the file's name.
class file {
public:
  file(const std::string& name, const char* mode) : name_(name), handle_(std::fopen(name.c_str(), mode)) {
    if (!handle_) fail("open");
    std::setvbuf(handle_.get(), nullptr, _IONBF, 0);  // the blocks are large already
  }
  // Of a regular file; others have none, and are refused.
  std::uint64_t size() const { return std::filesystem::file_size(name_); }
  std::size_t read(char* to, std::size_t size) {
    const std::size_t count = std::fread(to, 1, size, handle_.get());
    if (count < size && std::ferror(handle_.get())) fail("read");
    return count;
  }
  void write(const char* from, std::size_t size) {
    if (std::fwrite(from, 1, size, handle_.get()) != size) fail("write");
  }
  void close() {
    if (std::fclose(handle_.release()) != 0) fail("close");
  }

private:
  struct closer {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };

  [[noreturn]] void fail(const char* what) const {
    throw std::system_error(errno, std::generic_category(), std::string("cannot ") + what + " '" + name_ + "'");
  }

  std::string name_;
  std::unique_ptr<std::FILE, closer> handle_;
};

// A bar that says how far it is: on a terminal drawn anew ten times a second, elsewhere a line a second.
class progress {
public:
  explicit progress(std::uint64_t total) : total_(total) {}
  ~progress() {
    if (is_terminal_ && shown_ != begun_) std::cerr << '\n';
  }
  void add(std::size_t bytes) {
    done_ += bytes;
    const auto interval = is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(1);
    if (done_ < total_ && clock::now() - shown_ < interval) return;
    shown_ = clock::now();
    std::string bar(width, ' ');
    std::fill_n(bar.begin(), done_ * width / total_, '#');
    std::ostringstream text;
    text << '[' << bar << "] " << done_ * 100 / total_ << "%, " << done_ / (1024 * 1024) << " of "
         << total_ / (1024 * 1024) << " MiB";
    std::cerr << (is_terminal_ ? '\r' + text.str() : text.str() + '\n');
  }
  std::uint64_t done() const { return done_; }
  std::string rate() const {
    const double seconds = std::chrono::duration<double>(clock::now() - begun_).count();
    std::ostringstream text;
    text << done_ << " bytes in " << std::fixed << std::setprecision(3) << seconds << " s, "
         << static_cast<double>(done_) * 8e-9 / seconds << " Gb/s";
    return text.str();
  }

private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t width = 40;  // of the bar
  std::uint64_t total_;
  std::uint64_t done_ = 0;
  clock::time_point begun_ = clock::now();
  clock::time_point shown_ = begun_;
  bool is_terminal_ = ::isatty(STDERR_FILENO) == 1;
};

// On the wire: a header and the file's name, the file, then a verdict and its text; numbers are big-endian.
struct header {
  boost::endian::big_uint64_buf_t size;
  boost::endian::big_uint16_buf_t name_length;
};
struct verdict {
  boost::endian::big_uint64_buf_t written;      // bytes that are in the receiver's file
  boost::endian::big_uint16_buf_t text_length;  // of the reason for giving up; 0 if all is well
};

template <class T>
asio::mutable_buffer bytes_of(T& message) {
  static_assert(alignof(T) == 1, "no padding");
  return asio::buffer(&message, sizeof message);
}

asio::awaitable<std::string> read_text(transport::socket& socket, std::size_t size) {
  std::string text(size, '\0');
  co_await asio::async_read(socket, asio::buffer(text), use_awaitable);
  // It came from outside: nothing in it shall steer a terminal.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  co_return text;
}

asio::awaitable<void> send_file(transport::socket& socket, file& input, const std::string& name, std::uint64_t size) {
  const std::string base_name = std::filesystem::path(name).filename().string().substr(0, 65535);

  header head;
  head.size = size;
  head.name_length = static_cast<std::uint16_t>(base_name.size());
  progress shown(size);
  const std::array<asio::const_buffer, 2> opening{bytes_of(head), asio::buffer(base_name)};
  co_await asio::async_write(socket, opening, use_awaitable);

  std::vector<char> block(block_size);
  // An early answer means that the receiver has given up.
  while (shown.done() < size && socket.available() == 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - shown.done(), block.size()));
    const std::size_t count = input.read(block.data(), wanted);
    if (count == 0) throw std::runtime_error("'" + name + "' has become shorter while it was sent");
    co_await asio::async_write(socket, asio::buffer(block.data(), count), use_awaitable);
    shown.add(count);
  }

  verdict answer;
  co_await asio::async_read(socket, bytes_of(answer), use_awaitable);
  const std::string text = co_await read_text(socket, answer.text_length.value());
  if (!text.empty()) throw std::runtime_error("the receiver gave up: " + text);
  if (answer.written.value() != size) {
    throw std::runtime_error("the receiver confirms " + std::to_string(answer.written.value()) + " bytes of " +
                             std::to_string(size));
  }
  std::cout << "sent and confirmed: " << shown.rate() << ", " << carrier_of(socket) << '\n';
}

asio::awaitable<void> send_verdict(transport::socket& socket, std::uint64_t written, std::string text) {
  text.resize(std::min<std::size_t>(text.size(), 65535));
  verdict answer;
  answer.written = written;
  answer.text_length = static_cast<std::uint16_t>(text.size());
  const std::array<asio::const_buffer, 2> message{bytes_of(answer), asio::buffer(text)};
  co_await asio::async_write(socket, message, use_awaitable);
}

// Reads on until the sender has seen the verdict and closes: closing before it would take the verdict back.
asio::awaitable<void> discard_rest(transport::socket& socket, std::vector<char>& block) {
  try {
    for (;;) co_await socket.async_read_some(asio::buffer(block), use_awaitable);
  } catch (const boost::system::system_error&) {
  }
}

asio::awaitable<void> receive_file(transport::socket& socket, file& output) {
  header head;
  co_await asio::async_read(socket, bytes_of(head), use_awaitable);
  const std::uint64_t size = head.size.value();
  const std::string name = co_await read_text(socket, head.name_length.value());
  std::cerr << "receiving '" << name << "', " << size << " bytes\n";

  std::vector<char> block(block_size);
  progress shown(size);
  std::string problem;
  try {
    while (shown.done() < size) {
      const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(size - shown.done(), block.size()));
      const std::size_t count = co_await socket.async_read_some(asio::buffer(block.data(), wanted), use_awaitable);
      output.write(block.data(), count);
      shown.add(count);
    }
    output.close();
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error("the sender is gone after " + std::to_string(shown.done()) + " of " +
                             std::to_string(size) + " bytes: " + explain(e, socket));
  } catch (const std::system_error& e) {
    problem = e.what();
  }
  co_await send_verdict(socket, shown.done(), problem);
  if (!problem.empty()) {
    co_await discard_rest(socket, block);
    throw std::runtime_error(problem);
  }
  std::cout << "received: " << shown.rate() << ", " << carrier_of(socket) << '\n';
}

asio::awaitable<void> send(std::string host, std::string port, std::string name) {
  const auto executor = co_await asio::this_coro::executor;
  file input(name, "rb");
  const std::uint64_t size = input.size();
  transport::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(host, port, use_awaitable);
  transport::socket socket(executor);
  try {
    co_await asio::async_connect(socket, endpoints, use_awaitable);
    co_await send_file(socket, input, name, size);
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error(explain(e, socket));
  }
}

asio::awaitable<void> receive(std::string host, std::string port, std::string name) {
  const auto executor = co_await asio::this_coro::executor;
  file output(name, "wb");  // before anybody connects: the sender could do nothing about an error
  transport::resolver resolver(executor);
  const auto endpoints = co_await resolver.async_resolve(host, port, transport::resolver::passive, use_awaitable);
  transport::acceptor acceptor(executor, endpoints.begin()->endpoint());
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;

  transport::socket socket = co_await acceptor.async_accept(use_awaitable);
  acceptor.close();
  try {
    co_await receive_file(socket, output);
  } catch (const boost::system::system_error& e) {
    throw std::runtime_error(explain(e, socket));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc == 5 ? argv[1] : "";
  if (command != "send" && command != "receive") {
    std::cerr << "usage: " << argv[0] << " receive ADDRESS PORT OUTPUT\n"
              << "       " << argv[0] << " send ADDRESS PORT FILE\n";
    return 2;
  }
  try {
    asio::io_context io(1);
    auto job = command == "send" ? send(argv[2], argv[3], argv[4]) : receive(argv[2], argv[3], argv[4]);
    asio::co_spawn(io, std::move(job), [](std::exception_ptr failure) {
      if (failure) std::rethrow_exception(failure);
    });
    io.run();
    return EXIT_SUCCESS;
  } catch (const boost::system::system_error& e) {
    std::cerr << "file_transfer: " << command << ": " << argv[2] << " port " << argv[3] << ": " << e.code().message()
              << '\n';
  } catch (const std::exception& e) {
    std::cerr << "file_transfer: " << command << ": " << e.what() << '\n';
  }
  return EXIT_FAILURE;
}
