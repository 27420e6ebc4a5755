// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_POST_ERROR_HPP
#define ASIO_RDMA_POST_ERROR_HPP

#include <boost/system/error_code.hpp>
#include <boost/system/system_error.hpp>

#include <cstddef>

namespace asio_rdma {
inline namespace v1 {

/// A list of requests of which not all could be posted.
class post_error : public boost::system::system_error {
public:
  /// Of a call that has posted that many requests.
  post_error(const boost::system::error_code& ec, const char* what, std::size_t posted)
      : system_error(ec, what), posted_(posted) {}
  /// How many were: the one of that index, counted from 0, is the bad one.
  std::size_t posted() const noexcept { return posted_; }

private:
  std::size_t posted_;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
