// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_QUEUE_PAIR_ATTRIBUTES_HPP
#define ASIO_RDMA_VERBS_QUEUE_PAIR_ATTRIBUTES_HPP

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <optional>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

// What each transition of a queue pair takes, for RC, UC and UD alike: a member that its kind of queue pair has no use
// for is left out. Members without a default have to be set; optional ones are left as they are unless set. The
// connection manager makes these transitions by itself; its values may differ.

/// A second path that the queue pair migrates to when the first fails (RC and UC over InfiniBand).
struct alternate_path {
  ibv_ah_attr path = {};         ///< as rtr_attributes::path
  std::uint8_t port = 1;         ///< of the device, counted from 1
  std::uint16_t pkey_index = 0;  ///< as init_attributes::pkey_index, of that port
  /// As rts_attributes::timeout.
  std::uint8_t timeout = 14;
};

/// RESET to INIT. Receives can be posted from here on.
struct init_attributes {
  /// Port of the device, counted from 1.
  std::uint8_t port = 1;
  /// Index into the port's table of partition keys. Index 0 holds the default partition unless an administrator
  /// changed it.
  std::uint16_t pkey_index = 0;
  /// RC, UC: what the peer may do (IBV_ACCESS_REMOTE_WRITE, _READ, _ATOMIC; READ and ATOMIC on RC only).
  unsigned access = 0;
  /// UD: datagrams with another key are dropped. The default is the one of the connection manager (RDMA_UDP_QKEY).
  std::uint32_t qkey = 0x01234567;
};

/// INIT to RTR, ready to receive. UD uses none of these but pkey_index.
struct rtr_attributes {
  /// The peer's address: port_num, sl, and dlid (InfiniBand), or is_global and grh with dgid and sgid_index (RoCE).
  ibv_ah_attr path = {};
  /// At most the active MTU of both ports. 1024 is what a standard Ethernet of 1500 bytes carries.
  ibv_mtu path_mtu = IBV_MTU_1024;
  /// The peer's queue pair number.
  std::uint32_t destination_qp = 0;
  /// Packet sequence number of the first packet to come, 24 bits: the peer's rts_attributes::send_psn.
  std::uint32_t receive_psn = 0;
  /// RC: RDMA reads and atomics of the peer at a time; at most the device's max_qp_rd_atom.
  std::uint8_t responder_resources = 1;
  /// RC: how long a peer is told to wait when no receive is posted, 0..31. 12 is 0.64 ms; 0 is the longest, 655 ms.
  std::uint8_t min_rnr_timer = 12;
  std::optional<unsigned> access = std::nullopt;           ///< RC, UC; as init_attributes::access
  std::optional<std::uint16_t> pkey_index = std::nullopt;  ///< as init_attributes::pkey_index
  std::optional<alternate_path> alternate = std::nullopt;  ///< RC, UC
};

/// RTR to RTS, ready to send.
struct rts_attributes {
  /// RC: how long to wait for an acknowledgement: 4.096 us * 2^timeout, 0..31, 0 is forever. 14 is 67 ms.
  std::uint8_t timeout = 14;
  /// RC: how often to send again without an answer, 0..7.
  std::uint8_t retry_count = 7;
  /// RC: how often to send again when the peer had no receive posted, 0..7; 7 is forever.
  std::uint8_t rnr_retry = 7;
  /// Packet sequence number of the first packet to go, 24 bits: the peer's rtr_attributes::receive_psn.
  std::uint32_t send_psn = 0;
  /// RC: own RDMA reads and atomics at a time; at most the peer's responder_resources and the device's
  /// max_qp_init_rd_atom.
  std::uint8_t initiator_depth = 1;
  std::optional<unsigned> access = std::nullopt;             ///< RC, UC
  std::optional<std::uint8_t> min_rnr_timer = std::nullopt;  ///< RC
  std::optional<std::uint32_t> qkey = std::nullopt;          ///< UD
  std::optional<alternate_path> alternate = std::nullopt;    ///< RC, UC
  std::optional<ibv_mig_state> migration = std::nullopt;     ///< RC, UC
  std::optional<ibv_qp_state> assumed_state = std::nullopt;  ///< current state to assume
};

/// SQD or SQE back to RTS; the optional members as in rts_attributes.
struct resume_attributes {
  /// @name As in rts_attributes
  /// @{

  /// As the member of that name.
  std::optional<unsigned> access = std::nullopt;
  std::optional<std::uint8_t> min_rnr_timer = std::nullopt;
  std::optional<std::uint32_t> qkey = std::nullopt;
  std::optional<alternate_path> alternate = std::nullopt;
  std::optional<ibv_mig_state> migration = std::nullopt;
  std::optional<ibv_qp_state> assumed_state = std::nullopt;
  /// @}
};

