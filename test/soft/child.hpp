// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOFT_CHILD_HPP
#define ASIO_RDMA_TEST_SOFT_CHILD_HPP

#include "soft/peer.hpp"
#include "support/environment.hpp"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace soft_test {

/// One end of a conversation with another process: messages of plain data.
class line {
public:
  explicit line(int fd = -1) noexcept : fd_(fd) {}
  line(line&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  line& operator=(line&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~line();

  template <class T>
  void send(const T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!put(&value, sizeof value)) throw std::runtime_error("the other process is gone");
  }
  /// False when the other end is gone.
  template <class T>
  bool receive_if_any(T& value) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return get(&value, sizeof value);
  }
  template <class T>
  T receive() const {
    T value{};
    if (!receive_if_any(value)) throw std::runtime_error("the other process is gone");
    return value;
  }

private:
  bool put(const void* data, std::size_t size) const;
  bool get(void* data, std::size_t size) const;

  int fd_;
};

/// What a child does; the line leads to its parent.
using scenario = std::function<int(const line& parent, const std::vector<std::string>& arguments)>;

/// Registers a scenario under a name, before main().
struct register_scenario {
  register_scenario(const char* name, scenario s);
};

/// Runs a scenario, named by the first argument.
int run_scenario(const line& parent, const std::vector<std::string>& arguments);
/// Runs the scenario that a command line of "--child NAME ARGUMENT..." names.
int run_scenario(const std::vector<std::string>& arguments);

/// This program once more, as another process that runs a scenario. Killed when the object goes.
class child {
public:
  explicit child(const std::string& name, const std::vector<std::string>& arguments = {});
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child();

  pid_t id() const { return id_; }
  const line& to() const { return line_; }
  void kill(int signal) const;
  /// Waits for its end: the exit status, or 128 + the signal.
  int wait();

private:
  pid_t id_ = -1;
  line line_;
};

using test_support::environment;

/// Whether processes may copy each other's memory here.
bool may_copy();

/// How bytes come from one process to another: by the kernel, or through shared memory. See ASIO_RDMA_SOFT_COPY.
struct copying {
  explicit copying(const char* way)
      : variable("ASIO_RDMA_SOFT_COPY", std::string(way) == "shared" ? way : nullptr) {
    asio_rdma::soft::look_at_copy_variable();
  }

private:
  struct look_again {
    ~look_again() { asio_rdma::soft::look_at_copy_variable(); }
  };
  look_again after;
  environment variable;
};

}  // namespace soft_test

#endif
