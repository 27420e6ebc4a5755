// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_RAW_ENDPOINT_HPP
#define ASIO_RDMA_DETAIL_RAW_ENDPOINT_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/core/raw.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/system_error.hpp>
#include <boost/throw_exception.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// An address of a link or a listener. Throws if it has none.
template <class Object, class Function>
boost::asio::ip::tcp::endpoint raw_endpoint_of(const Object& object, Function which) {
  sockaddr_storage address = {};
  boost::asio::ip::tcp::endpoint result;
  if (const core::error e = (object.*which)(address)) {
    boost::throw_exception(boost::system::system_error(to_asio_error(e), "raw_connection: endpoint"));
  }
  from_sockaddr(address, result);
  return result;
}

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
