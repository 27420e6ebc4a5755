// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_CM_ID_HPP
#define ASIO_RDMA_VERBS_CM_ID_HPP

#include <asio_rdma/verbs/context.hpp>
#include <asio_rdma/verbs/detail/owner.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>

#include <endian.h>

#include <sys/socket.h>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A communication identifier of the connection manager that somebody else destroys, for example the listener's in an
/// event. Almost all calls only begin something; an event on the channel says how it ended. Thread-safe as
/// rdma_cm_id is: one thread at a time changes one id.
class cm_id_ref : public ref<rdma_cm_id> {
public:
  using ref<rdma_cm_id>::ref;

  /// The pointer given to create(); ids of connection requests start with their listener's.
  void* user_context() const noexcept { return handle_->context; }
  /// Sets it.
  void user_context(void* value) const noexcept { handle_->context = value; }

  /// The device, from the bind to a specific address or RDMA_CM_EVENT_ADDR_RESOLVED on; empty before, and where the
  /// device has vanished meanwhile.
  context_ref context() const noexcept { return context_ref(handle_->verbs, *table_); }
  /// The port of that device, counted from 1.
  std::uint8_t port() const noexcept { return handle_->port_num; }
  /// The queue pair made by create_queue_pair(); empty before.
  queue_pair_ref queue_pair() const noexcept { return queue_pair_ref(handle_->qp, *table_); }

  /// The addresses; family is 0 where there is none yet.
  const sockaddr& local_address() const noexcept { return handle_->route.addr.src_addr; }
  /// The peer's.
  const sockaddr& peer_address() const noexcept { return handle_->route.addr.dst_addr; }
  /// The port numbers, in host byte order; 0 where there is none.
  std::uint16_t source_port() const noexcept { return be16toh(table_->cm_get_src_port(handle_)); }
  /// The peer's.
  std::uint16_t destination_port() const noexcept { return be16toh(table_->cm_get_dst_port(handle_)); }

  /// rdma_bind_addr. EADDRINUSE; EADDRNOTAVAIL for an address that is not this host's; ENODEV for one that no RDMA
  /// device owns. Port 0 chooses one.
  void bind(const sockaddr* address, error_code& ec) const noexcept {
    detail::check(table_->cm_bind_addr(handle_, mutable_address(address)), ec);
  }
  /// Throws boost::system::system_error.
  void bind(const sockaddr* address) const {
    error_code ec;
    bind(address, ec);
    detail::throw_error(ec, "rdma_bind_addr");
  }

  /// rdma_resolve_addr: finds the local device and the peer's link address, and binds to them; source may be null.
  /// Ends with ADDR_RESOLVED or ADDR_ERROR; an address without a route fails either here or there.
  void resolve_address(const sockaddr* source, const sockaddr* destination, std::chrono::milliseconds timeout,
                       error_code& ec) const noexcept {
    detail::check(table_->cm_resolve_addr(handle_, mutable_address(source), mutable_address(destination),
                                          static_cast<int>(timeout.count())),
                  ec);
  }
  /// Throws boost::system::system_error.
  void resolve_address(const sockaddr* source, const sockaddr* destination, std::chrono::milliseconds timeout) const {
    error_code ec;
    resolve_address(source, destination, timeout, ec);
    detail::throw_error(ec, "rdma_resolve_addr");
  }

  /// rdma_resolve_route, after ADDR_RESOLVED. Ends with ROUTE_RESOLVED or ROUTE_ERROR. ENODEV for a loopback
  /// destination, which the kernel carries on no device.
  void resolve_route(std::chrono::milliseconds timeout, error_code& ec) const noexcept {
    detail::check(table_->cm_resolve_route(handle_, static_cast<int>(timeout.count())), ec);
  }
  /// Throws boost::system::system_error.
  void resolve_route(std::chrono::milliseconds timeout) const {
    error_code ec;
    resolve_route(timeout, ec);
    detail::throw_error(ec, "rdma_resolve_route");
  }

  /// Makes the queue pair of this id and brings it to INIT (rdma_create_qp); the connection manager makes its other
  /// transitions. attributes.cap becomes what the device granted. Errors as queue_pair::create().
  void create_queue_pair(ref<ibv_pd> domain, ibv_qp_init_attr& attributes, error_code& ec) const noexcept {
    if (table_->cm_create_qp(handle_, domain.native_handle(), &attributes) == 0)
      ec = error_code();
    else
      ec = to_error_code(detail::memory_error(errno, 0));
  }
  /// Throws boost::system::system_error.
  void create_queue_pair(ref<ibv_pd> domain, ibv_qp_init_attr& attributes) const {
    error_code ec;
    create_queue_pair(domain, attributes, ec);
    detail::throw_error(ec, "rdma_create_qp");
  }
  /// rdma_destroy_qp; nothing if there is none.
  void destroy_queue_pair() const noexcept {
    if (handle_->qp != nullptr) table_->cm_destroy_qp(handle_);
  }