/// An ibv_qp_attr together with the mask of what is set in it: what ibv_modify_qp takes.
struct qp_modification {
  ibv_qp_attr attributes = {};  ///< with the members that the mask names
  int mask = 0;                 ///< IBV_QP_*
};

namespace detail {

inline bool connected(ibv_qp_type type) noexcept {
  return type == IBV_QPT_RC || type == IBV_QPT_UC;
}

inline void set_alternate(qp_modification& m, const alternate_path& alternate) noexcept {
  m.attributes.alt_ah_attr = alternate.path;
  m.attributes.alt_port_num = alternate.port;
  m.attributes.alt_pkey_index = alternate.pkey_index;
  m.attributes.alt_timeout = alternate.timeout;
  m.mask |= IBV_QP_ALT_PATH;
}

template <class Optional, class Field>
void set_optional(qp_modification& m, const Optional& value, Field& field, int mask) noexcept {
  if (!value) return;
  field = static_cast<Field>(*value);
  m.mask |= mask;
}

template <class Attributes>
void set_optional_rts(qp_modification& m, const Attributes& a) noexcept {
  set_optional(m, a.access, m.attributes.qp_access_flags, IBV_QP_ACCESS_FLAGS);
  set_optional(m, a.min_rnr_timer, m.attributes.min_rnr_timer, IBV_QP_MIN_RNR_TIMER);
  set_optional(m, a.qkey, m.attributes.qkey, IBV_QP_QKEY);
  set_optional(m, a.migration, m.attributes.path_mig_state, IBV_QP_PATH_MIG_STATE);
  set_optional(m, a.assumed_state, m.attributes.cur_qp_state, IBV_QP_CUR_STATE);
  if (a.alternate) set_alternate(m, *a.alternate);
}

}  // namespace detail

/// A change of state alone.
inline qp_modification modification(ibv_qp_state state) noexcept {
  qp_modification m;
  m.attributes.qp_state = state;
  m.mask = IBV_QP_STATE;
  return m;
}

/// RESET to INIT.
inline qp_modification modification(ibv_qp_type type, const init_attributes& a) noexcept {
  qp_modification m = modification(IBV_QPS_INIT);
  m.attributes.port_num = a.port;
  m.attributes.pkey_index = a.pkey_index;
  m.mask |= IBV_QP_PORT | IBV_QP_PKEY_INDEX;
  if (detail::connected(type)) {
    m.attributes.qp_access_flags = a.access;
    m.mask |= IBV_QP_ACCESS_FLAGS;
  } else {
    m.attributes.qkey = a.qkey;
    m.mask |= IBV_QP_QKEY;
  }
  return m;
}

/// INIT to RTR.
inline qp_modification modification(ibv_qp_type type, const rtr_attributes& a) noexcept {
  qp_modification m = modification(IBV_QPS_RTR);
  detail::set_optional(m, a.pkey_index, m.attributes.pkey_index, IBV_QP_PKEY_INDEX);
  if (!detail::connected(type)) return m;
  m.attributes.ah_attr = a.path;
  m.attributes.path_mtu = a.path_mtu;
  m.attributes.dest_qp_num = a.destination_qp;
  m.attributes.rq_psn = a.receive_psn;
  m.mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
  detail::set_optional(m, a.access, m.attributes.qp_access_flags, IBV_QP_ACCESS_FLAGS);
  if (a.alternate) detail::set_alternate(m, *a.alternate);
  if (type != IBV_QPT_RC) return m;
  m.attributes.max_dest_rd_atomic = a.responder_resources;
  m.attributes.min_rnr_timer = a.min_rnr_timer;
  m.mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  return m;
}

/// RTR to RTS.
inline qp_modification modification(ibv_qp_type type, const rts_attributes& a) noexcept {
  qp_modification m = modification(IBV_QPS_RTS);
  m.attributes.sq_psn = a.send_psn;
  m.mask |= IBV_QP_SQ_PSN;
  detail::set_optional_rts(m, a);
  if (type != IBV_QPT_RC) return m;
  m.attributes.timeout = a.timeout;
  m.attributes.retry_cnt = a.retry_count;
  m.attributes.rnr_retry = a.rnr_retry;
  m.attributes.max_rd_atomic = a.initiator_depth;
  m.mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
  return m;
}

/// SQD or SQE back to RTS.
inline qp_modification modification(const resume_attributes& a) noexcept {
  qp_modification m = modification(IBV_QPS_RTS);
  detail::set_optional_rts(m, a);
  return m;
}

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
