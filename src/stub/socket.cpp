// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// Sockets, on a system that cannot have them: none is ever opened.

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/core/statistics.hpp>

#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace core {

bool find_option_range(option, option_range&) noexcept {
  return false;
}

socket::socket(const socket&) noexcept {}
socket::socket(socket&&) noexcept {}
socket& socket::operator=(socket) noexcept {
  return *this;
}
socket::~socket() = default;

bool socket::is_lost() noexcept {
  return false;
}
error socket::open_stream(int, socket&) noexcept {
  return error(EOPNOTSUPP);
}
error socket::open_messages(int, socket&) noexcept {
  return error(EOPNOTSUPP);
}
error socket::open_datagram(int, socket&) noexcept {
  return error(EOPNOTSUPP);
}
error socket::bind(const sockaddr*, socklen_t) noexcept {
  return error(EOPNOTSUPP);
}
error socket::listen(int) noexcept {
  return error(EOPNOTSUPP);
}
error socket::accept(socket&) noexcept {
  return error(EOPNOTSUPP);
}
error socket::connect(const sockaddr*, socklen_t) noexcept {
  return error(EOPNOTSUPP);
}
error socket::connect_result() noexcept {
  return error(EOPNOTSUPP);
}
void socket::cancel_connect() noexcept {}
error socket::read(const iovec*, std::size_t, bool, std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::write(const iovec*, std::size_t, std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::read_message(const iovec*, std::size_t, bool, std::size_t& bytes, bool&) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::write_message(const iovec*, std::size_t, bool, bool, bool, std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::write_registered(const void*, std::size_t, bool, bool&, std::size_t& bytes, std::uint64_t&) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
void socket::end_writes(std::uint64_t) noexcept {}
error socket::released(std::uint64_t) noexcept {
  return error(EOPNOTSUPP);
}
error socket::offer_memory(void*, std::size_t, std::uint64_t&) noexcept {
  return error(EOPNOTSUPP);
}
error socket::read_offered(std::uint64_t, std::size_t& bytes, bool& at_end) noexcept {
  bytes = 0;
  at_end = false;
  return error(EOPNOTSUPP);
}
void socket::withdraw_memory(std::uint64_t) noexcept {}
void socket::reclaim_memory() noexcept {}
error socket::write_messages(const message*, std::size_t, std::size_t& done) noexcept {
  done = 0;
  return error(EOPNOTSUPP);
}
error socket::read_messages(message*, std::size_t, std::size_t& done) noexcept {
  done = 0;
  return error(EOPNOTSUPP);
}
void socket::abandon_message() noexcept {}
std::uint64_t socket::write_position() const noexcept {
  return 0;
}
error socket::acknowledged(std::uint64_t) noexcept {
  return error(EOPNOTSUPP);
}
error socket::send_to(const iovec*, std::size_t, const sockaddr*, socklen_t, std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::receive_from(const iovec*, std::size_t, bool, sockaddr_storage&, std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::send_many(datagram*, std::size_t, std::size_t& done) noexcept {
  done = 0;
  return error(EOPNOTSUPP);
}
error socket::receive_many(datagram*, std::size_t, std::size_t& done) noexcept {
  done = 0;
  return error(EOPNOTSUPP);
}
error socket::maximum_payload(std::size_t& bytes) noexcept {
  bytes = 0;
  return error(EOPNOTSUPP);
}
error socket::join_group(const sockaddr_storage&, const sockaddr_storage&, unsigned) noexcept {
  return error(EOPNOTSUPP);
}
error socket::leave_group(const sockaddr_storage&, const sockaddr_storage&, unsigned) noexcept {
  return error(EOPNOTSUPP);
}
error socket::ready(readiness) noexcept {
  return error(EOPNOTSUPP);
}
std::size_t socket::available(error& e) noexcept {
  e = error(EOPNOTSUPP);
  return 0;
}
error socket::shutdown(direction) noexcept {
  return error(EOPNOTSUPP);
}
void socket::close() noexcept {}
int socket::prepare_wait() noexcept {
  return -1;
}
void socket::end_wait() noexcept {}
void socket::wait() noexcept {}
error socket::local_address(sockaddr_storage&) const noexcept {
  return error(EOPNOTSUPP);
}
error socket::remote_address(sockaddr_storage&) const noexcept {
  return error(EOPNOTSUPP);
}
error socket::set_option(option, int) noexcept {
  return error(EOPNOTSUPP);
}
error socket::get_option(option, int&) const noexcept {
  return error(EOPNOTSUPP);
}
error socket::set_text_option(option, const char*) noexcept {
  return error(EOPNOTSUPP);
}
error socket::get_text_option(option, char*, std::size_t, std::size_t&) const noexcept {
  return error(EOPNOTSUPP);
}
void socket::last_failure(failure& result) const noexcept {
  result = failure();
  result.code = error(EOPNOTSUPP);
}
std::size_t socket::device_name(char* buffer, std::size_t size) const noexcept {
  if (size != 0) *buffer = '\0';
  return 0;
}
void socket::statistics(socket_statistics& result) const noexcept {
  result = socket_statistics();
}
void* socket::native_id() const noexcept {
  return nullptr;
}
std::uint64_t socket::id() const noexcept {
  return 0;
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