  /// For queue pairs that were not made here: the attributes for going to attributes.qp_state, and their mask
  /// (rdma_init_qp_attr).
  void init_qp_attributes(qp_modification& modification, error_code& ec) const noexcept {
    detail::check(table_->cm_init_qp_attr(handle_, &modification.attributes, &modification.mask), ec);
  }
  /// Throws boost::system::system_error.
  void init_qp_attributes(qp_modification& modification) const {
    error_code ec;
    init_qp_attributes(modification, ec);
    detail::throw_error(ec, "rdma_init_qp_attr");
  }

  /// rdma_listen. Requests come as CONNECT_REQUEST events that carry a new id each; backlog of them may wait
  /// unanswered.
  void listen(int backlog, error_code& ec) const noexcept { detail::check(table_->cm_listen(handle_, backlog), ec); }
  /// Throws boost::system::system_error.
  void listen(int backlog) const {
    error_code ec;
    listen(backlog, ec);
    detail::throw_error(ec, "rdma_listen");
  }

  /// rdma_connect, after ROUTE_RESOLVED. Ends with ESTABLISHED (CONNECT_RESPONSE without a queue pair of its own),
  /// REJECTED, UNREACHABLE or CONNECT_ERROR. At most 56 bytes of private data on RDMA_PS_TCP, 180 on RDMA_PS_UDP.
  void connect(rdma_conn_param parameters, error_code& ec) const noexcept {
    detail::check(table_->cm_connect(handle_, &parameters), ec);
  }
  /// Throws boost::system::system_error.
  void connect(const rdma_conn_param& parameters) const {
    error_code ec;
    connect(parameters, ec);
    detail::throw_error(ec, "rdma_connect");
  }

  /// Ends a connect() that answered CONNECT_RESPONSE (rdma_establish).
  void establish(error_code& ec) const noexcept { detail::check(table_->cm_establish(handle_), ec); }
  /// Throws boost::system::system_error.
  void establish() const {
    error_code ec;
    establish(ec);
    detail::throw_error(ec, "rdma_establish");
  }

  /// rdma_accept, on the id of a CONNECT_REQUEST. Ends with ESTABLISHED. At most 196 bytes of private data.
  void accept(rdma_conn_param parameters, error_code& ec) const noexcept {
    detail::check(table_->cm_accept(handle_, &parameters), ec);
  }
  /// Throws boost::system::system_error.
  void accept(const rdma_conn_param& parameters) const {
    error_code ec;
    accept(parameters, ec);
    detail::throw_error(ec, "rdma_accept");
  }

  /// rdma_reject, on the id of a CONNECT_REQUEST: the peer gets REJECTED with reason 28 and the private data, at most
  /// 148 bytes.
  void reject(const void* private_data, std::uint8_t size, error_code& ec) const noexcept {
    detail::check(table_->cm_reject(handle_, private_data, size), ec);
  }
  /// Throws boost::system::system_error.
  void reject(const void* private_data = nullptr, std::uint8_t size = 0) const {
    error_code ec;
    reject(private_data, size, ec);
    detail::throw_error(ec, "rdma_reject");
  }

  /// Tells the connection manager of an event of the queue pair, such as IBV_EVENT_COMM_EST (rdma_notify).
  void notify(ibv_event_type event, error_code& ec) const noexcept {
    detail::check(table_->cm_notify(handle_, event), ec);
  }
  /// Throws boost::system::system_error.
  void notify(ibv_event_type event) const {
    error_code ec;
    notify(event, ec);
    detail::throw_error(ec, "rdma_notify");
  }

  /// rdma_disconnect. The peer gets DISCONNECTED and should disconnect() too; only when it has, or after a timeout of
  /// the connection manager's, does this side get DISCONNECTED. Both queue pairs should go to ERR; on rxe of Linux 6.1
  /// that flushes nothing: make it sure with to_error().
  void disconnect(error_code& ec) const noexcept { detail::check(table_->cm_disconnect(handle_), ec); }
  /// Throws boost::system::system_error.
  void disconnect() const {
    error_code ec;
    disconnect(ec);
    detail::throw_error(ec, "rdma_disconnect");
  }

  /// rdma_set_option with a value of the type that the option has.
  template <class T>
  void set_option(int level, int name, T value, error_code& ec) const noexcept {
    detail::check(table_->cm_set_option(handle_, level, name, &value, sizeof value), ec);
  }
  /// Throws boost::system::system_error.
  template <class T>
  void set_option(int level, int name, T value) const {
    error_code ec;
    set_option(level, name, value, ec);
    detail::throw_error(ec, "rdma_set_option");
  }

