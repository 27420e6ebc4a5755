// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_QUEUE_PAIR_HPP
#define ASIO_RDMA_VERBS_QUEUE_PAIR_HPP

#include <asio_rdma/verbs/detail/owner.hpp>
#include <asio_rdma/verbs/queue_pair_attributes.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Attributes of a queue pair as ibv_query_qp gives them.
struct queue_pair_description {
  ibv_qp_attr attributes = {};            ///< those that were asked for
  ibv_qp_init_attr init_attributes = {};  ///< what it was made with
};

/// A queue pair that somebody else destroys, for example the one of an rdma_cm_id (cm_id::queue_pair()).
/// Thread-safe, as verbs are.
class queue_pair_ref : public ref<ibv_qp> {
public:
  using ref<ibv_qp>::ref;

  /// The number that the peer has to know, 24 bits.
  std::uint32_t number() const noexcept { return handle_->qp_num; }
  /// RC, UC, UD and so on.
  ibv_qp_type type() const noexcept { return handle_->qp_type; }

  /// RESET to INIT. Errors of all transitions: EINVAL for a wrong state or a value out of range, ENOMEM.
  void to_init(const init_attributes& attributes, error_code& ec) const noexcept {
    modify(modification(type(), attributes), ec);
  }
  /// Throws boost::system::system_error.
  void to_init(const init_attributes& attributes = {}) const { modify(modification(type(), attributes)); }

  /// INIT to RTR. ETIMEDOUT or ENETUNREACH where the peer's link address cannot be found.
  void to_rtr(const rtr_attributes& attributes, error_code& ec) const noexcept {
    modify(modification(type(), attributes), ec);
  }
  /// Throws boost::system::system_error.
  void to_rtr(const rtr_attributes& attributes = {}) const { modify(modification(type(), attributes)); }

  /// RTR to RTS.
  void to_rts(const rts_attributes& attributes, error_code& ec) const noexcept {
    modify(modification(type(), attributes), ec);
  }
  /// Throws boost::system::system_error.
  void to_rts(const rts_attributes& attributes = {}) const { modify(modification(type(), attributes)); }

  /// RTS to SQD: requests posted from now on wait; those begun are finished. notify asks for IBV_EVENT_SQ_DRAINED when
  /// they are.
  void to_sqd(bool notify, error_code& ec) const noexcept { modify(drain(notify), ec); }
  /// Throws boost::system::system_error.
  void to_sqd(bool notify = false) const { modify(drain(notify)); }

  /// SQD, or SQE of an unreliable queue pair, back to RTS. EINVAL while requests that were begun before to_sqd() are
  /// not finished yet: wait for IBV_EVENT_SQ_DRAINED.
  void resume(const resume_attributes& attributes, error_code& ec) const noexcept {
    modify(modification(attributes), ec);
  }
  /// Throws boost::system::system_error.
  void resume(const resume_attributes& attributes = {}) const { modify(modification(attributes)); }

  /// Any state to ERR: every outstanding request completes with IBV_WC_WR_FLUSH_ERR.
  void to_error(error_code& ec) const noexcept { modify(modification(IBV_QPS_ERR), ec); }
  /// Throws boost::system::system_error.
  void to_error() const { modify(modification(IBV_QPS_ERR)); }

  /// Any state to RESET: outstanding requests are forgotten, some perhaps without a completion.
  void to_reset(error_code& ec) const noexcept { modify(modification(IBV_QPS_RESET), ec); }
  /// Throws boost::system::system_error.
  void to_reset() const { modify(modification(IBV_QPS_RESET)); }

  /// ibv_modify_qp.
  void modify(ibv_qp_attr attributes, int mask, error_code& ec) const noexcept {
    detail::check(table_->modify_qp(handle_, &attributes, mask), ec);
  }
  /// Throws boost::system::system_error.
  void modify(const ibv_qp_attr& attributes, int mask) const {
    error_code ec;
    modify(attributes, mask, ec);
    detail::throw_error(ec, "ibv_modify_qp");
  }

  /// ibv_query_qp for the attributes in mask (IBV_QP_*). Slow: not for the data path.
  queue_pair_description query(int mask, error_code& ec) const noexcept {
    queue_pair_description result;
    detail::check(table_->query_qp(handle_, &result.attributes, mask, &result.init_attributes), ec);
    return result;
  }
  /// Throws boost::system::system_error.
  queue_pair_description query(int mask) const {
    error_code ec;
    const auto result = query(mask, ec);
    detail::throw_error(ec, "ibv_query_qp");
    return result;
  }

