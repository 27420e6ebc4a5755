// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "raw_peer.hpp"

#include "transfer/message.hpp"
#include "verbs/local_addresses.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace cm_test {

namespace {

constexpr std::chrono::milliseconds timeout{2000};
constexpr std::size_t ring_size = 64 * 1024;
constexpr std::uint64_t receive_id = 1;

const sockaddr* plain(const sockaddr_storage& a) {
  return reinterpret_cast<const sockaddr*>(&a);
}

}  // namespace

sockaddr_storage device_address(std::uint16_t port) {
  std::vector<sockaddr_storage> candidates;
  if (&verbs::policy_table() == &verbs::software_device()) {
    candidates = verbs::local_addresses();
  } else {
    for (const verbs::rdma_address& a : verbs::rdma_addresses()) candidates.push_back(a.address);
  }
  for (sockaddr_storage& candidate : candidates) {
    if (candidate.ss_family != AF_INET || verbs::is_loopback_address(*plain(candidate))) continue;
    reinterpret_cast<sockaddr_in&>(candidate).sin_port = htons(port);
    return candidate;
  }
  BOOST_FAIL("the device has no IPv4 address but loopback");
  return {};
}

std::uint16_t port_of(const sockaddr_storage& a) {
  return ntohs(reinterpret_cast<const sockaddr_in&>(a).sin_port);
}

raw_peer::raw_peer() : memory_(ring_size + transfer::mirror_size + 64) {
  channel_ = verbs::event_channel(verbs::policy_table());
}

verbs::cm_event raw_peer::next_event() {
  return channel_.get_event();
}

verbs::cm_event raw_peer::expect(rdma_cm_event_type type) {
  const verbs::cm_event event = next_event();
  // Not a check of Boost.Test's, which belong to the main thread.
  if (event.type != type) {
    throw std::runtime_error("expected event " + std::to_string(type) + ", not " + std::to_string(event.type));
  }
  return event;
}