  /// Lets bind() take an address that a closed connection still lingers on. Before bind().
  void reuse_address(bool on, error_code& ec) const noexcept {
    set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, int{on}, ec);
  }
  /// Throws boost::system::system_error.
  void reuse_address(bool on) const { set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_REUSEADDR, int{on}); }

  /// Keeps a listener on the IPv6 wildcard from IPv4 peers. Before bind().
  void v6_only(bool on, error_code& ec) const noexcept {
    set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, int{on}, ec);
  }
  /// Throws boost::system::system_error.
  void v6_only(bool on) const { set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_AFONLY, int{on}); }

  /// How long the queue pair waits for an acknowledgement: 4.096 us * 2^exponent, 0..31. Before connect() or accept().
  void ack_timeout(std::uint8_t exponent, error_code& ec) const noexcept {
    set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, exponent, ec);
  }
  /// Throws boost::system::system_error.
  void ack_timeout(std::uint8_t exponent) const { set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, exponent); }

  /// The type of service of its packets: DSCP in the upper six bits. Before resolve_route().
  void type_of_service(std::uint8_t value, error_code& ec) const noexcept {
    set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, value, ec);
  }
  /// Throws boost::system::system_error.
  void type_of_service(std::uint8_t value) const { set_option(RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, value); }

  /// Moves the id, with the events it has waiting, to another channel (rdma_migrate_id). Waits until events that were
  /// taken from the old one are acknowledged.
  void migrate(ref<rdma_event_channel> channel, error_code& ec) const noexcept {
    detail::check(table_->cm_migrate_id(handle_, channel.native_handle()), ec);
  }
  /// Throws boost::system::system_error.
  void migrate(ref<rdma_event_channel> channel) const {
    error_code ec;
    migrate(channel, ec);
    detail::throw_error(ec, "rdma_migrate_id");
  }

  /// Joins a multicast group (rdma_join_multicast), on a bound id with a UD queue pair. Ends with MULTICAST_JOIN, whose
  /// datagram member says where to send to, or MULTICAST_ERROR.
  void join_multicast(const sockaddr* address, void* join_context, error_code& ec) const noexcept {
    detail::check(table_->cm_join_multicast(handle_, mutable_address(address), join_context), ec);
  }
  /// Throws boost::system::system_error.
  void join_multicast(const sockaddr* address, void* join_context = nullptr) const {
    error_code ec;
    join_multicast(address, join_context, ec);
    detail::throw_error(ec, "rdma_join_multicast");
  }
  /// As above with flags: RDMA_MC_JOIN_FLAG_FULLMEMBER, or RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER.
  void join_multicast(const sockaddr* address, rdma_cm_mc_join_flags flags, void* join_context,
                      error_code& ec) const noexcept {
    rdma_cm_join_mc_attr_ex attributes{};
    attributes.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
    attributes.join_flags = flags;
    attributes.addr = mutable_address(address);
    detail::check(table_->cm_join_multicast_ex(handle_, &attributes, join_context), ec);
  }
  /// Throws boost::system::system_error.
  void join_multicast(const sockaddr* address, rdma_cm_mc_join_flags flags, void* join_context = nullptr) const {
    error_code ec;
    join_multicast(address, flags, join_context, ec);
    detail::throw_error(ec, "rdma_join_multicast_ex");
  }

  /// rdma_leave_multicast.
  void leave_multicast(const sockaddr* address, error_code& ec) const noexcept {
    detail::check(table_->cm_leave_multicast(handle_, mutable_address(address)), ec);
  }
  /// Throws boost::system::system_error.
  void leave_multicast(const sockaddr* address) const {
    error_code ec;
    leave_multicast(address, ec);
    detail::throw_error(ec, "rdma_leave_multicast");
  }

protected:
  /// The id cannot be destroyed before its queue pair.
  void before_destroy() noexcept { destroy_queue_pair(); }

private:
  /// librdmacm takes addresses as non-const, and changes none.
  static sockaddr* mutable_address(const sockaddr* address) noexcept { return const_cast<sockaddr*>(address); }
};

/// A communication identifier (rdma_cm_id) together with its queue pair, if one was made. Destroying waits until events
/// taken from its channel are acknowledged, which event_channel::get_event() has always done.
class cm_id : public detail::owner<cm_id_ref, &api::cm_destroy_id> {
public:
  /// None.
  cm_id() noexcept = default;
  /// rdma_create_id. Throws boost::system::system_error.
  explicit cm_id(ref<rdma_event_channel> channel, rdma_port_space space = RDMA_PS_TCP, void* user_context = nullptr) {
    error_code ec;
    *this = create(channel, space, user_context, ec);
    detail::throw_error(ec, "rdma_create_id");
  }
  /// rdma_create_id. ENOMEM.
  static cm_id create(ref<rdma_event_channel> channel, rdma_port_space space, void* user_context,
                      error_code& ec) noexcept {
    const api& table = channel.table();
    rdma_cm_id* id = nullptr;
    detail::check(table.cm_create_id(channel.native_handle(), &id, user_context, space), ec);
    return cm_id(cm_id_ref(ec ? nullptr : id, table));
  }

  /// Takes over the id of a connection request (cm_event::id), or any other.
  static cm_id adopt(rdma_cm_id* id, const api& table = rdma_core()) noexcept { return cm_id(cm_id_ref(id, table)); }

private:
  explicit cm_id(cm_id_ref view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
