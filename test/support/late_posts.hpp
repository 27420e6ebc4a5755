// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_LATE_POSTS_HPP
#define ASIO_RDMA_TEST_SUPPORT_LATE_POSTS_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <thread>

namespace test_support {

/// Makes a device slow, while it lives: sends are handed over at random instants later, several at once, those of a
/// queue pair in their order. So completions come late, not for a while, in batches, in another order between queue
/// pairs, and as often as not at the very moment that somebody arms a completion queue. Works with the injector's
/// tables.
class late_posts {
public:
  /// Half of the lists that are posted wait, for that long at most.
  late_posts(unsigned seed, unsigned longest_microseconds);
  late_posts(const late_posts&) = delete;
  late_posts& operator=(const late_posts&) = delete;
  /// Hands over what waits.
  ~late_posts();

  /// How many lists were handed over late so far, and how many of those just before a queue was armed.
  std::uint64_t count() const noexcept;
  std::uint64_t count_before_arming() const noexcept;

  // For the injector. All are thread-safe.

  using post_function = int (*)(ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad);
  static bool are_wanted() noexcept;
  static int post(post_function real, ibv_qp* qp, ibv_send_wr* first, ibv_send_wr** bad);
  /// Hands over some of what waits.
  static void about_to_arm() noexcept;
  /// A queue pair that has failed flushes what waits.
  static void changed(ibv_qp* qp, const ibv_qp_attr* attributes, int mask);
  /// The queue pair is about to be destroyed.
  static void forget(ibv_qp* qp);

private:
  std::thread thread_;
};

}  // namespace test_support

#endif
