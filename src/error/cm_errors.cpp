// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "error/tables.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace asio_rdma {
inline namespace v1 {
namespace core {

namespace {

constexpr error_entry event_entries[] = {
    {RDMA_CM_EVENT_ADDR_ERROR, EHOSTUNREACH, no_condition,
     "the address could not be resolved: no answer to ARP or neighbour discovery, or no route to it over an interface "
     "of "
     "an RDMA device; check with ping, over that interface"},
    {RDMA_CM_EVENT_ROUTE_ERROR, EHOSTUNREACH, no_condition,
     "the route could not be resolved: the subnet manager gave no path to the peer (InfiniBand), or the device has no "
     "usable GID for this route (RoCE)"},
    {RDMA_CM_EVENT_CONNECT_ERROR, ECONNABORTED, no_condition,
     "the connection failed while it was being set up: this side or the peer could not bring its queue pair up, or the "
     "peer went away meanwhile"},
    {RDMA_CM_EVENT_UNREACHABLE, ETIMEDOUT, no_condition,
     "the peer did not answer connection requests: its host is down, it has no RDMA device on that address, or the "
     "network drops the connection manager's packets (RoCE v2: UDP port 4791)"},
    {RDMA_CM_EVENT_REJECTED, ECONNREFUSED, no_condition, "the peer rejected the connection"},
    {RDMA_CM_EVENT_DISCONNECTED, ECONNRESET, no_condition,
     "the peer disconnected without ending its stream: its process ended or closed the connection at once"},
    {RDMA_CM_EVENT_DEVICE_REMOVAL, ENODEV, no_condition,
     "the RDMA device was removed: its driver was unloaded, or it was taken away from this machine or container"},
    {RDMA_CM_EVENT_MULTICAST_ERROR, EADDRNOTAVAIL, no_condition,
     "the multicast group could not be joined, or was lost: the subnet manager refused it, or the port went down"},
    {RDMA_CM_EVENT_ADDR_CHANGE, ENETRESET, no_condition,
     "the device behind the local address changed (bonding failed over, or the address moved): connect again"},
};

// IBTA 1.4, volume 1, table 12.6.7.2. Whatever the reason, to the connecting program it is a refusal, except where
// another errno says plainly more.
constexpr error_entry reject_entries[] = {
    {1, ECONNREFUSED, library_error::peer_out_of_resources,
     "rejected: no queue pair available at the peer; it has too many connections"},
    {2, ECONNREFUSED, library_error::peer_out_of_resources, "rejected: no end-to-end context available at the peer"},
    {3, ECONNREFUSED, library_error::peer_out_of_resources,
     "rejected: no resources available at the peer; it lacks memory, file descriptors or queue pairs"},
    {4, ETIMEDOUT, no_condition,
     "rejected: timeout; a message of the connection set-up came too late or not at all, perhaps because the listening "
     "program did not accept in time"},
    {5, ECONNREFUSED, no_condition, "rejected: unsupported request"},
    {6, ECONNREFUSED, no_condition, "rejected: invalid communication id; the peer has forgotten this attempt"},
    {7, ECONNREFUSED, no_condition, "rejected: invalid communication instance"},
    {8, ECONNREFUSED, no_condition,
     "rejected: invalid service id; nobody listens on that address and port over RDMA. A TCP listener does not count: "
     "start the server, and check its address and port"},
    {9, ECONNREFUSED, no_condition,
     "rejected: invalid transport service type; the listener wants another kind of socket"},
    {10, ECONNRESET, no_condition,
     "rejected: stale connection; the peer still holds an earlier connection of this queue pair number. Try again"},
    {11, ECONNREFUSED, no_condition, "rejected: the reliable datagram channel does not exist"},
    {12, ECONNREFUSED, no_condition,
     "rejected: invalid primary remote port GID; the peer has no such GID on this port"},
    {13, ECONNREFUSED, no_condition, "rejected: invalid primary remote port LID"},
    {14, ECONNREFUSED, no_condition, "rejected: invalid primary service level"},
    {15, ECONNREFUSED, no_condition, "rejected: invalid primary traffic class"},
    {16, ECONNREFUSED, no_condition, "rejected: invalid primary hop limit"},
    {17, ECONNREFUSED, no_condition, "rejected: invalid primary packet rate"},
    {18, ECONNREFUSED, no_condition, "rejected: invalid alternate remote port GID"},
    {19, ECONNREFUSED, no_condition, "rejected: invalid alternate remote port LID"},
    {20, ECONNREFUSED, no_condition, "rejected: invalid alternate service level"},
    {21, ECONNREFUSED, no_condition, "rejected: invalid alternate traffic class"},
    {22, ECONNREFUSED, no_condition, "rejected: invalid alternate hop limit"},
    {23, ECONNREFUSED, no_condition, "rejected: invalid alternate packet rate"},
    {24, ECONNREFUSED, no_condition, "rejected: the peer's connection manager is at another port"},
    {25, ECONNREFUSED, no_condition, "rejected: the service is at another port"},
    {26, ECONNREFUSED, no_condition,
     "rejected: invalid path MTU; the peer's port cannot carry it. Use the smaller MTU on both sides"},
    {27, ECONNREFUSED, no_condition, "rejected: insufficient responder resources; ask for a smaller initiator depth"},
    {28, ECONNREFUSED, no_condition,
     "rejected by the listening program; what it had to say is in the private data of the reject"},
    {29, ECONNREFUSED, no_condition, "rejected: invalid RNR retry count"},
    {30, ECONNREFUSED, no_condition, "rejected: duplicate local communication id"},
    {31, ECONNREFUSED, no_condition, "rejected: unsupported version of the connection manager's protocol"},
    {32, ECONNREFUSED, no_condition, "rejected: invalid primary flow label"},
    {33, ECONNREFUSED, no_condition, "rejected: invalid alternate flow label"},
    {34, ECONNREFUSED, no_condition, "rejected: reserved reason 34"},
    {35, ECONNREFUSED, no_condition, "rejected: vendor option not supported"},
};

}  // namespace

const error_entry* find_cm_event_error(int event) noexcept {
  const auto found = std::find_if(std::begin(event_entries), std::end(event_entries),
                                  [event](const error_entry& entry) { return entry.value == event; });
  return found == std::end(event_entries) ? nullptr : found;
}

const error_entry* find_cm_reject_error(int reason) noexcept {
  if (reason < 1 || reason > static_cast<int>(std::size(reject_entries))) return nullptr;
  return &reject_entries[reason - 1];
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
