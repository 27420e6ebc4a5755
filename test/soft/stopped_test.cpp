// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A process that is stopped between the check of a key and the copy: the memory stays what it is until it goes on or is
// dead, and nobody else waits for it.

#include "machine.hpp"

#include "soft/peer.hpp"

#include <linux/sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

using namespace soft_test;
using namespace std::chrono_literals;

namespace {

using clock = std::chrono::steady_clock;

struct target {
  std::uint32_t number;
  key at;
};

/// Connects to the target, and stops when it is about to write there; then says how that went.
const register_scenario stopping("write_and_stop", [](const line& parent, const std::vector<std::string>&) {
  const auto m = make_local();
  parent.send(m->make());
  const auto to = parent.receive<target>();
  m->connect(to.number);
  request r;
  r.opcode = IBV_WR_RDMA_WRITE;
  r.address = to.at.address;
  r.rkey = to.at.rkey;
  m->send(r);  // so that the two know each other
  if (m->poll().status != IBV_WC_SUCCESS) return 1;
  m->write(0, "harmful!");
  asio_rdma::soft::before_copy = [] {
    asio_rdma::soft::before_copy = nullptr;
    ::kill(::getpid(), SIGSTOP);
  };
  m->send(r);
  parent.send(m->poll().status);
  return parent.receive_if_any(r) ? 0 : 1;
});

void wait_until_stopped(const child& c) {
  int status = 0;
  BOOST_REQUIRE_EQUAL(::waitpid(c.id(), &status, WUNTRACED), c.id());
  BOOST_REQUIRE(WIFSTOPPED(status));
}

/// This process is the target of one that is stopped before it copies.
struct stopped_fixture : copying {
  stopped_fixture() : copying("direct") {
    const std::uint32_t number = mine->make();
    BOOST_REQUIRE_EQUAL(mine->connect(other.to().receive<std::uint32_t>()), 0);
    at = mine->add_key(all_access, 0, 8);
    other.to().send(target{number, at});
    wait_until_stopped(other);
    mine->write(0, "unharmed");
  }

