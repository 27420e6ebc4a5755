// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/cm/ports.hpp"

#include "soft/cm/address.hpp"
#include "soft/local_socket.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace asio_rdma {
inline namespace v1 {
namespace soft {
namespace cm {

namespace {

std::string port_name(rdma_port_space space, const std::string& host, std::uint16_t port) {
  return std::string("port.") + (space == RDMA_PS_UDP ? "udp." : "tcp.") + host + "." + std::to_string(port);
}

std::string hexadecimal(const std::uint8_t* bytes, unsigned count) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string result;
  for (unsigned i = 0; i < count; ++i) {
    result += digits[bytes[i] >> 4];
    result += digits[bytes[i] & 15];
  }
  return result;
}

/// Everybody's address of a family.
std::string any_of(const sockaddr_storage& a) {
  return is_v4(a) ? "any4" : "any6";
}

std::string host_of(const sockaddr_storage& a) {
  if (is_any(a)) return any_of(a);
  const ibv_gid gid = gid_of(a);
  std::string result = is_v4(a) ? hexadecimal(gid.raw + 12, 4) : hexadecimal(gid.raw, 16);
  if (is_link_local(a)) result += "%" + std::to_string(to_wire(a).scope);
  return result;
}

std::string slot_name(const std::string& group, unsigned index) {
  return group + "." + std::to_string(index);
}

/// Adds what the port takes on one host name.
void add_host(port_plan& plan, rdma_port_space space, const std::string& host, const std::string& any,
              std::uint16_t port, bool shared) {
  const std::string own = port_name(space, host, port);
  const std::string everywhere = port_name(space, any, port);
  const std::string specific = port_name(space, any == "any4" ? "some4" : "some6", port);
  const char* const sharing = ".shared";
  if (shared) {
    plan.joined.push_back(own + sharing);
    plan.excluded.push_back(everywhere);
  } else {
    plan.taken.push_back(own);
    plan.excluded_groups.push_back(everywhere + sharing);
  }
  if (host == any) {
    plan.excluded_groups.push_back(specific);
    if (!shared) plan.excluded_groups.push_back(specific + sharing);
  } else if (shared) {
    plan.joined.push_back(specific + sharing);
    plan.excluded.push_back(own);
  } else {
    plan.joined.push_back(specific);
    plan.excluded.push_back(everywhere);
    plan.excluded_groups.push_back(own + sharing);
  }
}

/// Whether somebody holds a name.
class prober {
public:
  prober() noexcept : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {}

  bool finds(const std::string& name) const noexcept {
    const local_address a = local_name(name.c_str());
    return ::connect(socket_.get(), a.get(), a.size) == 0 || errno != ECONNREFUSED;
  }
  bool finds_any(const std::string& group) const {
    for (unsigned i = 0; i < slots_per_group; ++i) {
      if (finds(slot_name(group, i))) return true;
    }
    return false;
  }

private:
  descriptor socket_;
};

struct port_range {
  unsigned low = 32768;
  unsigned high = 60999;
};

port_range ephemeral_ports() noexcept {
  port_range result;
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen("/proc/sys/net/ipv4/ip_local_port_range", "re"),
                                                   &std::fclose);
  unsigned low = 0, high = 0;
  if (file && std::fscanf(file.get(), "%u %u", &low, &high) == 2 && low > 0 && low <= high && high < 65536) {
    result.low = low;
    result.high = high;
  }
  return result;
}

unsigned random_number() noexcept {
  unsigned result = 0;
  (void)!::getrandom(&result, sizeof result, GRND_NONBLOCK);
  return result;
}

}  // namespace

port_plan plan_port(rdma_port_space space, const sockaddr_storage& address, bool v6_only, bool shared) {
  port_plan result;
  const std::uint16_t port = port_of(address);
  add_host(result, space, host_of(address), any_of(address), port, shared);
  if (host_of(address) == "any6" && !v6_only) add_host(result, space, "any4", "any4", port, shared);
  return result;
}

std::vector<std::string> listener_names(rdma_port_space space, const sockaddr_storage& destination) {
  const std::uint16_t port = port_of(destination);
  return {port_name(space, host_of(destination), port), port_name(space, any_of(destination), port)};
}

int port_claim::take(const port_plan& plan) {
  port_claim result;
  const auto hold = [&](const std::string& name) {
    descriptor d = bind_local(SOCK_DGRAM, local_name(name.c_str()));
    if (!d) return errno;
    result.holders_.push_back(std::move(d));
    return 0;
  };
  for (const std::string& name : plan.taken) {
    if (const int e = hold(name)) return e;
  }
  for (const std::string& group : plan.joined) {
    int e = EADDRINUSE;
    for (unsigned i = 0; i < slots_per_group && e == EADDRINUSE; ++i) e = hold(slot_name(group, i));
    if (e) return e;
  }
  // Last: of two that exclude each other, at least one finds the other's.
  const prober others;
  for (const std::string& name : plan.excluded) {
    if (others.finds(name)) return EADDRINUSE;
  }
  for (const std::string& group : plan.excluded_groups) {
    if (others.finds_any(group)) return EADDRINUSE;
  }
  result.names_ = plan.taken;
  std::swap(*this, result);
  return 0;
}

void port_claim::release() noexcept {
  holders_.clear();
  names_.clear();
}

int claim_port(rdma_port_space space, sockaddr_storage& address, bool v6_only, bool shared, port_claim& result) {
  if (port_of(address) != 0) return result.take(plan_port(space, address, v6_only, shared));
  const port_range range = ephemeral_ports();
  const unsigned count = range.high - range.low + 1;
  const unsigned start = random_number() % count;
  for (unsigned i = 0; i < count; ++i) {
    sockaddr_storage candidate = address;
    set_port(candidate, static_cast<std::uint16_t>(range.low + (start + i) % count));
    const int e = result.take(plan_port(space, candidate, v6_only, shared));
    if (e == 0) address = candidate;
    if (e != EADDRINUSE) return e;
  }
  return EADDRNOTAVAIL;
}

}  // namespace cm
}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
