// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <asio_rdma/device.hpp>
#include <asio_rdma/error.hpp>
#include <asio_rdma/rc.hpp>
#include <asio_rdma/verbs/verbs.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace verbs = asio_rdma::verbs;

namespace info {

namespace {

constexpr std::chrono::milliseconds patience{2000};

/// Waits for the event that ends a step. Throws what it says.
void wait_for(const verbs::event_channel& channel, const char* step) {
  pollfd ready{channel.fd(), POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(2 * patience.count())) == 0) {
    throw std::runtime_error(std::string(step) + ": no answer");
  }
  const verbs::cm_event event = channel.get_event();
  if (const verbs::error_code ec = event.error()) throw std::runtime_error(std::string(step) + ": " + ec.message());
}

std::string text_of(const sockaddr& address) {
  char result[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, result, sizeof result);
  } else if (address.sa_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, result, sizeof result);
  }
  return result;
}

/// The entry of the port's table that the connection manager means: it says the GID, and takes RoCE v2 for RoCE unless
/// an administrator has changed that (rdma_cm's default_roce_mode in configfs).
const gid_entry* find_gid(const std::vector<device>& devices, const path& p, const std::string& gid) {
  const gid_entry* result = nullptr;
  for (const device& d : devices) {
    if (d.name != p.device) continue;
    for (const port& its : d.ports) {
      if (its.number != p.port) continue;
      for (const gid_entry& e : its.gids) {
        if (e.gid == gid && (!result || e.type == "RoCE v2")) result = &e;
      }
    }
  }
  return result;
}

void explain(path& p, const std::string& gid, const gid_entry* entry, const verbs::api& table) {
  if (entry) p.gid = *entry;
  if (&table == &verbs::software_device()) {
    p.why = "the policy chooses soft0, which reaches every address of this host";
    return;
  }
  p.why = "the route to " + p.address + " starts at " + p.source;
  if (!entry) {
    p.why += ", whose GID " + gid + " is not in the port's table";
    return;
  }
  if (!entry->interface.empty()) p.why += " on " + entry->interface;
  p.why += ", whose RDMA device is " + p.device + "; GID " + std::to_string(entry->index) + " is that address";
  if (!entry->type.empty()) p.why += " as " + entry->type;
}

/// What the connection manager's error means, where it says less than is known; the sockets' errors say the same.
std::string why_not(const std::string& error) {
  verbs::error_code ec;
  const bool has_no_route = error.find("No route to host") != std::string::npos;
  if (has_no_route && &verbs::policy_table(ec) == &verbs::software_device()) {
    return asio_rdma::to_error_code(asio_rdma::core::library_error::other_host).message();
  }
  if (error.find("No such device") == std::string::npos) return error;
  std::string addresses;
  for (const asio_rdma::device_info& d : asio_rdma::devices(ec)) {
    if (d.kind != asio_rdma::device_kind::hardware || !d.active) continue;
    for (const auto& a : d.addresses)
      addresses += (addresses.empty() ? "" : ", ") + a.to_string() + " (" + d.name + ")";
  }
  return error +
         ": its route starts at a network interface that no RDMA device is attached to. Addresses of this host "
         "that have one: " +
         (addresses.empty() ? "none" : addresses) + "; use the peer's address in their network";
}

void resolve(path& p, const std::vector<device>& devices) {
  const verbs::api& table = verbs::policy_table();
  const auto address = boost::asio::ip::make_address(p.address);
  if (&table != &verbs::software_device() && (address.is_loopback() || address.is_unspecified())) {
    p.why = "no hardware has this address: sockets carry it on an address of a local port that is active";
    return;
  }
  const asio_rdma::rc::endpoint destination(address, 1);
  const verbs::event_channel channel(table);
  const verbs::cm_id id(channel);
  id.resolve_address(nullptr, destination.data(), patience);
  wait_for(channel, "address");
  p.source = text_of(id.local_address());
  p.device = id.context().name();
  p.port = id.port();
  id.resolve_route(patience);
  wait_for(channel, "route");
  char gid[INET6_ADDRSTRLEN];
  ::inet_ntop(AF_INET6, id.native_handle()->route.addr.addr.ibaddr.sgid.raw, gid, sizeof gid);
  explain(p, gid, find_gid(devices, p, gid), table);
}

}  // namespace

path find_path(const std::string& address, const std::vector<device>& devices) {
  path result;
  result.address = address;
  try {
    resolve(result, devices);
  } catch (const std::exception& e) {
    result.error = why_not(e.what());
  }
  return result;
}

}  // namespace info
