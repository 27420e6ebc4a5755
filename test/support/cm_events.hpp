// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_SUPPORT_CM_EVENTS_HPP
#define ASIO_RDMA_TEST_SUPPORT_CM_EVENTS_HPP

#include <asio_rdma/detail/rdma_core.hpp>

namespace test_support {

/// Changes what the connection manager tells, on channels that do not block. Works with the injector's tables, for one
/// test at a time. Thread-safe.
///
/// The kernel has one queue for all ids of a channel, and its order between different ids means nothing, but that a
/// connect request comes before the events of its connection. The events of one id come in an order; which there can be
/// is said by drivers/infiniband/core/cma.c: the removal of the device and the change of an address in any state; the
/// end of a connection to who has not heard of its beginning; a refusal or silence to both ends while they connect.
class cm_events {
public:
  /// From now on each event comes up to so long later, and those of different ids that wait then come in any order.
  static void shuffle(unsigned seed, unsigned longest_microseconds);
  /// Next to the nth event from now on, from 1 on, before it or after it, comes one more for its id; for the listener's
  /// if it is a connect request.
  static void insert(rdma_cm_event_type type, int status, unsigned nth, bool before);
  /// Connect requests come so much later from now on.
  static void delay_requests(unsigned microseconds);
  /// From now on events come as the connection manager has them. True if one was inserted, or an order was changed.
  static bool stop() noexcept;

  // For the injector.

  static bool are_wanted() noexcept;
  static int get(int (*real_get)(rdma_event_channel*, rdma_cm_event**), int (*real_acknowledge)(rdma_cm_event*),
                 int (*real_destroy)(rdma_cm_id*), rdma_event_channel* channel, rdma_cm_event** event);
  /// False if the event is the connection manager's own.
  static bool acknowledge(rdma_cm_event* event) noexcept;
  /// There is an id at that address, perhaps again.
  static void made(const rdma_cm_id* id) noexcept;
  /// No event of the id comes any more; it is destroyed next.
  static void forget(int (*real_destroy)(rdma_cm_id*), rdma_cm_id* id) noexcept;
};

}  // namespace test_support

#endif