void raw_peer::make_queue_pair() {
  domain_ = verbs::protection_domain(id_.context());
  completions_ = verbs::completion_queue(id_.context(), 256);
  region_ =
      verbs::memory_region(domain_, memory_.data(), memory_.size(), IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
  ibv_qp_init_attr attributes{};
  attributes.send_cq = completions_.native_handle();
  attributes.recv_cq = completions_.native_handle();
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap = {64, 128, 1, 1, 0};
  id_.create_queue_pair(domain_, attributes);
  for (int i = 0; i < 128; ++i) {
    ibv_recv_wr receive{};
    receive.wr_id = receive_id;
    id_.queue_pair().post_receive(receive);
  }
}

verbs::cm_event raw_peer::connect(std::uint16_t port, const std::vector<unsigned char>& private_data) {
  return connect(device_address(port), private_data);
}

verbs::cm_event raw_peer::connect(const sockaddr_storage& to, const std::vector<unsigned char>& private_data) {
  prepare(to);
  return ask(private_data);
}

void raw_peer::prepare(const sockaddr_storage& to) {
  id_ = verbs::cm_id(channel_);
  id_.resolve_address(nullptr, plain(to), timeout);
  expect(RDMA_CM_EVENT_ADDR_RESOLVED);
  id_.resolve_route(timeout);
  expect(RDMA_CM_EVENT_ROUTE_RESOLVED);
  make_queue_pair();
}

void raw_peer::request(const std::vector<unsigned char>& private_data) {
  std::vector<unsigned char> text = private_data;
  if (text.empty()) {
    text = bytes_of(transfer::encode_handshake(good_handshake()));
  }
  rdma_conn_param parameters{};
  parameters.private_data = text.data();
  parameters.private_data_len = static_cast<std::uint8_t>(text.size());
  parameters.responder_resources = parameters.initiator_depth = 1;  // it may try to read
  parameters.retry_count = 7;
  parameters.rnr_retry_count = 7;
  id_.connect(parameters);
}

verbs::cm_event raw_peer::ask(const std::vector<unsigned char>& private_data) {
  request(private_data);
  const verbs::cm_event event = next_event();
  if (event.type == RDMA_CM_EVENT_ESTABLISHED) {
    other_ = transfer::decode_handshake(event.private_data.data(), event.private_data_size).value;
  }
  return event;
}

std::uint16_t raw_peer::listen() {
  listener_ = verbs::cm_id(channel_);
  const sockaddr_storage any = device_address(0);
  listener_.bind(plain(any));
  listener_.listen(8);
  return listener_.source_port();
}

void raw_peer::accept(const std::vector<unsigned char>& private_data) {
  const verbs::cm_event request = expect(RDMA_CM_EVENT_CONNECT_REQUEST);
  other_ = transfer::decode_handshake(request.private_data.data(), request.private_data_size).value;
  id_ = verbs::cm_id::adopt(request.id, channel_.table());
  make_queue_pair();
  rdma_conn_param parameters{};
  parameters.private_data = private_data.data();
  parameters.private_data_len = static_cast<std::uint8_t>(private_data.size());
  parameters.rnr_retry_count = 7;
  id_.accept(parameters);
}

void raw_peer::reject(const std::vector<unsigned char>& private_data) {
  request_ = verbs::cm_id::adopt(expect(RDMA_CM_EVENT_CONNECT_REQUEST).id, channel_.table());
  request_.reject(private_data.data(), static_cast<std::uint8_t>(private_data.size()));
}

transfer::handshake raw_peer::good_handshake() const {
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
  const std::uint64_t aligned = (start + 63) & ~std::uint64_t{63};
  transfer::handshake h;
  h.features = transfer::feature_ring | transfer::feature_direct;
  h.ring_size = ring_size;
  h.queue_depth = 128;
  h.max_chunk = ring_size;
  h.ring_address = aligned;
  h.ring_key = region_ ? region_.rkey() : 0;
  h.mirror_address = aligned + ring_size;
  h.mirror_key = h.ring_key;
  return h;
}

const unsigned char* raw_peer::text(unsigned slot) const {
  const auto first = reinterpret_cast<std::uintptr_t>(memory_.data());
  return memory_.data() + (good_handshake().mirror_address - first) + slot * transfer::mirror_slot_size;
}

ibv_wc_status raw_peer::post(ibv_send_wr& request) {
  request.send_flags |= IBV_SEND_SIGNALED;
  id_.queue_pair().post_send(request);
  // rxe of Linux 6.1 may never complete a request whose receiver went to the error state: then we flush it.
  auto give_up = std::chrono::steady_clock::now() + timeout;
  ibv_wc wc{};
  for (;;) {
    if (completions_.poll(&wc, 1) > 0) {
      if (wc.wr_id != receive_id) return wc.status;
    } else if (std::chrono::steady_clock::now() > give_up) {
      id_.queue_pair().to_error();
      give_up += timeout;
    }
  }
}

ibv_wc_status raw_peer::write(std::uint64_t to, std::uint32_t key, const std::vector<unsigned char>& bytes,
                              std::uint32_t immediate) {
  std::copy(bytes.begin(), bytes.end(), memory_.begin());
  ibv_sge entry{reinterpret_cast<std::uintptr_t>(memory_.data()), static_cast<std::uint32_t>(bytes.size()),
                region_.lkey()};
  ibv_send_wr request{};
  request.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  request.imm_data = htonl(immediate);
  request.wr.rdma.remote_addr = to;
  request.wr.rdma.rkey = key;
  request.sg_list = &entry;
  request.num_sge = bytes.empty() ? 0 : 1;
  return post(request);
}

ibv_wc_status raw_peer::one_sided(ibv_wr_opcode opcode, std::uint64_t to, std::uint32_t key, std::uint32_t length) {
  ibv_sge entry{reinterpret_cast<std::uintptr_t>(memory_.data()), length, region_.lkey()};
  ibv_send_wr request{};
  request.opcode = opcode;
  if (opcode == IBV_WR_RDMA_READ) {
    request.wr.rdma.remote_addr = to;
    request.wr.rdma.rkey = key;
  } else {
    request.wr.atomic.remote_addr = to;
    request.wr.atomic.rkey = key;
    request.wr.atomic.compare_add = 1;
  }
  request.sg_list = &entry;
  request.num_sge = 1;
  return post(request);
}

ibv_wc_status raw_peer::send(std::uint32_t immediate) {
  ibv_send_wr request{};
  request.opcode = IBV_WR_SEND_WITH_IMM;
  request.imm_data = htonl(immediate);
  return post(request);
}

}  // namespace cm_test
