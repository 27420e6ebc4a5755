// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_CM_CORE_SOCKET_HPP
#define ASIO_RDMA_TEST_CM_CORE_SOCKET_HPP

#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/error.hpp>

#include <netinet/in.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace cm_test {

namespace core = asio_rdma::core;

/// Repeats an operation of a socket until it no longer says EAGAIN.
template <class Operation>
core::error wait_for(core::socket& s, Operation operation) {
  for (;;) {
    const core::error e = operation();
    if (e != core::error(EAGAIN)) return e;
    s.wait();
  }
}

inline core::socket open_socket() {
  core::socket s;
  (void)core::socket::open_stream(AF_INET, s);
  return s;
}

inline const sockaddr* plain(const sockaddr_storage& a) {
  return reinterpret_cast<const sockaddr*>(&a);
}

inline core::error connect(core::socket& s, const sockaddr_storage& to) {
  if (const core::error e = s.connect(plain(to), sizeof to)) return e;
  return wait_for(s, [&] { return s.connect_result(); });
}

inline core::error read_some(core::socket& s, std::string& text) {
  char buffer[4096];
  iovec v{buffer, sizeof buffer};
  std::size_t bytes = 0;
  const core::error e = wait_for(s, [&] { return s.read(&v, 1, false, bytes); });
  text.assign(buffer, bytes);
  return e;
}

inline core::error write_all(core::socket& s, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    iovec v{const_cast<char*>(text.data()) + done, text.size() - done};
    std::size_t bytes = 0;
    if (const core::error e = wait_for(s, [&] { return s.write(&v, 1, bytes); })) return e;
    done += bytes;
  }
  return {};
}

/// A listener on all of this host's addresses.
struct listening {
  explicit listening(int backlog = 16, void (*set_options)(core::socket&) = nullptr) : socket(open_socket()) {
    if (set_options) set_options(socket);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    error = socket.bind(reinterpret_cast<const sockaddr*>(&any), sizeof any);
    if (!error) error = socket.listen(backlog);
    sockaddr_storage bound{};
    (void)socket.local_address(bound);
    port = ntohs(reinterpret_cast<const sockaddr_in&>(bound).sin_port);
  }
  core::socket accept() {
    core::socket peer;
    error = wait_for(socket, [&] { return socket.accept(peer); });
    return peer;
  }

  core::socket socket;
  core::error error;
  std::uint16_t port = 0;
};

inline std::string text_of(core::error e) {
  return asio_rdma::to_error_code(e).message();
}

}  // namespace cm_test

namespace asio_rdma {
inline namespace v1 {
namespace core {

inline std::ostream& operator<<(std::ostream& out, error e) {
  return out << asio_rdma::to_error_code(e);
}
inline std::ostream& operator<<(std::ostream& out, library_error e) {
  return out << error(e);
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma

#endif
