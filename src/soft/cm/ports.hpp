// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_CM_PORTS_HPP
#define ASIO_RDMA_SRC_SOFT_CM_PORTS_HPP

#include "soft/descriptor.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <cstdint>
#include <string>
#include <vector>

// A port belongs to whoever holds a datagram socket with its abstract name, such as "port.tcp.7f000001.5000": the
// kernel makes that exclusive among all processes, and takes it back when they die. What is not exclusive (a port on
// several addresses, shared ports) is held in numbered slots of a name, so that others can find out whether there is
// anyone.
namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

/// What it takes to hold a port.
struct port_plan {
  std::vector<std::string> taken;            // names to hold: nobody else may
  std::vector<std::string> joined;           // a free slot of each is to be held
  std::vector<std::string> excluded;         // names that nobody may hold
  std::vector<std::string> excluded_groups;  // names of which nobody may hold a slot
};
constexpr unsigned slots_per_group = 16;

/// For an address with its port, which is not 0. Shared ones can be held by several, but nobody can listen on them.
port_plan plan_port(rdma_port_space space, const sockaddr_storage& address, bool v6_only, bool shared);

/// The names under which a listener for that destination may be found, the best first.
std::vector<std::string> listener_names(rdma_port_space space, const sockaddr_storage& destination);

/// A port that is held.
class port_claim {
public:
  /// EADDRINUSE if others have it.
  int take(const port_plan& plan);
  void release() noexcept;
  /// Those of the plan's taken: where a listener is looked for.
  const std::vector<std::string>& names() const noexcept { return names_; }

private:
  std::vector<descriptor> holders_;
  std::vector<std::string> names_;
};

/// Takes the address's port, or any free one if it is 0: then the address gets it.
int claim_port(rdma_port_space space, sockaddr_storage& address, bool v6_only, bool shared, port_claim& result);

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
