// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/tables.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cerrno>
#include <iterator>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

// In the order of ibv_wc_status.
constexpr error_entry entries[] = {
    {IBV_WC_SUCCESS, 0, no_condition, "success"},
    {IBV_WC_LOC_LEN_ERR, EMSGSIZE, no_condition,
     "local length error: a message was longer than the receive posted for it, or a send longer than the port's "
     "max_msg_sz; post larger receives or send less at a time"},
    {IBV_WC_LOC_QP_OP_ERR, EINVAL, no_condition,
     "local queue pair operation error: the work request was malformed, for example more scatter/gather entries or "
     "inline data than the queue pair was created with"},
    {IBV_WC_LOC_EEC_OP_ERR, EINVAL, no_condition, "local end-to-end context operation error (RD only)"},
    {IBV_WC_LOC_PROT_ERR, EFAULT, no_condition,
     "local protection error: a scatter/gather entry lies outside its memory region, its lkey is unknown, or the "
     "region "
     "belongs to another protection domain; register the memory, and keep it registered until the completion"},
    {IBV_WC_WR_FLUSH_ERR, ECANCELED, no_condition,
     "flushed: the queue pair was in the error state, because it is being closed or because an earlier request failed; "
     "look at the first failure of this connection"},
    {IBV_WC_MW_BIND_ERR, EACCES, no_condition,
     "memory window bind error: the region does not allow binding (IBV_ACCESS_MW_BIND) or the range lies outside it"},
    {IBV_WC_BAD_RESP_ERR, EPROTO, no_condition,
     "bad response: the peer's device answered with an unexpected packet; check firmware and driver versions"},
    {IBV_WC_LOC_ACCESS_ERR, EACCES, no_condition,
     "local access error: a peer's write with immediate met local memory that does not allow it; register with "
     "IBV_ACCESS_LOCAL_WRITE"},
    {IBV_WC_REM_INV_REQ_ERR, EMSGSIZE, no_condition,
     "remote invalid request: the peer's receive was too small for the message, the operation is not enabled on its "
     "queue pair (access flags), or the message was longer than 2^31 bytes"},
    {IBV_WC_REM_ACCESS_ERR, EACCES, no_condition,
     "remote access error: the rkey is wrong or no longer valid, the address range lies outside the peer's region, or "
     "the region does not allow this operation"},
    {IBV_WC_REM_OP_ERR, EREMOTEIO, no_condition,
     "remote operation error: the peer's device could not carry the operation out; look at the peer's completions"},
    {IBV_WC_RETRY_EXC_ERR, ETIMEDOUT, no_condition,
     "transport retry counter exceeded: the peer did not acknowledge. Its host or process is gone, packets are lost "
     "(flow control: PFC or ECN), the path MTU is larger than the network carries, the GID is of the wrong type or "
     "VLAN, "
     "or a firewall drops UDP port 4791 (RoCE v2)"},
    {IBV_WC_RNR_RETRY_EXC_ERR, ENOBUFS, no_condition,
     "receiver-not-ready retry counter exceeded: the peer had no receive posted for too long; post more receives, or "
     "raise rnr_retry (7 is forever) or the peer's min_rnr_timer"},
    {IBV_WC_LOC_RDD_VIOL_ERR, EINVAL, no_condition, "local reliable datagram domain violation (RD only)"},
    {IBV_WC_REM_INV_RD_REQ_ERR, EINVAL, no_condition, "remote invalid reliable datagram request (RD only)"},
    {IBV_WC_REM_ABORT_ERR, ECONNABORTED, no_condition,
     "remote aborted: the peer gave the operation up, because its queue pair was reset or in error"},
    {IBV_WC_INV_EECN_ERR, EINVAL, no_condition, "invalid end-to-end context number (RD only)"},
    {IBV_WC_INV_EEC_STATE_ERR, EINVAL, no_condition, "invalid end-to-end context state (RD only)"},
    {IBV_WC_FATAL_ERR, EIO, no_condition,
     "fatal error: the queue pair or the device failed; see the kernel log, and open the device again"},
    {IBV_WC_RESP_TIMEOUT_ERR, ETIMEDOUT, no_condition,
     "response timeout: the peer's device acknowledged a request and did not answer it in time"},
    {IBV_WC_GENERAL_ERR, EIO, no_condition,
     "general error: the device reports a failure that has no status of its own; the vendor error code says more"},
    {IBV_WC_TM_ERR, EIO, no_condition, "tag matching error: the list of tags is broken or full"},
    {IBV_WC_TM_RNDV_INCOMPLETE, EIO, no_condition,
     "tag matching rendezvous incomplete: the buffer was matched, its data has to be fetched by software"},
};

}  // namespace

const error_entry* find_completion_error(int status) noexcept {
  if (status < 0 || status >= static_cast<int>(std::size(entries))) return nullptr;
  return &entries[status];
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
