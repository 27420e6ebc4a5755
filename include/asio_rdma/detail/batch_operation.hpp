// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_BATCH_OPERATION_HPP
#define ASIO_RDMA_DETAIL_BATCH_OPERATION_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/socket_base.hpp>
#include <boost/system/error_code.hpp>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Tries until it is done, and waits in between.
template <class Socket, class Attempt>
std::size_t run_batch(Socket& socket, Attempt attempt, boost::asio::socket_base::wait_type kind,
                      boost::system::error_code& ec) {
  if (!socket.is_open()) {
    ec = boost::asio::error::bad_descriptor;
    return 0;
  }
  core::socket s = socket.native_handle().get();
  for (;;) {
    const core::error e = attempt(s);
    ec = to_asio_error(e);
    if (e != core::error(EAGAIN) || socket.non_blocking()) return attempt.count();
    socket.wait(kind, ec);
    if (ec) return attempt.count();
  }
}

/// The same for async_compose.
template <class Socket, class Attempt>
class batch_operation {
public:
  batch_operation(Socket& socket, Attempt attempt, boost::asio::socket_base::wait_type kind)
      : socket_(&socket), attempt_(std::move(attempt)), kind_(kind) {}

  template <class Self>
  void operator()(Self& self, boost::system::error_code ec = {}) {
    if (is_decided_) return self.complete(result_, attempt_.count());
    if (ec) return self.complete(ec, attempt_.count());
    core::error e(EBADF);
    if (socket_->is_open()) {
      core::socket s = socket_->native_handle().get();
      e = attempt_(s);
    }
    if (e == core::error(EAGAIN)) {
      has_waited_ = true;
      return socket_->async_wait(kind_, std::move(self));
    }
    if (has_waited_) return self.complete(to_asio_error(e), attempt_.count());
    // The handler is not called by the initiating function.
    is_decided_ = true;
    result_ = to_asio_error(e);
    boost::asio::post(socket_->get_executor(), std::move(self));
  }

private:
  Socket* socket_;
  Attempt attempt_;
  boost::asio::socket_base::wait_type kind_;
  bool has_waited_ = false;
  bool is_decided_ = false;
  boost::system::error_code result_;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
