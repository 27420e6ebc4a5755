// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ENDPOINT_CONVERSION_HPP
#define ASIO_RDMA_DETAIL_ENDPOINT_CONVERSION_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cstddef>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

template <class Endpoint>
void from_sockaddr(const sockaddr_storage& address, Endpoint& result) {
  const std::size_t size = address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  std::memcpy(result.data(), &address, size);
  result.resize(size);
}

template <class Endpoint>
core::error get_local_endpoint(const core::socket& s, Endpoint& result) {
  sockaddr_storage address = {};
  const core::error e = s.local_address(address);
  if (!e) from_sockaddr(address, result);
  return e;
}

template <class Endpoint>
core::error get_remote_endpoint(const core::socket& s, Endpoint& result) {
  sockaddr_storage address = {};
  const core::error e = s.remote_address(address);
  if (!e) from_sockaddr(address, result);
  return e;
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
