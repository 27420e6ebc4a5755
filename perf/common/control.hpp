// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_CONTROL_HPP
#define ASIO_RDMA_PERF_COMMON_CONTROL_HPP

#include "settings.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace perf {

/// What the other side says went wrong there, or that it is gone.
struct peer_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The connection on which the two sides of a measurement agree: a JSON object a line. Not thread-safe.
class control {
public:
  virtual ~control() = default;

  /// Throws boost::system::system_error, as the others do.
  void send(const boost::json::object& message);
  /// Blocks. Throws peer_error if the other side has gone, or sent an error.
  boost::json::object receive();
  /// Whether receive() would not block for long. Costs a system call. Throws peer_error if the other side has gone.
  bool has_message();
  /// Throws peer_error if the other side has gone, or if the next message is an error; leaves any other where it is.
  /// Costs a system call.
  void look_for_error();
  /// Tells the other side why we stop; fails in silence.
  void send_error(const std::string& what) noexcept;

  virtual boost::asio::ip::address local_address() const = 0;
  virtual boost::asio::ip::address remote_address() const = 0;

protected:
  virtual void write(const std::string& text) = 0;
  /// @return bytes, 0 if there are none now and @p wait is false. Throws peer_error at the end.
  virtual std::size_t read(char* data, std::size_t size, bool wait) = 0;

private:
  bool take_line();
  boost::json::object parse_line() const;

  std::string received_;
  std::string line_;
  bool has_line_ = false;
};

/// Where a server waits for its clients.
class control_acceptor {
public:
  virtual ~control_acceptor() = default;
  /// Blocks until there is a client.
  virtual std::unique_ptr<control> accept() = 0;
};

/// Listens on the port of the settings. Throws boost::system::system_error.
std::unique_ptr<control_acceptor> listen_for_control(const settings& s);
/// Connects to the server of the settings. Throws boost::system::system_error.
std::unique_ptr<control> connect_control(const settings& s);

}  // namespace perf

#endif
