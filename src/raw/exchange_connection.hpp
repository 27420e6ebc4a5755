// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_RAW_EXCHANGE_CONNECTION_HPP
#define ASIO_RDMA_SRC_RAW_EXCHANGE_CONNECTION_HPP

#include "device/choice.hpp"
#include "io/background.hpp"
#include "raw/connection.hpp"
#include "raw/exchange_stream.hpp"
#include "raw/path.hpp"

namespace asio_rdma {
inline namespace v1 {
namespace raw {

/// A raw connection whose ends tell each other over TCP what it takes. The TCP connection stays: its end says that the
/// peer is gone.
class exchange_connection final : public connection, public io::background::watched {
public:
  exchange_connection(const core::raw_settings& s, const core::device_choice& devices)
      : connection(s), devices_(devices) {}

  /// The active side.
  core::error open(const sockaddr_storage& address);
  /// The passive side: makes the queues. On failure the stream is still the caller's.
  core::error take(exchange_stream& stream, const exchange_greeting& peer);

  void on_readable() noexcept override;

protected:
  core::error start_establishing() override;
  void disconnect() noexcept override;

private:
  core::error create_queues();
  core::error connected();
  core::error greet();
  core::error answered();
  core::error make_ready();
  core::error watch();

  const core::device_choice devices_;
  exchange_stream stream_;
  io::background::watch_id watch_ = 0;
  path path_;
  exchange_greeting peer_;
  bool passive_ = false;
};

}  // namespace raw
}  // namespace v1
}  // namespace asio_rdma

#endif
