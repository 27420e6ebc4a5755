// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_SHARED_RECEIVE_QUEUE_HPP
#define ASIO_RDMA_VERBS_SHARED_RECEIVE_QUEUE_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A receive queue that several queue pairs share (ibv_srq). Thread-safe, as verbs are.
class shared_receive_queue : public detail::owner<ref<ibv_srq>, &api::destroy_srq> {
public:
  shared_receive_queue() noexcept = default;
  /// ibv_create_srq. Throws boost::system::system_error.
  shared_receive_queue(ref<ibv_pd> domain, ibv_srq_init_attr& attributes) {
    error_code ec;
    *this = create(domain, attributes, ec);
    detail::throw_error(ec, "ibv_create_srq");
  }
  /// attributes.attr.max_wr and max_sge become what the device granted. EINVAL beyond max_srq_wr or max_srq_sge of the
  /// device.
  static shared_receive_queue create(ref<ibv_pd> domain, ibv_srq_init_attr& attributes, error_code& ec) noexcept {
    const api& table = domain.table();
    return shared_receive_queue({detail::check(table.create_srq(domain.native_handle(), &attributes), ec), table});
  }

  /// Raises IBV_EVENT_SRQ_LIMIT_REACHED on the context, once, when fewer than limit receives are left. 0 turns it off.
  void limit(std::uint32_t value, error_code& ec) const noexcept {
    ibv_srq_attr attributes{};
    attributes.srq_limit = value;
    modify(attributes, IBV_SRQ_LIMIT, ec);
  }
  /// Throws boost::system::system_error.
  void limit(std::uint32_t value) const {
    error_code ec;
    limit(value, ec);
    detail::throw_error(ec, "ibv_modify_srq");
  }

  /// ibv_modify_srq with a mask of IBV_SRQ_MAX_WR and IBV_SRQ_LIMIT.
  void modify(ibv_srq_attr attributes, int mask, error_code& ec) const noexcept {
    detail::check(table_->modify_srq(handle_, &attributes, mask), ec);
  }
  /// Throws boost::system::system_error.
  void modify(const ibv_srq_attr& attributes, int mask) const {
    error_code ec;
    modify(attributes, mask, ec);
    detail::throw_error(ec, "ibv_modify_srq");
  }

  /// Size and current limit (ibv_query_srq).
  ibv_srq_attr query(error_code& ec) const noexcept {
    ibv_srq_attr attributes{};
    detail::check(table_->query_srq(handle_, &attributes), ec);
    return attributes;
  }
  /// Throws boost::system::system_error.
  ibv_srq_attr query() const {
    error_code ec;
    const auto result = query(ec);
    detail::throw_error(ec, "ibv_query_srq");
    return result;
  }

  /// Posts a list of receives (ibv_post_srq_recv). Returns null, or the first request that was not posted, with the
  /// reason in ec: ENOMEM if the queue is full, EINVAL for a bad request.
  ibv_recv_wr* post_receive(ibv_recv_wr& list, error_code& ec) const noexcept {
    ibv_recv_wr* bad = nullptr;
    return detail::check(ibv_post_srq_recv(handle_, &list, &bad), ec) ? nullptr : bad;
  }
  /// Throws boost::system::system_error.
  void post_receive(ibv_recv_wr& list) const {
    error_code ec;
    post_receive(list, ec);
    detail::throw_error(ec, "ibv_post_srq_recv");
  }

private:
  explicit shared_receive_queue(ref<ibv_srq> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
