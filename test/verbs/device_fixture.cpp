// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "device_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <netinet/in.h>
#include <poll.h>
#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace verbs_test {

namespace {

bool is_mapped_v4(const ibv_gid& gid) {
  return IN6_IS_ADDR_V4MAPPED(reinterpret_cast<const in6_addr*>(&gid));
}

}  // namespace

device_fixture::device_fixture() {
  const verbs::device_list candidates(table);
  for (ibv_device* candidate : candidates) {
    verbs::context opened(candidate, table);
    for (const ibv_gid_entry& entry : opened.query_gid_table()) {
      const auto number = static_cast<std::uint8_t>(entry.port_num);
      const ibv_port_attr attributes = opened.query_port(number);
      if (!is_mapped_v4(entry.gid) || entry.gid_type != IBV_GID_TYPE_ROCE_V2) continue;
      if (attributes.state != IBV_PORT_ACTIVE) continue;
      gid = entry;
      port = number;
      mtu = attributes.active_mtu;
    }
    if (port == 0) continue;
    device = std::move(opened);
    domain = verbs::protection_domain(device);
    channel = verbs::completion_channel(device);
    completions = verbs::completion_queue(device, 128, channel);
    return;
  }
  throw std::runtime_error("no RDMA device with an active port and an IPv4 address");
}

ibv_wc device_fixture::next_completion() {
  ibv_wc completion{};
  if (!kept_.empty()) {
    completion = kept_.front();
    kept_.erase(kept_.begin());
    return completion;
  }
  if (completions.poll(&completion, 1) == 1) return completion;
  for (;;) {
    completions.request_notification();
    if (completions.poll(&completion, 1) == 1) return completion;
    pollfd ready{channel.fd(), POLLIN, 0};
    if (::poll(&ready, 1, 10'000) != 1) throw std::runtime_error("no completion came");
    completions.take_events();
  }
}

ibv_wc device_fixture::completion_of(std::uint64_t wr_id) {
  std::vector<ibv_wc> others;
  ibv_wc completion = next_completion();
  while (completion.wr_id != wr_id) {
    others.push_back(completion);
    completion = next_completion();
  }
  kept_.insert(kept_.begin(), others.begin(), others.end());
  return completion;
}

ibv_async_event device_fixture::next_async_event() const {
  pollfd ready{device.async_fd(), POLLIN, 0};
  if (::poll(&ready, 1, 10'000) != 1) throw std::runtime_error("no asynchronous event came");
  const ibv_async_event event = device.get_async_event();
  device.acknowledge(event);
  return event;
}

ibv_ah_attr device_fixture::path_to_self() const {
  ibv_ah_attr path{};
  path.is_global = 1;
  path.port_num = port;
  path.grh.dgid = gid.gid;
  path.grh.sgid_index = static_cast<std::uint8_t>(gid.gid_index);
  path.grh.hop_limit = 64;
  return path;
}

sockaddr_in device_fixture::address() const {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  std::memcpy(&result.sin_addr, gid.gid.raw + 12, sizeof result.sin_addr);
  return result;
}

ibv_qp_init_attr device_fixture::queue_attributes(ibv_qp_type type) const {
  ibv_qp_init_attr attributes{};
  attributes.qp_type = type;
  attributes.send_cq = attributes.recv_cq = completions.native_handle();
  attributes.cap.max_send_wr = attributes.cap.max_recv_wr = 16;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  attributes.cap.max_inline_data = 64;
  return attributes;
}

ibv_send_wr send_request(std::uint64_t wr_id, ibv_wr_opcode opcode, ibv_sge& piece) {
  ibv_send_wr request{};
  request.wr_id = wr_id;
  request.opcode = opcode;
  request.send_flags = IBV_SEND_SIGNALED;
  request.sg_list = &piece;
  request.num_sge = 1;
  return request;
}

ibv_recv_wr receive_request(std::uint64_t wr_id, ibv_sge& piece) {
  ibv_recv_wr request{};
  request.wr_id = wr_id;
  request.sg_list = &piece;
  request.num_sge = 1;
  return request;
}

connected_pairs::connected_pairs() : a(make(*this)), b(make(*this)) {
  connect(*this, a, b);
  connect(*this, b, a);
}

verbs::queue_pair connected_pairs::make(const device_fixture& f, ibv_srq* shared) {
  ibv_qp_init_attr attributes = f.queue_attributes(IBV_QPT_RC);
  attributes.srq = shared;
  return verbs::queue_pair(f.domain, attributes);
}

void connected_pairs::connect(const device_fixture& f, const verbs::queue_pair_ref& from,
                              const verbs::queue_pair_ref& to) {
  verbs::init_attributes init;
  init.port = f.port;
  init.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
  from.to_init(init);
  verbs::rtr_attributes rtr;
  rtr.path = f.path_to_self();
  rtr.path_mtu = f.mtu;
  rtr.destination_qp = to.number();
  from.to_rtr(rtr);
  from.to_rts();
}

}  // namespace verbs_test
