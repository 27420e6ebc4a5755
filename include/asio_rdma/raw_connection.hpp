// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_RAW_CONNECTION_HPP
#define ASIO_RDMA_RAW_CONNECTION_HPP

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/detail/raw_attempts.hpp>
#include <asio_rdma/detail/raw_data_path.hpp>
#include <asio_rdma/detail/raw_endpoint.hpp>
#include <asio_rdma/detail/raw_state.hpp>
#include <asio_rdma/raw_options.hpp>
#include <asio_rdma/registered_memory.hpp>
#include <asio_rdma/verbs/completion_queue.hpp>
#include <asio_rdma/verbs/context.hpp>
#include <asio_rdma/verbs/queue_pair.hpp>
#include <asio_rdma/work_completion.hpp>
#include <asio_rdma/work_request.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/ip/basic_endpoint.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>

#include <poll.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

class polling_service;
template <class Executor = boost::asio::any_io_executor>
class basic_raw_connection;

/// A queue pair that is connected with another, for programs that want what the card gives: they register memory, post
/// requests, and poll for completions. There is no framing, no flow control, no copy and no thread in between;
/// post_send() is ibv_post_send(), poll() is ibv_poll_cq(). doc/raw.md is a tutorial.
///
/// It is made in two steps, so that memory can be registered and offered, and receives be posted, before the peer can
/// send: open(), or raw_acceptor::accept_request(), makes the queues; establish() connects. connect() and
/// raw_acceptor::accept() do both.
///
/// Asynchronous transfers are one request each, which is posted at once; if the queue is full they fail. Handlers get
/// the error_code and the work_completion. Buffers must stay until the handler is called. Completions are taken over
/// the completion channel, or by a polling_service that the connection was given to, on whatever thread runs the
/// execution context; poll() and async_poll() give those of requests that were posted by post_send() and post_receive()
/// only. A request that was posted is the card's, and cannot be taken back: cancelling partially or totally has no
/// effect. Terminal cancellation ends the connection, since there is no other way: all its requests are flushed, and
/// the handler is called, with operation_aborted, when this one was. What is to be given up without harm is
/// async_poll().
///
/// In a build without NDEBUG, or with ASIO_RDMA_CHECKED, every request is checked before it is posted: errc::misuse
/// says what is wrong. Otherwise nothing is checked, by us, that the device does not check.
///
/// @par Thread Safety
/// Distinct objects: safe. Shared objects: unsafe.
template <class Executor>
class basic_raw_connection : public detail::raw_data_path {
public:
  /// What runs the handlers that have no executor of their own.
  using executor_type = Executor;
  /// Addresses are TCP's.
  using endpoint_type = boost::asio::ip::tcp::endpoint;

  /// Not open yet.
  explicit basic_raw_connection(const Executor& ex) : executor_(ex) {}
  /// Not open yet.
  template <class ExecutionContext,
            class = std::enable_if_t<std::is_convertible_v<ExecutionContext&, boost::asio::execution_context&>>>
  explicit basic_raw_connection(ExecutionContext& context) : executor_(context.get_executor()) {}

  /// Takes a connection over; other is closed then. Not while an asynchronous set-up is under way.
  basic_raw_connection(basic_raw_connection&& other) noexcept : executor_(other.executor_) { take(other); }
  /// The same, after close().
  basic_raw_connection& operator=(basic_raw_connection&& other) noexcept {
    if (this != &other) {
      close();
      executor_ = other.executor_;
      take(other);
    }
    return *this;
  }
  /// As close().
  ~basic_raw_connection() { close(); }

  /// That of its handlers.
  executor_type get_executor() const noexcept { return executor_; }

  // ---- Set-up

  /// Finds the way to an address, chooses the device, and makes the queues. Blocks for options.setup_timeout at most.
  /// Errors: host_unreachable, timed_out, errc::no_device, errc::foreign_address and errc::other_host as for sockets,
  /// errc::device_limit and errc::memlock_limit for queues that the device or the process cannot have, invalid_argument
  /// for an option out of range. What the peer says comes from this or from establish(): connection_refused,
  /// errc::mode_mismatch if it is of another kind, errc::not_asio_rdma if it is none of this library's.
  void open(const endpoint_type& peer, const raw_options& options, error_code& ec) {
    start_open(peer, options, ec);
    if (!ec) finish(&core::raw_link::prepared, ec);
  }
  /// Throws boost::system::system_error.
  void open(const endpoint_type& peer, const raw_options& options = {}) {
    error_code ec;
    open(peer, options, ec);
    throw_error(ec, "raw_connection: open");
  }