  std::unique_ptr<machine> mine = make_local();
  child other{"write_and_stop"};
  key at{};
};

/// Where it may not copy, it is nobody's card.
boost::test_tools::assertion_result copying_is_allowed(boost::unit_test::test_unit_id) { return may_copy(); }

/// Calls f in another thread.
class call {
public:
  template <class Function>
  explicit call(Function f) : thread_([this, f] {
    f();
    returned_ = true;
  }) {}
  ~call() { thread_.join(); }
  bool returns_within(std::chrono::milliseconds time) const {
    for (const auto end = clock::now() + time; clock::now() < end && !returned_;) std::this_thread::sleep_for(1ms);
    return returned_;
  }

private:
  std::atomic<bool> returned_{false};
  std::thread thread_;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stopped_before_it_copies, stopped_fixture,
                         *boost::unit_test::precondition(copying_is_allowed))

BOOST_AUTO_TEST_CASE(deregistering_waits_until_it_goes_on) {
  const call c([this] { mine->drop_key(at); });
  BOOST_TEST(!c.returns_within(200ms));
  BOOST_TEST(mine->read(0, 8) == "unharmed");
  other.kill(SIGCONT);
  BOOST_TEST(c.returns_within(1s));
  BOOST_TEST(mine->read(0, 8) == "harmful!");  // before it returned: from now on it is somebody else's
}

BOOST_AUTO_TEST_CASE(deregistering_returns_when_it_is_dead) {
  const call c([this] { mine->drop_key(at); });
  BOOST_TEST(!c.returns_within(50ms));
  other.kill(SIGKILL);
  BOOST_TEST(c.returns_within(1s));
  BOOST_TEST(mine->read(0, 8) == "unharmed");
}

BOOST_AUTO_TEST_CASE(the_error_state_waits_until_it_goes_on) {
  BOOST_TEST(mine->receive(1) == 0);
  const call c([this] { mine->go_to(IBV_QPS_ERR); });
  BOOST_TEST(!c.returns_within(200ms));
  other.kill(SIGCONT);
  BOOST_TEST(c.returns_within(1s));
  BOOST_TEST(mine->poll(1s).status == IBV_WC_WR_FLUSH_ERR);
}

BOOST_AUTO_TEST_CASE(destroying_returns_when_it_is_dead) {
  const call c([this] { mine.reset(); });
  BOOST_TEST(!c.returns_within(50ms));
  other.kill(SIGKILL);
  BOOST_TEST(c.returns_within(1s));
}

// Also where this process's requests wait for a time: nothing that the helper thread needs is held meanwhile.
BOOST_AUTO_TEST_CASE(others_are_served_as_ever) {
  BOOST_TEST(mine->send({}) == 0);  // the other side has no receive
  const call c([this] { mine->go_to(IBV_QPS_ERR); });
  BOOST_TEST(!c.returns_within(50ms));
  {
    two_machines t("shared");  // with the help of the thread
    for (int i = 0; i < 3; ++i) {
      BOOST_TEST(t.near.receive(1) == 0);
      BOOST_TEST(t.far.send({}) == 0);
      BOOST_TEST(t.far.poll(1s).status == IBV_WC_SUCCESS);
      BOOST_TEST(t.near.poll(1s).status == IBV_WC_SUCCESS);
    }
  }
  other.kill(SIGKILL);
  BOOST_TEST(c.returns_within(1s));
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

// Where several processes have memory at the same address; ThreadSanitizer and AddressSanitizer allow this one too.
void* const fixed = reinterpret_cast<void*>(0x7e90'0000'0000);

void* map_fixed() {
  return ::mmap(fixed, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

const register_scenario at_fixed("target_at_fixed_address", [](const line& parent, const std::vector<std::string>&) {
  if (map_fixed() != fixed) return 1;
  const auto m = make_local(fixed);
  const std::uint32_t number = m->make();
  parent.send(target{number, m->add_key(all_access, 0, 8)});
  m->connect(parent.receive<std::uint32_t>());
  parent.send('r');
  (void)parent.receive<char>();
  return 0;
});

/// A process with a certain number, with memory at the same address, which ends with 0 if nobody writes there while it
/// waits for a word. -1 with errno set if there can be none.
pid_t fork_as(pid_t number, int words) {
  clone_args a{};
  a.exit_signal = SIGCHLD;
  a.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  a.set_tid_size = 1;
  const auto result = static_cast<pid_t>(::syscall(SYS_clone3, &a, sizeof a));
  if (result != 0) return result;
  if (map_fixed() != fixed) ::_exit(2);
  std::memset(fixed, 'u', 8);
  char c = 0;
  if (::read(words, &c, 1) != 1) ::_exit(3);
  ::_exit(std::memcmp(fixed, "uuuuuuuu", 8) == 0 ? 0 : 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(number_of_a_process, *boost::unit_test::precondition(copying_is_allowed))

// The target is killed, and others get the numbers of its threads, while the writer is stopped just before its copy.
BOOST_AUTO_TEST_CASE(that_another_has_got_is_not_written_to) {
  const copying copy("direct");
  child victim("target_at_fixed_address");
  const auto to = victim.to().receive<target>();
  child writer("write_and_stop");
  victim.to().send(writer.to().receive<std::uint32_t>());
  (void)victim.to().receive<char>();
  writer.to().send(to);
  wait_until_stopped(writer);

  std::vector<pid_t> numbers;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(victim.id()) + "/task")) {
    numbers.push_back(std::stoi(task.path().filename()));
  }
  BOOST_TEST(numbers.size() >= 2u);  // the helper's too, and a sanitizer's
  victim.kill(SIGKILL);
  BOOST_TEST(victim.wait() == 128 + SIGKILL);
  int words[2];
  BOOST_REQUIRE_EQUAL(::pipe(words), 0);
  std::vector<pid_t> heirs;
  for (const pid_t number : numbers) {
    pid_t heir = -1;
    for (int i = 0; heir < 0 && i < 1000; ++i) {
      heir = fork_as(number, words[0]);
      if (heir < 0 && errno != EEXIST) break;  // otherwise it is given back soon
      if (heir < 0) std::this_thread::sleep_for(1ms);
    }
    if (heir < 0) {
      BOOST_TEST_MESSAGE("not allowed to choose a process's number: " << std::strerror(errno));
    } else {
      BOOST_TEST(heir == number);
      heirs.push_back(heir);
    }
  }
  std::this_thread::sleep_for(50ms);  // they map their memory
  writer.kill(SIGCONT);
  BOOST_TEST(writer.to().receive<ibv_wc_status>() == IBV_WC_RETRY_EXC_ERR);
  BOOST_TEST(::write(words[1], "gg", heirs.size()) == static_cast<ssize_t>(heirs.size()));
  for (const pid_t heir : heirs) {
    int status = -1;
    BOOST_TEST(::waitpid(heir, &status, 0) == heir);
    BOOST_TEST(status == 0);
  }
  ::close(words[0]);
  ::close(words[1]);
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

const register_scenario leaving("obeys_in_another_thread", [](const line& parent, const std::vector<std::string>&) {
  std::thread([&parent] { ::_exit(run_scenario(parent, {"machine"})); }).detach();
  ::syscall(SYS_exit, 0);  // of this thread alone
  return 0;
});

}  // namespace

BOOST_AUTO_TEST_SUITE(unusual_processes)

BOOST_AUTO_TEST_CASE(outlive_their_first_thread) {
  const copying copy("direct");
  const auto near = make_local();
  remote_machine far("obeys_in_another_thread");
  const std::uint32_t here = near->make(), there = far.make();
  BOOST_TEST((near->connect(there) == 0 && far.connect(here) == 0));
  near->write(0, "a message");
  BOOST_TEST(far.receive(7) == 0);
  BOOST_TEST(near->send({}) == 0);
  BOOST_TEST(near->poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(far.poll().status == IBV_WC_SUCCESS);
  BOOST_TEST(far.read(0, 8) == "a messag");
}

BOOST_AUTO_TEST_SUITE_END()
