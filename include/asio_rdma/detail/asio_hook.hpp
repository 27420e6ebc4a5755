// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_ASIO_HOOK_HPP
#define ASIO_RDMA_DETAIL_ASIO_HOOK_HPP

// The one place that names parts of Asio that are not documented. Asio's I/O objects do their work through a service
// for each protocol, detail::reactive_socket_service<Protocol>; here it is specialised for ours. So rc::socket is
// basic_stream_socket<rc>, which range connect, accept(peer), Beast and others match by name. The functions that I/O
// objects call on it have been the same from Boost 1.74 to 1.90.

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/datagram_service.hpp>
#include <asio_rdma/detail/descriptor_wait.hpp>
#include <asio_rdma/detail/message_service.hpp>
#include <asio_rdma/detail/socket_service.hpp>
#include <asio_rdma/rc.hpp>
#include <asio_rdma/rc_seq_packet.hpp>
#include <asio_rdma/ud.hpp>

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_seq_packet_socket.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer_registration.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/version.hpp>

#if BOOST_VERSION < 108100
#error "asio_rdma needs Boost 1.81 to 1.90, and this is an older one: install a newer Boost and put it first in the \
include path (CMake: -DCMAKE_PREFIX_PATH=FOLDER or -DBoost_ROOT=FOLDER)"
#elif BOOST_VERSION >= 109100 && !defined(ASIO_RDMA_ALLOW_UNTESTED_BOOST)
#error "asio_rdma was tested with Boost 1.81 to 1.90, and this is a newer one: use one of those, look for a newer \
asio_rdma, or define ASIO_RDMA_ALLOW_UNTESTED_BOOST to try (what compiles works, as far as Asio's own tests show)"
#endif

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// A service as an execution context knows it: Key is the name by which it finds it.
template <class Key, class Service>
class hooked_service : public boost::asio::detail::execution_context_service_base<Key>, public Service {
public:
  explicit hooked_service(boost::asio::execution_context& context)
      : boost::asio::detail::execution_context_service_base<Key>(context) {
    // Services are told of a fork in the order in which they were made: the reactor has to leave the parent's epoll
    // before sockets leave the reactor.
    create_reactor(context);
  }

  using Service::shutdown;
  void shutdown() override { this->abandon(); }
  void notify_fork(boost::asio::execution_context::fork_event event) override {
    if (event == boost::asio::execution_context::fork_child && core::socket::is_lost()) this->lose_all();
  }
};

/// Asio's mark of registered memory, which only its own registrations can make. They are for io_uring, and an execution
/// context has one at most.
struct registered_mark : private boost::asio::detail::buffer_registration_base {
  static boost::asio::mutable_registered_buffer make(const boost::asio::mutable_buffer& b) noexcept {
    return make_buffer(b, nullptr, -1);
  }
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

namespace boost {
namespace asio {
namespace detail {

#if defined(BOOST_ASIO_HAS_IO_URING_AS_DEFAULT)
#define ASIO_RDMA_DETAIL_SERVICE io_uring_socket_service
#elif defined(BOOST_ASIO_HAS_IOCP)
#define ASIO_RDMA_DETAIL_SERVICE win_iocp_socket_service
#else
#define ASIO_RDMA_DETAIL_SERVICE reactive_socket_service
#endif

template <>
class ASIO_RDMA_DETAIL_SERVICE<asio_rdma::rc>
    : public asio_rdma::detail::hooked_service<ASIO_RDMA_DETAIL_SERVICE<asio_rdma::rc>,
                                               asio_rdma::detail::socket_service<asio_rdma::rc>> {
public:
  using hooked_service::hooked_service;
};

template <>
class ASIO_RDMA_DETAIL_SERVICE<asio_rdma::rc_seq_packet>
    : public asio_rdma::detail::hooked_service<ASIO_RDMA_DETAIL_SERVICE<asio_rdma::rc_seq_packet>,
                                               asio_rdma::detail::message_service<asio_rdma::rc_seq_packet>> {
public:
  using hooked_service::hooked_service;
};

template <>
class ASIO_RDMA_DETAIL_SERVICE<asio_rdma::ud>
    : public asio_rdma::detail::hooked_service<ASIO_RDMA_DETAIL_SERVICE<asio_rdma::ud>,
                                               asio_rdma::detail::datagram_service<asio_rdma::ud>> {
public:
  using hooked_service::hooked_service;
};

#undef ASIO_RDMA_DETAIL_SERVICE

}  // namespace detail
}  // namespace asio
}  // namespace boost

#endif
