// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "child.hpp"

#include "support/own_program.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <thread>

namespace process_test {

namespace {

constexpr int parent_reads = 3;  // descriptors of the child
constexpr int parent_writes = 4;

std::map<std::string, scenario>& scenarios() {
  static std::map<std::string, scenario> all;
  return all;
}

std::vector<std::string> with_port(unsigned short port, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), std::to_string(port));
  return arguments;
}

}  // namespace

register_scenario::register_scenario(const char* name, scenario s) {
  scenarios().emplace(name, std::move(s));
}

int run_scenario(const std::vector<std::string>& arguments) {
  try {
    return scenarios().at(arguments.at(0))({arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& e) {
    std::cerr << "child " << arguments.at(0) << ": " << e.what() << '\n';
    return 99;
  }
}

child::child(const std::string& name, const std::vector<std::string>& arguments) {
  std::array<int, 2> up{};
  std::array<int, 2> down{};
  BOOST_REQUIRE(::pipe2(up.data(), O_CLOEXEC) == 0 && ::pipe2(down.data(), O_CLOEXEC) == 0);
  std::vector<std::string> line{test_support::own_program(), "--child", name};
  line.insert(line.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : line) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  id_ = ::fork();
  BOOST_REQUIRE(id_ >= 0);
  if (id_ == 0) {
    // Out of the way first: the pipes may lie where they are to go.
    const int from = ::fcntl(up[1], F_DUPFD, 10);
    const int to = ::fcntl(down[0], F_DUPFD, 10);
    ::dup2(from, parent_reads);
    ::dup2(to, parent_writes);
    ::close(from);
    ::close(to);
    ::execv(pointers[0], pointers.data());
    ::_exit(98);
  }
  ::close(up[1]);
  ::close(down[0]);
  from_child_ = up[0];
  to_child_ = down[1];
}

child::~child() {
  if (id_ > 0) {
    kill(SIGKILL);
    wait();
  }
  ::close(from_child_);
  ::close(to_child_);
}

int child::wait() {
  int status = 0;
  BOOST_REQUIRE_EQUAL(::waitpid(id_, &status, 0), id_);
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void child::kill(int signal) {
  ::kill(id_, signal);
}

void child::wait_until_ready() {
  char c = 0;
  BOOST_REQUIRE_EQUAL(::read(from_child_, &c, 1), 1);
}

void child::go_on() {
  BOOST_REQUIRE_EQUAL(::write(to_child_, "g", 1), 1);
}

void tell_parent() {
  if (::write(parent_reads, "r", 1) != 1) ::_exit(97);
}

void wait_for_parent() {
  char c = 0;
  if (::read(parent_writes, &c, 1) != 1) ::_exit(96);
}

std::vector<unsigned char> bytes(std::size_t size) {
  std::vector<unsigned char> result(size);
  for (std::size_t i = 0; i < size; ++i) result[i] = byte_at(i);
  return result;
}

namespace {

/// How often the threads of a process went to sleep. Those that never wake are not preempted either.
unsigned long context_switches(pid_t process) {
  const std::string counter = "voluntary_ctxt_switches:";
  unsigned long total = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind(counter, 0) == 0) total += std::stoul(line.substr(counter.size()));
    }
  }
  return total;
}

}  // namespace

bool falls_asleep(pid_t process) {
  for (int i = 0; i < 20; ++i) {
    const unsigned long before = context_switches(process);
    std::this_thread::sleep_for(std::chrono::seconds(3));
    if (context_switches(process) == before) return true;
  }
  return false;
}

void connect_to_parent(rc::socket& s, const std::string& port) {
  s.connect({asio::ip::address_v4::loopback(), static_cast<unsigned short>(std::stoul(port))});
}

namespace {

/// Its sockets' rings hold what children write before anybody reads.
rc::acceptor listening(asio::io_context& context) {
  rc::acceptor result(context, rc::v4());
  result.set_option(asio_rdma::initial_buffer_size(128 << 10));
  result.bind({asio::ip::address_v4::loopback(), 0});
  result.listen();
  return result;
}

}  // namespace

parent::parent(const std::string& name, std::vector<std::string> arguments)
    : acceptor(listening(context)), other(name, with_port(acceptor.local_endpoint().port(), std::move(arguments))) {
  acceptor.accept(socket);
}

std::size_t parent::read_all(error_code& ec) {
  std::vector<unsigned char> buffer(64 * 1024);
  std::size_t total = 0;
  std::size_t wrong = 0;
  for (;;) {
    const std::size_t n = socket.read_some(asio::buffer(buffer), ec);
    if (ec) break;
    for (std::size_t i = 0; i < n; ++i) wrong += buffer[i] == byte_at(total + i) ? 0 : 1;
    total += n;
  }
  BOOST_TEST(wrong == 0u);
  return total;
}

}  // namespace process_test
