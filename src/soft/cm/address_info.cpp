// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/calls.hpp"
#include "soft/cm/manager.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

// Names to addresses: getaddrinfo(3) in the words of the connection manager. All that an answer consists of is from
// malloc(3), since programs change answers and have librdmacm free them.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

addrinfo to_system(const rdma_addrinfo& hints) noexcept {
  addrinfo result{};
  if ((hints.ai_flags & RAI_PASSIVE) != 0) result.ai_flags |= AI_PASSIVE;
  if ((hints.ai_flags & RAI_NUMERICHOST) != 0) result.ai_flags |= AI_NUMERICHOST;
  if ((hints.ai_flags & RAI_FAMILY) != 0) result.ai_family = hints.ai_family;
  const bool is_datagram = hints.ai_qp_type == IBV_QPT_UD || hints.ai_port_space == RDMA_PS_UDP;
  result.ai_socktype = is_datagram ? SOCK_DGRAM : SOCK_STREAM;
  result.ai_protocol = is_datagram ? IPPROTO_UDP : IPPROTO_TCP;
  return result;
}

bool copy(const sockaddr* from, socklen_t size, sockaddr*& to, socklen_t& to_size) noexcept {
  to = static_cast<sockaddr*>(std::malloc(size));
  if (to == nullptr) return false;
  std::memcpy(to, from, size);
  to_size = size;
  return true;
}

/// 0, or what getaddrinfo(3) returns.
int look_up(const char* node, const char* service, const rdma_addrinfo& hints, rdma_addrinfo& result) {
  const addrinfo wanted = to_system(hints);
  addrinfo* list = nullptr;
  if (const int e = ::getaddrinfo(node, service, &wanted, &list)) return e;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(list, &::freeaddrinfo);
  const bool is_passive = (wanted.ai_flags & AI_PASSIVE) != 0;
  const bool is_datagram = wanted.ai_socktype == SOCK_DGRAM;
  result.ai_flags = is_passive ? RAI_PASSIVE : 0;
  result.ai_family = list->ai_family;
  result.ai_qp_type = hints.ai_qp_type != 0 ? hints.ai_qp_type : is_datagram ? IBV_QPT_UD : IBV_QPT_RC;
  result.ai_port_space = hints.ai_port_space != 0 ? hints.ai_port_space : is_datagram ? RDMA_PS_UDP : RDMA_PS_TCP;
  const bool is_copied = is_passive
                             ? copy(list->ai_addr, list->ai_addrlen, result.ai_src_addr, result.ai_src_len)
                             : copy(list->ai_addr, list->ai_addrlen, result.ai_dst_addr, result.ai_dst_len);
  return is_copied ? 0 : EAI_MEMORY;
}

}  // namespace

int getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints, rdma_addrinfo** result) {
  if (node == nullptr && service == nullptr && hints == nullptr) return fail(EINVAL);
  auto* const made = static_cast<rdma_addrinfo*>(std::calloc(1, sizeof(rdma_addrinfo)));
  if (made == nullptr) return fail(ENOMEM);
  const rdma_addrinfo nothing{};
  const rdma_addrinfo& wanted = hints != nullptr ? *hints : nothing;
  int e = 0;
  if (node != nullptr || service != nullptr) {
    e = look_up(node, service, wanted, *made);
  } else {
    made->ai_flags = wanted.ai_flags;
    made->ai_family = wanted.ai_family;
    made->ai_qp_type = wanted.ai_qp_type;
    made->ai_port_space = wanted.ai_port_space;
    if (wanted.ai_dst_len != 0 && !copy(wanted.ai_dst_addr, wanted.ai_dst_len, made->ai_dst_addr, made->ai_dst_len)) {
      e = EAI_MEMORY;
    }
  }
  if (e == 0 && made->ai_src_len == 0 && wanted.ai_src_len != 0 &&
      !copy(wanted.ai_src_addr, wanted.ai_src_len, made->ai_src_addr, made->ai_src_len)) {
    e = EAI_MEMORY;
  }
  if (e != 0) {
    freeaddrinfo(made);
    return e;
  }
  *result = made;
  return 0;
}

void freeaddrinfo(rdma_addrinfo* list) {
  while (list != nullptr) {
    rdma_addrinfo* const next = list->ai_next;
    std::free(list->ai_connect);
    std::free(list->ai_route);
    std::free(list->ai_src_canonname);
    std::free(list->ai_dst_canonname);
    std::free(list->ai_src_addr);
    std::free(list->ai_dst_addr);
    std::free(list);
    list = next;
  }
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
