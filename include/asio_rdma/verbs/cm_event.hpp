// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_CM_EVENT_HPP
#define ASIO_RDMA_VERBS_CM_EVENT_HPP

#include <asio_rdma/detail/rdma_core.hpp>
#include <asio_rdma/verbs/detail/error.hpp>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// An event of the connection manager, copied, so that it could be acknowledged before anybody acts on it: destroying
/// an rdma_cm_id waits until all its events are acknowledged.
struct cm_event {
  /// What has happened.
  rdma_cm_event_type type = RDMA_CM_EVENT_ADDR_RESOLVED;
  /// 0, a negated errno, or for RDMA_CM_EVENT_REJECTED over InfiniBand and RoCE the reason (IBTA 12.6.7.2). error()
  /// makes sense of it.
  int status = 0;
  /// The id that the event is for; for RDMA_CM_EVENT_CONNECT_REQUEST a new one, which the receiver has to adopt().
  rdma_cm_id* id = nullptr;
  /// The listening id, for RDMA_CM_EVENT_CONNECT_REQUEST only.
  rdma_cm_id* listen_id = nullptr;
  /// What the peer gave to connect(), accept() or reject(). The transport may have padded it with zeros: the size is at
  /// least that of what was sent.
  std::array<unsigned char, 256> private_data = {};
  /// Bytes.
  std::uint8_t private_data_size = 0;
  /// CONNECT_REQUEST, ESTABLISHED, CONNECT_RESPONSE and REJECTED on connected ids. Its private_data is null.
  rdma_conn_param connection = {};
  /// The same on datagram ids, and MULTICAST_JOIN: address, queue pair number and key to send to. Its private_data is
  /// null.
  rdma_ud_param datagram = {};

  /// Why this event means failure; no error if it does not.
  error_code error() const noexcept {
    switch (type) {
      case RDMA_CM_EVENT_ADDR_ERROR:
      case RDMA_CM_EVENT_ROUTE_ERROR:
      case RDMA_CM_EVENT_CONNECT_ERROR:
      case RDMA_CM_EVENT_MULTICAST_ERROR:
        // A timeout here is that of the address or route query: the event says more than the number.
        if (status < 0 && status != -ETIMEDOUT) return to_error_code(core::error(-status));
        break;
      case RDMA_CM_EVENT_REJECTED:
        if (status > 0) return to_error_code(core::error(status, core::error_domain::cm_reject));
        if (status < 0) return to_error_code(core::error(-status));  // iWARP
        break;
      case RDMA_CM_EVENT_UNREACHABLE:
      case RDMA_CM_EVENT_DISCONNECTED:
      case RDMA_CM_EVENT_DEVICE_REMOVAL:
      case RDMA_CM_EVENT_ADDR_CHANGE:
        break;
      default:
        return status < 0 ? to_error_code(core::error(-status)) : error_code();
    }
    return to_error_code(core::error(static_cast<int>(type), core::error_domain::cm_event));
  }

  /// Copies an event that rdma_get_cm_event gave.
  static cm_event copy(const rdma_cm_event& event) noexcept {
    cm_event result;
    result.type = event.event;
    result.status = event.status;
    result.id = event.id;
    result.listen_id = event.listen_id;
    // The same test as librdmacm's, which fills one or the other member of the union.
    if (event.id != nullptr && event.id->qp_type == IBV_QPT_UD) {
      result.datagram = event.param.ud;
      result.copy_private_data(event.param.ud.private_data, event.param.ud.private_data_len);
      result.datagram.private_data = nullptr;
    } else {
      result.connection = event.param.conn;
      result.copy_private_data(event.param.conn.private_data, event.param.conn.private_data_len);
      result.connection.private_data = nullptr;
    }
    return result;
  }

private:
  void copy_private_data(const void* data, std::uint8_t size) noexcept {
    if (data == nullptr) return;
    private_data_size = size;
    std::memcpy(private_data.data(), data, size);
  }
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
