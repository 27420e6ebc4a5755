// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/parameters.hpp"

#include "soft/limits.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

/// Where rdma_cma.h has a value for "the most that the device can do".
bool take_depth(std::uint8_t wanted, std::uint8_t all, std::uint8_t& result) noexcept {
  if (wanted != all && wanted > max_rd_atomic) return false;
  result = wanted == all ? static_cast<std::uint8_t>(max_rd_atomic) : wanted;
  return true;
}

std::uint32_t random_psn() noexcept {
  std::uint32_t result = 0;
  (void)!::getrandom(&result, sizeof result, GRND_NONBLOCK);
  return result & 0xffffff;
}

}  // namespace

int make_message(identifier& i, message_type type, const rdma_conn_param* parameters, message& result) {
  rdma_conn_param p{};
  p.responder_resources = RDMA_MAX_RESP_RES;
  p.initiator_depth = RDMA_MAX_INIT_DEPTH;
  p.retry_count = p.rnr_retry_count = 7;
  if (parameters != nullptr) p = *parameters;
  if (p.private_data == nullptr) p.private_data_len = 0;

  message m;
  m.type = type;
  m.space = i.ps;
  if (p.private_data_len > private_data_limit(type, i.ps)) return EINVAL;
  m.private_size = p.private_data_len;
  if (p.private_data_len != 0) std::memcpy(m.private_data, p.private_data, p.private_data_len);
  if (i.ps == RDMA_PS_TCP && (!take_depth(p.responder_resources, RDMA_MAX_RESP_RES, m.responder_resources) ||
                              !take_depth(p.initiator_depth, RDMA_MAX_INIT_DEPTH, m.initiator_depth))) {
    return EINVAL;
  }
  m.flow_control = p.flow_control;
  m.retry_count = std::min<std::uint8_t>(p.retry_count, 7);
  m.rnr_retry_count = std::min<std::uint8_t>(p.rnr_retry_count, 7);
  m.psn = random_psn();
  m.qkey = i.ps == RDMA_PS_UDP ? RDMA_UDP_QKEY : 0;
  m.qp_num = p.qp_num & 0xffffff;
  m.srq = p.srq != 0;
  const std::lock_guard<std::mutex> qp_lock(i.qp_mutex);
  if (i.qp != nullptr) {
    m.qp_num = i.qp->qp_num;
    m.srq = i.qp->srq != nullptr;
  } else if (parameters == nullptr && i.ps == RDMA_PS_TCP) {
    return EINVAL;
  }
  result = m;
  return 0;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
