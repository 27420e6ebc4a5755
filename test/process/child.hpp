// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_PROCESS_CHILD_HPP
#define ASIO_RDMA_TEST_PROCESS_CHILD_HPP

#include <asio_rdma/asio_rdma.hpp>

#include <boost/asio.hpp>

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace process_test {

namespace asio = boost::asio;
using asio_rdma::rc;
using boost::system::error_code;

/// What a child does: argument 0 is the port of its parent's listener.
using scenario = std::function<int(const std::vector<std::string>& arguments)>;

/// Registers a scenario under a name, before main().
struct register_scenario {
  register_scenario(const char* name, scenario s);
};

/// Runs the scenario that a command line of "--child NAME ARGUMENT..." names.
int run_scenario(const std::vector<std::string>& arguments);

/// This program once more, as another process that runs a scenario.
class child {
public:
  child(const std::string& name, const std::vector<std::string>& arguments);
  ~child();
  child(const child&) = delete;
  child& operator=(const child&) = delete;

  pid_t id() const { return id_; }
  /// Waits for its end: the exit status, or 128 + the signal.
  int wait();
  void kill(int signal);
  /// Waits until the child says that it is ready.
  void wait_until_ready();
  /// Lets a child go on that waits in wait_for_parent().
  void go_on();

private:
  pid_t id_ = -1;
  int from_child_ = -1;
  int to_child_ = -1;
};

/// In a child: tells the parent, and waits for its word.
void tell_parent();
void wait_for_parent();

/// Bytes in which a loss or a change of order shows.
inline unsigned char byte_at(std::size_t position) {
  return static_cast<unsigned char>((position * 2654435761u) >> 13);
}
std::vector<unsigned char> bytes(std::size_t size);

/// Waits until none of a process's threads ran for three seconds. False if that does not come: soft0's helper has
/// something to do while others connect to its process, and whenever another process on soft0 comes or goes.
bool falls_asleep(pid_t process);

/// Connects to the parent's listener on this host.
void connect_to_parent(rc::socket& s, const std::string& port);

/// The parent's end: listens, starts a child with a scenario, accepts it.
struct parent {
  explicit parent(const std::string& name, std::vector<std::string> arguments = {});
  /// Reads until an error; what was read must be the prefix of bytes().
  std::size_t read_all(error_code& ec);

  asio::io_context context;
  rc::acceptor acceptor;
  child other;
  rc::socket socket{context};
};

}  // namespace process_test

#endif
