// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "child.hpp"

#include "support/own_program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <map>
#include <system_error>

namespace soft_test {

namespace {

constexpr int line_in_child = 3;

std::map<std::string, scenario>& scenarios() {
  static std::map<std::string, scenario> all;
  return all;
}

}  // namespace

line::~line() {
  if (fd_ >= 0) ::close(fd_);
}

bool line::put(const void* data, std::size_t size) const {
  ssize_t sent = -1;
  do {
    sent = ::send(fd_, data, size, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(size);
}

bool line::get(void* data, std::size_t size) const {
  ssize_t received = -1;
  do {
    received = ::recv(fd_, data, size, 0);
  } while (received < 0 && errno == EINTR);
  return received == static_cast<ssize_t>(size);
}

register_scenario::register_scenario(const char* name, scenario s) {
  scenarios().emplace(name, std::move(s));
}

int run_scenario(const std::vector<std::string>& arguments) {
  return run_scenario(line(line_in_child), arguments);
}

int run_scenario(const line& parent, const std::vector<std::string>& arguments) {
  try {
    return scenarios().at(arguments.at(0))(parent, {arguments.begin() + 1, arguments.end()});
  } catch (const std::exception& e) {
    std::cerr << "child " << arguments.at(0) << ": " << e.what() << '\n';
    return 99;
  }
}

child::child(const std::string& name, const std::vector<std::string>& arguments) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  std::vector<std::string> words{test_support::own_program(), "--child", name};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  id_ = ::fork();
  if (id_ == 0) {
    if (pair[1] == line_in_child) {
      ::fcntl(line_in_child, F_SETFD, 0);
    } else {
      ::dup2(pair[1], line_in_child);
    }
    ::execv(pointers[0], pointers.data());
    ::_exit(98);
  }
  line_ = line(pair[0]);
  ::close(pair[1]);
  if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
}

child::~child() {
  if (id_ <= 0) return;
  kill(SIGKILL);
  wait();
}

void child::kill(int signal) const {
  ::kill(id_, signal);
}

int child::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) != id_) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  id_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool may_copy() {
  char from = 1, to = 0;
  const iovec source{&from, 1}, target{&to, 1};
  return ::process_vm_readv(::getpid(), &target, 1, &source, 1, 0) == 1;
}

}  // namespace soft_test