  /// Tells the peer of a piece of memory, when the connection is established: it is the peer's remote_memory() then.
  /// The memory has to be registered for what the peer shall do with it. Before establish().
  void offer(const remote_memory& memory, error_code& ec) noexcept {
    ec = detail::to_asio_error(link().offer({memory.address, memory.length, memory.key}));
  }
  /// Throws boost::system::system_error.
  void offer(const remote_memory& memory) {
    error_code ec;
    offer(memory, ec);
    throw_error(ec, "raw_connection: offer");
  }

  /// Connects with the peer, or accepts it. Afterwards both ends know what the other has offered. Blocks for
  /// options.setup_timeout at most. An end whose establish() has returned may send: post your receives before. Errors:
  /// timed_out, bad_descriptor before open(), and what the peer says, as with open().
  void establish(error_code& ec) {
    ec = detail::to_asio_error(link().establish());
    if (!ec) finish(&core::raw_link::established, ec);
  }
  /// Throws boost::system::system_error.
  void establish() {
    error_code ec;
    establish(ec);
    throw_error(ec, "raw_connection: establish");
  }

  /// open(), then establish().
  void connect(const endpoint_type& peer, const raw_options& options, error_code& ec) {
    open(peer, options, ec);
    if (!ec) establish(ec);
  }
  /// Throws boost::system::system_error.
  void connect(const endpoint_type& peer, const raw_options& options = {}) {
    error_code ec;
    connect(peer, options, ec);
    throw_error(ec, "raw_connection: connect");
  }

  // The same asynchronously.