  /// The current state, asked of the device.
  ibv_qp_state state(error_code& ec) const noexcept { return query(IBV_QP_STATE, ec).attributes.qp_state; }
  /// Throws boost::system::system_error.
  ibv_qp_state state() const { return query(IBV_QP_STATE).attributes.qp_state; }

  /// Posts a list of sends, reads, writes, atomics and so on (ibv_post_send). Returns null, or the first request that
  /// was not posted, with the reason in ec: ENOMEM if the queue is full (or, on some devices, for too many
  /// scatter/gather entries or too much inline data), EINVAL for a bad request or state. Earlier ones were posted.
  ibv_send_wr* post_send(ibv_send_wr& list, error_code& ec) const noexcept {
    ibv_send_wr* bad = nullptr;
    return detail::check(ibv_post_send(handle_, &list, &bad), ec) ? nullptr : bad;
  }
  /// Throws boost::system::system_error.
  void post_send(ibv_send_wr& list) const {
    error_code ec;
    post_send(list, ec);
    detail::throw_error(ec, "ibv_post_send");
  }

  /// Posts a list of receives (ibv_post_recv); result and errors as post_send().
  ibv_recv_wr* post_receive(ibv_recv_wr& list, error_code& ec) const noexcept {
    ibv_recv_wr* bad = nullptr;
    return detail::check(ibv_post_recv(handle_, &list, &bad), ec) ? nullptr : bad;
  }
  /// Throws boost::system::system_error.
  void post_receive(ibv_recv_wr& list) const {
    error_code ec;
    post_receive(list, ec);
    detail::throw_error(ec, "ibv_post_recv");
  }

  /// UD: joins or leaves a multicast group (ibv_attach_mcast, ibv_detach_mcast). On InfiniBand the subnet manager has
  /// to know the group first: cm_id::join_multicast() does all of it.
  void attach_multicast(const ibv_gid& gid, std::uint16_t lid, error_code& ec) const noexcept {
    detail::check(table_->attach_mcast(handle_, &gid, lid), ec);
  }
  /// Throws boost::system::system_error.
  void attach_multicast(const ibv_gid& gid, std::uint16_t lid) const {
    error_code ec;
    attach_multicast(gid, lid, ec);
    detail::throw_error(ec, "ibv_attach_mcast");
  }
  /// Leaves it (ibv_detach_mcast).
  void detach_multicast(const ibv_gid& gid, std::uint16_t lid, error_code& ec) const noexcept {
    detail::check(table_->detach_mcast(handle_, &gid, lid), ec);
  }
  /// Throws boost::system::system_error.
  void detach_multicast(const ibv_gid& gid, std::uint16_t lid) const {
    error_code ec;
    detach_multicast(gid, lid, ec);
    detail::throw_error(ec, "ibv_detach_mcast");
  }

private:
  static qp_modification drain(bool notify) noexcept {
    qp_modification m = modification(IBV_QPS_SQD);
    m.attributes.en_sqd_async_notify = 1;
    if (notify) m.mask |= IBV_QP_EN_SQD_ASYNC_NOTIFY;
    return m;
  }
  void modify(const qp_modification& m, error_code& ec) const noexcept { modify(m.attributes, m.mask, ec); }
  void modify(const qp_modification& m) const { modify(m.attributes, m.mask); }
};

/// A queue pair (ibv_qp). It has to be destroyed before its completion queues, shared receive queue and protection
/// domain. Requests that it still owes are forgotten then: to be sure that a device no longer touches their memory, go
/// to_error() and wait for their completions first.
class queue_pair : public detail::owner<queue_pair_ref, &api::destroy_qp> {
public:
  /// None.
  queue_pair() noexcept = default;
  /// ibv_create_qp. Throws boost::system::system_error.
  queue_pair(ref<ibv_pd> domain, ibv_qp_init_attr& attributes) {
    error_code ec;
    *this = create(domain, attributes, ec);
    detail::throw_error(ec, "ibv_create_qp");
  }
  /// attributes.cap becomes what the device granted; inline data in particular is limited by that. EINVAL for more
  /// than the device can do, errc::memlock_limit where the queues' memory cannot be pinned.
  static queue_pair create(ref<ibv_pd> domain, ibv_qp_init_attr& attributes, error_code& ec) noexcept {
    const api& table = domain.table();
    ibv_qp* const pair = table.create_qp(domain.native_handle(), &attributes);
    ec = pair != nullptr ? error_code() : to_error_code(detail::memory_error(errno, 0));
    return queue_pair(queue_pair_ref(pair, table));
  }

private:
  explicit queue_pair(queue_pair_ref view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
