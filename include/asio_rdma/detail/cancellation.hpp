// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_CANCELLATION_HPP
#define ASIO_RDMA_DETAIL_CANCELLATION_HPP

#include <asio_rdma/detail/socket_state.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What a cancellation slot calls. It may outlive the operation, the socket and the execution context.
class cancel_operation {
public:
  cancel_operation(const std::shared_ptr<socket_state>& state, direction_queue q, operation::key_type key) noexcept
      : state_(state), queue_(q), key_(key) {}

  void operator()(boost::asio::cancellation_type_t type) {
    using boost::asio::cancellation_type;
    // Bytes that are not yet received stay where they are, and those to be sent are either taken over or not: even a
    // total cancellation leaves nothing behind, unless a write waits for its acknowledgement by now.
    const bool any_effects =
        (type & (cancellation_type::terminal | cancellation_type::partial)) != cancellation_type::none;
    const bool no_effects = (type & cancellation_type::total) != cancellation_type::none;
    if (!any_effects && !no_effects) return;
    if (const std::shared_ptr<socket_state> state = state_.lock()) state->cancel(queue_, key_, !any_effects);
  }

private:
  std::weak_ptr<socket_state> state_;
  direction_queue queue_;
  operation::key_type key_;
};

/// Lets the handler's cancellation slot, if it has one, cancel the operation of that key.
template <class Handler>
void connect_cancellation(const Handler& handler, const std::shared_ptr<socket_state>& state, direction_queue q,
                          operation::key_type key) {
  auto slot = boost::asio::get_associated_cancellation_slot(handler);
  if (slot.is_connected()) slot.template emplace<cancel_operation>(state, q, key);
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
