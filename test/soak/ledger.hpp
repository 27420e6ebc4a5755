// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOAK_LEDGER_HPP
#define ASIO_RDMA_TEST_SOAK_LEDGER_HPP

#include "support/conversation.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

namespace soak_test {

constexpr std::size_t most_connections = 2000, most_clients = 80;

/// One connection after another. A client that finds it free says that it connects; the server takes it over when the
/// connection's first bytes have come, and frees it when both ends have ended and were looked at.
struct entry {
  enum state : std::uint64_t { vacant, connecting, talking };
  static constexpr std::uint64_t word(std::uint64_t number, state s) { return number << 2 | s; }

  std::atomic<std::uint64_t> now{word(0, vacant)};
  std::atomic<std::uint64_t> life{0};  ///< of its client, see below
  std::atomic<bool> client_is_done{false};
  test_support::direction to_server, to_client;

  /// False if it is not in the first state.
  bool change(std::uint64_t number, state from, state to) {
    std::uint64_t expected = word(number, from);
    return now.compare_exchange_strong(expected, word(number, to));
  }
};

/// What server and clients know of each other, in memory that they share. A client that is killed lives again, as
/// another process: lives have numbers from 1 on.
struct ledger {
  std::uint64_t seed = 0;
  std::chrono::steady_clock::time_point deadline{};
  std::chrono::milliseconds longest_pause{};
  std::array<std::uint16_t, 2> ports{};               ///< of the listeners for streams, and for messages
  std::atomic<std::uint64_t> cancelled_connects{0};
  test_support::tally all;
  std::array<std::atomic<std::uint64_t>, most_clients> condemned{};  ///< the last life that may be killed by now
  std::array<std::atomic<std::uint64_t>, most_clients> buried{};     ///< the last life that is over
  std::array<entry, most_connections> entries{};

  /// Of the bytes from the client to the server, or of those the other way.
  std::uint64_t stream(std::size_t index, std::uint64_t number, bool to_server) const {
    return test_support::mixed(test_support::mixed(seed, index), number * 2 + to_server);
  }
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share no locks");

/// The ledger's memory, which children have by the descriptor.
class shared_ledger {
public:
  shared_ledger() : shared_ledger(create(), true) {}
  explicit shared_ledger(int fd) : shared_ledger(fd, false) {}
  shared_ledger(const shared_ledger&) = delete;
  shared_ledger& operator=(const shared_ledger&) = delete;
  ~shared_ledger() {
    ::munmap(memory_, sizeof(ledger));
    ::close(fd_);
  }

  int fd() const { return fd_; }
  ledger& operator*() const { return *memory_; }
  ledger* operator->() const { return memory_; }

private:
  /// Above the descriptors of a child's that are its pipes.
  static int create() {
    const int low = ::memfd_create("soak", 0);
    const int fd = ::fcntl(low, F_DUPFD, 10);
    ::close(low);
    return fd;
  }

  shared_ledger(int fd, bool is_new) : fd_(fd) {
    if (fd < 0 || (is_new && ::ftruncate(fd, sizeof(ledger)) != 0)) throw std::runtime_error("no memory to share");
    void* const p = ::mmap(nullptr, sizeof(ledger), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED) throw std::runtime_error("no memory to share");
    memory_ = is_new ? new (p) ledger : static_cast<ledger*>(p);
  }

  int fd_;
  ledger* memory_ = nullptr;
};

}  // namespace soak_test

#endif
