// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/message.hpp"

#include <algorithm>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

constexpr std::size_t fixed_size = offsetof(message, private_data);

bool is_address(const wire_address& a) noexcept {
  return (a.family == 4 || a.family == 6) && a.port != 0;
}

}  // namespace

std::size_t size_of(const message& m) noexcept {
  return fixed_size + m.private_size;
}

bool decode(const unsigned char* data, std::size_t size, message& result) noexcept {
  if (size < fixed_size || size > sizeof(message)) return false;
  message m;
  std::memcpy(&m, data, size);
  if (m.type < message_type::request || m.type > message_type::disconnected) return false;
  if (m.space != RDMA_PS_TCP && m.space != RDMA_PS_UDP) return false;
  const auto space = static_cast<rdma_port_space>(m.space);
  if (m.private_size > private_data_limit(m.type, space) || size_of(m) != size) return false;
  if (m.from == 0 || m.to == 0 || m.qp_num > 0xffffff || m.psn > 0xffffff) return false;
  if (m.type == message_type::request &&
      (!is_address(m.source) || !is_address(m.destination) || m.source.family != m.destination.family)) {
    return false;
  }
  m.retry_count = std::min<std::uint8_t>(m.retry_count, 7);
  m.rnr_retry_count = std::min<std::uint8_t>(m.rnr_retry_count, 7);
  result = m;
  return true;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
