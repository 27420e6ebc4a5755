// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_EXCHANGE_LISTENER_HPP
#define ASIO_RDMA_SRC_RAW_EXCHANGE_LISTENER_HPP

#include "raw/exchange_connection.hpp"
#include "raw/listener.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// Listens over TCP. A client is a request once it has said all that it has to. One that has begun and does not end in
/// time is forgotten; one that has not begun waits as long as nobody else wants its place in the backlog.
class exchange_listener final : public listener,
                                public io::background::watched,
                                public std::enable_shared_from_this<exchange_listener> {
public:
  exchange_listener(const core::raw_settings& s, const core::device_choice& devices, const sockaddr_storage& asked)
      : listener(s, asked), devices_(devices) {}
  ~exchange_listener();

  core::error listen(int backlog);
  core::error take(std::shared_ptr<connection>& result) override;
  void close() noexcept override;

  void on_readable() noexcept override;

private:
  class client;
  struct request {
    exchange_stream stream;
    exchange_greeting peer;
  };

  void add_client(io::unique_fd fd);
  /// Of a client that has said all, or is to be given up.
  void forget(const std::shared_ptr<client>& c);
  bool take_out(const std::shared_ptr<client>& c);
  void heard(const std::shared_ptr<client>& c, const exchange_greeting& peer);

  const core::device_choice devices_;
  io::unique_fd fd_;
  io::background::watch_id watch_ = 0;
  std::deque<std::shared_ptr<client>> clients_;  // the oldest first
  std::deque<request> requests_;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
