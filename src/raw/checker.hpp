// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_CHECKER_HPP
#define ASIO_RDMA_SRC_RAW_CHECKER_HPP

#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <deque>

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// What a connection's requests are checked against, in programs that ask for it: the room in its queues, the memory
/// that it knows. One thread at a time.
class checker {
public:
  struct facts {
    const ibv_pd* domain = nullptr;
    bool reliable = true;
    core::raw_limits limits;
    core::raw_memory remote;  ///< that the peer has offered
  };

  /// Looks at a list before it is posted: what is wrong with the first bad one, which bad becomes.
  core::error check(const facts& f, const ibv_send_wr* first, const ibv_send_wr*& bad) const;
  core::error check(const facts& f, const ibv_recv_wr* first, const ibv_recv_wr*& bad) const;

  // Counts what was posted, up to the one that was not, and what has completed.
  void posted(const ibv_send_wr* first, const ibv_send_wr* end);
  void posted(const ibv_recv_wr* first, const ibv_recv_wr* end);
  void completed(const ibv_wc* completions, int count) noexcept;

private:
  struct send {
    std::uint64_t id;
    bool signaled;
  };
  bool retire_send(std::uint64_t id) noexcept;

  std::deque<send> sends_;
  std::uint64_t receives_ = 0;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