  /// As open(). Completion signature void(error_code). The connection must not be moved meanwhile. Cancelling, in any
  /// way, gives the set-up up: the connection is closed then.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_open(const endpoint_type& peer, const raw_options& options, Token&& token = Token()) {
    return boost::asio::async_initiate<Token, void(error_code)>(
        [this](auto&& handler, const endpoint_type& to, const raw_options& o) {
          const core::error e = begin_open(to, o);
          start_setup(std::move(handler), detail::setup_attempt(&core::raw_link::prepared, e));
        },
        token, peer, options);
  }

  /// As establish(), and otherwise as async_open(). Completion signature void(error_code).
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_establish(Token&& token = Token()) {
    return boost::asio::async_initiate<Token, void(error_code)>(
        [this](auto&& handler) {
          const core::error e = link().establish();
          start_setup(std::move(handler), detail::setup_attempt(&core::raw_link::established, e));
        },
        token);
  }

  /// As connect(), and otherwise as async_open(). Completion signature void(error_code).
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_connect(const endpoint_type& peer, const raw_options& options, Token&& token = Token()) {
    return boost::asio::async_compose<Token, void(error_code)>(
        [this, peer, options, step = 0](auto& self, const error_code& ec = {}) mutable {
          if (ec || step == 2) return self.complete(ec);
          if (step++ == 0) {
            const auto [to, how] = std::make_pair(peer, options);  // self, which has them, moves
            return this->async_open(to, how, std::move(self));
          }
          this->async_establish(std::move(self));
        },
        token, executor_);
  }

  /// True from open() or accept_request() to close(); after a set-up that failed it is false.
  bool is_open() const noexcept { return state_ && !has_failed(); }

  /// Destroys everything at once. Requests that have not completed are forgotten, data that was posted may be lost:
  /// take the completions first. The device touches no memory any more when it returns. Asynchronous operations end
  /// with operation_aborted, after that.
  void close() noexcept {
    objects_ = {};
    queue_pair_ = nullptr;
    completions_ = nullptr;
    is_slow_ = true;
    if (const auto state = std::move(state_)) state->close();
  }

  /// Makes the device give back every request: those that it has not done complete with an error (IBV_WC_WR_FLUSH_ERR).
  /// The connection ends.
  void flush(error_code& ec) noexcept { ec = detail::to_asio_error(link().flush()); }
  /// Throws boost::system::system_error.
  void flush() {
    error_code ec;
    flush(ec);
    throw_error(ec, "raw_connection: flush");
  }

  /// Why an established connection has ended, as far as somebody has said so: connection_reset when the peer closed it,
  /// or is gone. All its requests are flushed then.
  error_code ended() noexcept { return detail::to_asio_error(link().ended()); }

  /// This end's address and port. Throws boost::system::system_error before open().
  endpoint_type local_endpoint() const { return endpoint(&core::raw_link::local_address); }
  /// The peer's. Throws boost::system::system_error before open().
  endpoint_type remote_endpoint() const { return endpoint(&core::raw_link::remote_address); }

  /// What the queues were granted; from establish() on, what the path has, too.
  raw_limits limits() const noexcept { return link().limits(); }
  /// What the peer has offered; nothing before establish().
  remote_memory peer_memory() const noexcept {
    const core::raw_memory m = link().remote_memory();
    return remote_memory(m.address, m.length, m.key);
  }
  /// Datagrams: where the peer is.
  datagram_address peer() const noexcept {
    const core::raw_address a = link().remote_queue();
    return {a.handle, a.queue_pair, a.qkey};
  }

  // ---- Memory. From open() or accept_request() on.

  /// Zeroed memory of the library's: size is bytes, 1 or more. Errors: errc::memlock_limit if the process may not pin
  /// that much, not_enough_memory, bad_descriptor for a connection that is not open, invalid_argument for no bytes.
  registered_memory register_memory(std::size_t size, memory_access access, error_code& ec) {
    return create_region({core::raw_memory_source::own, nullptr, size, static_cast<int>(access)}, ec);
  }
  /// Throws boost::system::system_error.
  registered_memory register_memory(std::size_t size, memory_access access = memory_access::all) {
    error_code ec;
    registered_memory result = register_memory(size, access, ec);
    throw_error(ec, "raw_connection: register_memory");
    return result;
  }
  /// The same on huge pages of the system's default size, which the device finds its way in faster; size is rounded up
  /// to whole ones. errc::option_refused if the system has none to give; its text says how it gets some.
  registered_memory register_huge_pages(std::size_t size, memory_access access, error_code& ec) {
    return create_region({core::raw_memory_source::huge_pages, nullptr, size, static_cast<int>(access)}, ec);
  }
  /// Throws boost::system::system_error.
  registered_memory register_huge_pages(std::size_t size, memory_access access = memory_access::all) {
    error_code ec;
    registered_memory result = register_huge_pages(size, access, ec);
    throw_error(ec, "raw_connection: register_huge_pages");
    return result;
  }
  /// The caller's own memory, which has to outlive the result.
  registered_memory register_memory(void* data, std::size_t size, memory_access access, error_code& ec) {
    return create_region({core::raw_memory_source::callers, data, size, static_cast<int>(access)}, ec);
  }
  /// Throws boost::system::system_error.
  registered_memory register_memory(void* data, std::size_t size, memory_access access = memory_access::all) {
    error_code ec;
    registered_memory result = register_memory(data, size, access, ec);
    throw_error(ec, "raw_connection: register_memory");
    return result;
  }
  /// A piece of the memory of another device, such as a GPU, that a dmabuf stands for; offset and size are bytes.
  /// operation_not_supported where the device or its driver cannot.
  registered_memory register_dmabuf(int fd, std::uint64_t offset, std::size_t size, memory_access access,
                                    error_code& ec) {
    return create_region({core::raw_memory_source::dmabuf, nullptr, size, static_cast<int>(access), fd, offset}, ec);
  }
  /// Throws boost::system::system_error.
  registered_memory register_dmabuf(int fd, std::uint64_t offset, std::size_t size,
                                    memory_access access = memory_access::all) {
    error_code ec;
    registered_memory result = register_dmabuf(fd, offset, size, access, ec);
    throw_error(ec, "raw_connection: register_dmabuf");
    return result;
  }

  // ---- Data: post_send(), post_receive(), poll(), probe() and statistics() are raw_data_path's.

  /// As poll(), but sleeps until there is a completion; those of a connection that has ended come at once. A signal
  /// handler that runs does not end it.
  std::size_t wait(span<work_completion> completions, error_code& ec) {
    for (;;) {
      std::size_t n = poll(completions, ec);
      if (n != 0 || ec || completions.empty()) return n;
      const auto room = state_ ? state_->completions : nullptr;
      if (const core::error e = room ? room->arm() : link().arm(false)) {
        ec = detail::to_asio_error(e);
        return 0;
      }
      n = poll(completions, ec);  // one that came in between raises no event
      if (n != 0 || ec) return n;
      pollfd ready{channel_fd_, POLLIN, 0};
      (void)::poll(&ready, 1, -1);
      if (room) {
        room->settle();
      } else if (const core::error e = link().take_events()) {
        ec = detail::to_asio_error(e);
        return 0;
      }
    }
  }
  /// Throws boost::system::system_error.
  std::size_t wait(span<work_completion> completions) {
    error_code ec;
    const std::size_t n = wait(completions, ec);
    throw_error(ec, "raw_connection: wait");
    return n;
  }

  // ---- Asynchronous transfers. Completion signature void(error_code, work_completion).

  /// Any request; the array of its buffers must stay until it was posted.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_submit(const work_request& request, Token&& token = Token()) {
    return initiate_request(request, local_buffer(), false, token);
  }
  /// A receive; the same holds.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_submit(const receive_request& request, Token&& token = Token()) {
    return initiate_request(request, local_buffer(), false, token);
  }
  /// Sends to a receive of the peer's. 4 GiB - 1 at most, as all transfers of one buffer; a port may allow less.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_send(const local_buffer& from, Token&& token = Token()) {
    return initiate_request(work_request::send(from), from, true, token);
  }
  /// Receives one send of the peer's, whose bytes are work_completion::bytes(). One that is larger ends the connection.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_receive(const local_buffer& to, Token&& token = Token()) {
    return initiate_request(receive_request(to), to, true, token);
  }
  /// Writes into the peer's memory, of which the peer learns nothing.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_write_remote(const local_buffer& from, remote_address to, Token&& token = Token()) {
    return initiate_request(work_request::write(from, to), from, true, token);
  }
  /// Reads the peer's memory.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_read_remote(const local_buffer& to, remote_address from, Token&& token = Token()) {
    return initiate_request(work_request::read(to, from), to, true, token);
  }
  /// result, 8 bytes, becomes what was there before.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_fetch_add(const local_buffer& result, remote_address target, std::uint64_t add, Token&& token = Token()) {
    return initiate_request(work_request::fetch_and_add(result, target, add), result, true, token);
  }
  /// Writes desired there if it finds expected. As async_fetch_add().
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_compare_swap(const local_buffer& result, remote_address target, std::uint64_t expected,
                          std::uint64_t desired, Token&& token = Token()) {
    return initiate_request(work_request::compare_and_swap(result, target, expected, desired), result, true, token);
  }

  /// As wait(): the handler gets the error_code and how many completions there are, at least one. Can be cancelled in
  /// any way, and has taken nothing then.
  template <class Token = boost::asio::default_completion_token_t<Executor>>
  auto async_poll(span<work_completion> completions, Token&& token = Token()) {
    return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto&& handler, span<work_completion> result) {
          using handler_type = std::decay_t<decltype(handler)>;
          handler_type h(std::move(handler));
          const auto room = completion_room();
          const auto key = room->next_key();
          detail::connect_raw_cancellation<handler_type, detail::completion_room>(
              h, room, boost::asio::cancellation_type::all, [](auto& r, auto k) { r.cancel_poll(k); }, key);
          room->start_poll(
              detail::make_raw_operation<detail::completion_room>(key, detail::poll_attempt(result), h, executor_),
              executor_);
        },
        token, completions);
  }

  // ---- Verbs: what this class does not do. The objects live until close(). Null before open().

  /// The device.
  verbs::context_ref device() const noexcept { return {objects().context, table()}; }
  /// The domain that memory is registered in.
  verbs::ref<ibv_pd> protection_domain() const noexcept { return {objects().domain, table()}; }
  /// The one queue of completions, of sends and of receives.
  verbs::completion_queue_ref completion_queue() const noexcept { return {objects().completions, table()}; }
  /// The queue pair.
  verbs::queue_pair_ref queue_pair() const noexcept { return {objects().queue_pair, table()}; }
  /// All of them, and the channel, as verbs have them.
  core::raw_objects native_handle() const noexcept { return objects(); }

