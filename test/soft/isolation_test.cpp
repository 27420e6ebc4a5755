// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Processes that the kernel keeps apart: under Yama's ptrace_scope 1, and in different PID namespaces.

#include "machine.hpp"

#include "soft/local_socket.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <fstream>

using namespace soft_test;

namespace {

/// Whether messages, writes and reads go from either machine to the other.
bool exchange_all(machine& near, machine& far) {
  const std::uint32_t near_number = near.make(), far_number = far.make();
  if (near.connect(far_number) != 0 || far.connect(near_number) != 0) return false;
  const key near_key = near.add_key(), far_key = far.add_key();
  const auto one_way = [](machine& from, machine& to, const key& there, const std::string& text) {
    from.write(0, text);
    to.write(600, "to be read");
    request send, write, read;
    send.length = write.length = static_cast<std::uint32_t>(text.size());
    write.opcode = IBV_WR_RDMA_WRITE;
    write.address = there.address + 300;
    read.opcode = IBV_WR_RDMA_READ;
    read.offset = 900;
    read.length = 10;
    read.address = there.address + 600;
    write.rkey = read.rkey = there.rkey;
    if (to.receive(7, 100) != 0 || to.arm(false) != 0) return false;
    for (const request& r : {send, write, read}) {
      if (from.send(r) != 0 || from.poll().status != IBV_WC_SUCCESS) return false;
    }
    return to.has_event(std::chrono::seconds(5)) && to.poll().status == IBV_WC_SUCCESS &&
           to.read(100, text.size()) == text && to.read(300, text.size()) == text && from.read(900, 10) == "to be read";
  };
  return one_way(near, far, far_key, "a message") && one_way(far, near, near_key, "an answer");
}

/// Tries to read a byte of another process's memory: 0, or the error.
const register_scenario reader("read_memory", [](const line& parent, const std::vector<std::string>&) {
  char byte = 0;
  const auto address = parent.receive<std::uintptr_t>();
  const iovec to{&byte, 1}, from{reinterpret_cast<void*>(address), 1};
  parent.send(::process_vm_readv(::getppid(), &to, 1, &from, 1, 0) == 1 ? 0 : errno);
  return 0;
});

struct verdict {
  int read_error;  // of a child that tried to read this process's memory
  bool exchanged;
};

/// As a user without privileges, with a child of its own.
const register_scenario unprivileged("be_nobody", [](const line& parent, const std::vector<std::string>&) {
  constexpr unsigned nobody = 65534;
  if (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0) return 1;
  // Changing the user has made it a process that nobody may trace, whatever Yama says.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  const auto near = make_local();
  remote_machine far;
  verdict result{};
  result.exchanged = exchange_all(*near, far);
  const char byte = 0;
  const child r("read_memory");
  r.to().send(reinterpret_cast<std::uintptr_t>(&byte));
  result.read_error = r.to().receive<int>();
  parent.send(result);
  return 0;
});

/// With a child in a PID namespace of its own, which sees no process but itself; at last it dies.
const register_scenario apart("have_child_elsewhere", [](const line& parent, const std::vector<std::string>&) {
  const auto near = make_local();
  near->make();  // with its helper: no thread can be made once children are to be elsewhere
  if (::unshare(CLONE_NEWPID) != 0) return 1;
  remote_machine far;
  bool is_good = exchange_all(*near, far);
  far.process.kill(SIGKILL);
  is_good = is_good && near->send({}) == 0 && near->poll().status == IBV_WC_RETRY_EXC_ERR;
  parent.send(is_good);
  return 0;
});

/// As another user, at a name of its parent's user: what connecting to it says, and what comes of doing so by hand.
struct turned_away {
  int connect_error;
  bool hears_nothing;
};
const register_scenario stranger("be_a_stranger", [](const line& parent, const std::vector<std::string>&) {
  const auto name = asio_rdma::soft::local_name("isolation_test");
  constexpr unsigned nobody = 65534;
  if (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0) return 1;
  turned_away result{};
  result.connect_error = asio_rdma::soft::connect_local(SOCK_SEQPACKET, name) ? 0 : errno;
  const int by_hand = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (::connect(by_hand, name.get(), name.size) != 0) return 1;
  parent.send(0);  // now it may be accepted
  char byte = 0;
  result.hears_nothing = ::read(by_hand, &byte, 1) <= 0;
  parent.send(result);
  return 0;
});

/// Yama's setting, while it lives.
class ptrace_scope {
public:
  explicit ptrace_scope(int value) {
    std::ifstream(file) >> before_;
    std::ofstream(file) << value;
  }
  ptrace_scope(const ptrace_scope&) = delete;
  ptrace_scope& operator=(const ptrace_scope&) = delete;
  ~ptrace_scope() { std::ofstream(file) << before_; }

  static constexpr const char* file = "/proc/sys/kernel/yama/ptrace_scope";

private:
  int before_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(isolation, *boost::unit_test::label("root"))

BOOST_AUTO_TEST_CASE(by_yama_is_lifted_on_request_only) {
  const ptrace_scope one(1);
  int in_force = -1;
  std::ifstream(ptrace_scope::file) >> in_force;
  BOOST_TEST_REQUIRE(in_force == 1);
  for (const bool is_asked : {false, true}) {
    const environment asked("ASIO_RDMA_SOFT_PTRACER", is_asked ? "any" : nullptr);
    const child c("be_nobody");
    const verdict v = c.to().receive<verdict>();
    BOOST_TEST(v.exchanged);
    BOOST_TEST(v.read_error == (is_asked ? 0 : EPERM));
  }
}

BOOST_AUTO_TEST_CASE(of_users_is_kept_at_both_ends) {
  const auto listener =
      asio_rdma::soft::bind_local(SOCK_SEQPACKET, asio_rdma::soft::local_name("isolation_test"));
  BOOST_REQUIRE(listener);
  BOOST_REQUIRE(::listen(listener.get(), 8) == 0);
  const child c("be_a_stranger");
  (void)c.to().receive<int>();
  BOOST_TEST(!asio_rdma::soft::accept_local(listener.get()));
  const turned_away result = c.to().receive<turned_away>();
  BOOST_TEST(result.connect_error == EPERM);
  BOOST_TEST(result.hears_nothing);
}

BOOST_AUTO_TEST_CASE(by_pid_namespaces_keeps_nobody_apart) {
  const child c("have_child_elsewhere");
  BOOST_TEST(c.to().receive<bool>());
}

BOOST_AUTO_TEST_SUITE_END()
