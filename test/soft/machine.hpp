// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SOFT_MACHINE_HPP
#define ASIO_RDMA_TEST_SOFT_MACHINE_HPP

#include "child.hpp"

#include <asio_rdma/verbs/api.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace soft_test {

/// What a machine is made with.
struct setup {
  ibv_qp_type type = IBV_QPT_RC;
  unsigned depth = 16;  // of both queues
  bool is_shared = false;   // its receive queue
  bool signals_all = false;
  int completions = 256;
};

/// How a reliable queue pair is connected.
struct terms {
  std::uint8_t timeout = 14;  // 67 ms
  std::uint8_t retries = 7;
  std::uint8_t rnr_retries = 7;
  std::uint8_t rnr_timer = 1;  // 10 us
  std::uint8_t reads = 16;
  unsigned access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
};

constexpr unsigned all_access =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
constexpr std::size_t memory_size = 1 << 20;
constexpr std::uint32_t qkey = 0x1234;

struct key {
  std::uint64_t address;  // of its first byte
  std::uint32_t lkey;
  std::uint32_t rkey;
  int number;
};

/// A send request of one piece of the memory.
struct request {
  std::uint64_t id = 1;
  ibv_wr_opcode opcode = IBV_WR_SEND;
  unsigned flags = IBV_SEND_SIGNALED;
  std::uint64_t offset = 0;
  std::uint32_t length = 8;
  std::uint32_t lkey = 0;  // 0: that of all of the memory
  std::uint32_t value = 0;  // immediate, or the key to invalidate
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
  std::uint64_t compare_add = 0;
  std::uint64_t swap = 0;
  std::uint32_t to_qp = 0;
  ibv_gid to{};
  unsigned bind_access = 0;  // of a window; it is bound to the region lkey, from offset
};

struct command {
  enum kind {
    make,
    connect,
    state,
    current_state,
    add_key,
    drop_key,
    receive,
    send,
    poll,
    arm,
    cq_event,
    async_event,
    write_text,
    read_text,
    limit,
    join,
    leave,
    add_window,
    resize,
    send_list,
  } what;
  setup with;
  terms over;
  request order;
  std::uint64_t number[4];
  ibv_gid gid;
  char text[64];
};

struct reply {
  std::int64_t value;  // mostly 0 or an errno value
  key of;
  ibv_wc completion;
  char text[64];
};

/// A process that uses soft0: this one or a child; both are spoken to in the same way.
class machine {
public:
  virtual ~machine() = default;

  std::uint32_t make(const setup& s = {});  // its queue pair's number
  int connect(std::uint32_t peer, const terms& l = {});
  int go_to(ibv_qp_state state);
  ibv_qp_state state();
  /// Registers a part of the memory, in its own protection domain or in another.
  key add_key(unsigned access = all_access, std::uint64_t offset = 0, std::uint64_t length = memory_size,
              bool is_foreign = false);
  int drop_key(const key& k);
  key add_window();
  int receive(std::uint64_t id, std::uint64_t offset = 0, std::uint32_t length = 4096, std::uint32_t lkey = 0);
  int send(const request& r);
  /// Posts so many requests, all alike, as a list whose entry bad has too many pieces: how many were taken, and whether
  /// the call names the first that was not.
  int send_list(const request& r, unsigned count, unsigned bad);
  /// The next completion; its vendor_err is ~0 if there is none in that time.
  ibv_wc poll(std::chrono::milliseconds time = std::chrono::seconds(5));
  bool has_completion() { return poll(std::chrono::milliseconds(0)).vendor_err != ~0u; }
  int arm(bool solicited_only);
  bool has_event(std::chrono::milliseconds time = std::chrono::milliseconds(20));
  /// The type of the next asynchronous event; -1 if there is none in that time.
  int async_event(std::chrono::milliseconds time = std::chrono::seconds(5));
  void write(std::uint64_t offset, const std::string& text);
  std::string read(std::uint64_t offset, std::size_t size);
  void write_word(std::uint64_t offset, std::uint64_t value);
  std::uint64_t read_word(std::uint64_t offset);
  int set_limit(unsigned limit);
  int join(const ibv_gid& group);
  int leave(const ibv_gid& group);
  int resize(int completions);

  virtual reply call(const command& c) = 0;
};

/// A machine of this process; its memory is its own, or begins at an address (with one page only).
std::unique_ptr<machine> make_local(void* memory = nullptr);

/// A child that is a machine.
class remote_machine final : public machine {
public:
  explicit remote_machine(const char* what = "machine") : process(what) {}
  reply call(const command& c) override {
    process.to().send(c);
    return process.to().receive<reply>();
  }

  child process;
};

/// Two connected machines of two processes.
struct two_machines {
  explicit two_machines(const char* way, const terms& l = {}, const setup& here = {}, const setup& there = {});

  copying copy;
  std::unique_ptr<machine> near_owner = make_local();
  machine& near = *near_owner;
  remote_machine far;
  std::uint32_t near_number = 0, far_number = 0;
};

inline ibv_gid first_gid() {
  ibv_gid result{};
  const auto& t = asio_rdma::verbs::software_device();
  int count = 0;
  ibv_device** const list = t.get_device_list(&count);
  ibv_context* const c = t.open_device(list[0]);
  t.free_device_list(list);
  (void)t.query_gid(c, 1, 0, &result);
  t.close_device(c);
  return result;
}

}  // namespace soft_test

#endif