private:
  template <class>
  friend class basic_raw_acceptor;
  friend class polling_service;

  bool has_failed() const noexcept {
    const core::error e = link().prepared();
    return e && !detail::must_wait(e);
  }

  void start_open(const endpoint_type& peer, const raw_options& options, error_code& ec) {
    ec = detail::to_asio_error(begin_open(peer, options));
  }
  core::error begin_open(const endpoint_type& peer, const raw_options& options) {
    if (is_open()) return core::library_error::already_open;
    close();
    auto state = std::make_shared<detail::raw_state>();
    const core::error e = core::raw_link::open(options, options.device.c_str(), peer.data(),
                                               static_cast<socklen_t>(peer.size()), state->link());
    if (!e) state_ = std::move(state);
    return e;
  }

  /// Waits for the outcome of a step of the set-up.
  template <class Handler, class Attempt>
  void start_setup(Handler h, Attempt attempt) {
    using room_type = detail::waiting_room<core::raw_link>;
    const auto room = state_ ? state_->setup : std::make_shared<room_type>();
    const auto key = room->next_key();
    detail::connect_raw_cancellation<Handler, room_type>(
        h, room, boost::asio::cancellation_type::all, [](auto& r, auto k) { r.give_up(k); }, key);
    room->start(detail::make_raw_operation<core::raw_link>(key, std::move(attempt), h, executor_), executor_);
  }

  /// Where asynchronous transfers wait.
  std::shared_ptr<detail::completion_room> completion_room() {
    using link_room = detail::completion_room::link_room;
    if (!state_) return std::make_shared<detail::completion_room>(std::make_shared<link_room>());
    if (!state_->completions) {
      refresh();
      state_->completions = std::make_shared<detail::completion_room>(state_->setup);
      update_slow();
    }
    return state_->completions;
  }

  /// Posts a request, with a buffer of its own where it has one, and waits for its completion.
  template <class Request, class Token>
  auto initiate_request(const Request& request, const local_buffer& buffer, bool has_buffer, Token& token) {
    return boost::asio::async_initiate<Token, void(error_code, work_completion)>(
        [this](auto&& handler, Request r, const local_buffer& own, bool has_own) {
          using handler_type = std::decay_t<decltype(handler)>;
          handler_type h(std::move(handler));
          if (has_own) r.sg_list = const_cast<local_buffer*>(&own);  // it is copied when it is posted
          const auto room = completion_room();
          const auto key = room->next_key();
          detail::connect_raw_cancellation<handler_type, detail::completion_room>(
              h, room, boost::asio::cancellation_type::terminal, [](auto& c, auto k) { c.cancel_request(k); }, key);
          room->start_request(
              detail::make_raw_operation<detail::completion_room>(key, detail::request_attempt(), h, executor_),
              executor_, [&](std::uint64_t id) { return post_for_operation(r, id); });
        },
        token, request, buffer, has_buffer);
  }
  core::error post_for_operation(work_request& r, std::uint64_t id) {
    r.signaled();
    return post_one(static_cast<ibv_send_wr&>(r), id);
  }
  core::error post_for_operation(receive_request& r, std::uint64_t id) {
    return post_one(static_cast<ibv_recv_wr&>(r), id);
  }
  template <class Request>
  core::error post_one(Request& r, std::uint64_t id) {
    r.wr_id = id;
    r.next = nullptr;
    if (ASIO_RDMA_DETAIL_CHECKS) {
      const Request* wrong;
      if (const core::error e = link().check(&r, wrong)) return e;
    }
    Request* bad = &r;
    return probed_post(&r, bad);
  }

  /// Waits for the outcome of a step of the set-up.
  void finish(core::error (core::raw_link::*outcome)() noexcept, error_code& ec) {
    core::error e;
    while (detail::must_wait(e = (link().*outcome)())) link().wait();
    finished(e, ec);
  }
  void finished(core::error e, error_code& ec) {
    ec = detail::to_asio_error(e);
    if (!ec) refresh();
    if (ec) close();
  }

  void adopt(core::raw_link&& l) {
    state_ = std::make_shared<detail::raw_state>();
    state_->link() = std::move(l);
    refresh();
  }

  void take(basic_raw_connection& other) noexcept {
    state_ = std::move(other.state_);
    is_probing_ = other.is_probing_;
    statistics_ = other.statistics_;
    refresh();
    other.close();
  }

  endpoint_type endpoint(core::error (core::raw_link::*which)(sockaddr_storage&) const noexcept) const {
    return detail::raw_endpoint_of(link(), which);
  }

  registered_memory create_region(const core::raw_region_request& request, error_code& ec) {
    core::raw_region region;
    ec = detail::to_asio_error(core::raw_region::create(link(), request, region));
    return ec ? registered_memory() : registered_memory(std::move(region));
  }

  const verbs::api& table() const noexcept {
    const core::raw_objects o = objects();
    return o.table ? *o.table : verbs::rdma_core();
  }

  Executor executor_;
};

/// The connection for any executor.
using raw_connection = basic_raw_connection<>;

}  // namespace v1
}  // namespace asio_rdma

#endif
