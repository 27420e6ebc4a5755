// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// An echo over a reliable connection, on the verbs layer alone: on hardware or, as ASIO_RDMA_DEVICE says, on soft0.
//
//   verbs_echo ADDRESS PORT          a server, which ends after one client
//   verbs_echo ADDRESS PORT TEXT

#include <arpa/inet.h>
#include <asio_rdma/verbs/verbs.hpp>
#include <iostream>
#include <string>

using namespace asio_rdma::verbs;
using boost::system::system_error;

// One end of a connection. Members are destroyed from the last to the first: the id with its queue pair at once.
struct peer {
  explicit peer(cm_id i) : domain(i.context()), completions(i.context(), 2), id(std::move(i)) {
    std::cerr << "device " << id.context().name() << '\n';
    ibv_qp_init_attr attributes{};
    attributes.qp_type = IBV_QPT_RC;
    attributes.send_cq = attributes.recv_cq = completions.native_handle();
    attributes.cap = {1, 1, 1, 1, 0};  // sends, receives, pieces of memory in each, bytes of inline data
    id.create_queue_pair(domain, attributes);
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(incoming), 1024, memory.lkey()};
    ibv_recv_wr request{0, nullptr, &piece, 1};
    id.queue_pair().post_receive(request);  // before the connection stands, so that no message comes too early
  }
  void send(const std::string& text) {
    const auto size = static_cast<std::uint32_t>(text.copy(outgoing, 1024));
    ibv_sge piece{reinterpret_cast<std::uintptr_t>(outgoing), size, memory.lkey()};
    ibv_send_wr request{};
    request.opcode = IBV_WR_SEND, request.send_flags = IBV_SEND_SIGNALED, request.sg_list = &piece, request.num_sge = 1;
    id.queue_pair().post_send(request);
  }
  std::size_t wait_for(ibv_wc_opcode wanted) {
    ibv_wc completion{};
    while (completions.poll(&completion, 1) != 1 || completion.opcode != wanted)
      if (completion.status != IBV_WC_SUCCESS) throw system_error(completion_error(completion.status), "completion");
    return completion.byte_len;
  }
  char incoming[2048], *outgoing = incoming + 1024;
  protection_domain domain;
  completion_queue completions;
  memory_region memory{domain, incoming, sizeof incoming, IBV_ACCESS_LOCAL_WRITE};
  cm_id id;
};

cm_event expect(const event_channel& channel, rdma_cm_event_type type) {
  const cm_event event = channel.get_event();
  if (event.type != type) throw system_error(event.error(), "rdma_get_cm_event");
  return event;
}

int main(int argc, char** argv) try {
  if (argc < 3) return std::cerr << "usage: verbs_echo ADDRESS PORT [TEXT]  (a server without TEXT)\n", 1;
  const sockaddr_in address{AF_INET, htons(static_cast<std::uint16_t>(std::stoi(argv[2]))), {inet_addr(argv[1])}, {}};
  const auto* const endpoint = reinterpret_cast<const sockaddr*>(&address);
  const rdma_conn_param parameters{nullptr, 0, 0, 0, 0, /*retries*/ 7, /*when not ready*/ 7, 0, 0};
  const event_channel channel(policy_table());
  cm_id id(channel);
  if (argc == 3) {
    id.bind(endpoint);
    id.listen(1);
    std::cout << "listening on " << argv[1] << ':' << id.source_port() << std::endl;
    peer p(cm_id::adopt(expect(channel, RDMA_CM_EVENT_CONNECT_REQUEST).id, channel.table()));
    p.id.accept(parameters);
    expect(channel, RDMA_CM_EVENT_ESTABLISHED);
    p.send(std::string(p.incoming, p.wait_for(IBV_WC_RECV)));
    expect(channel, RDMA_CM_EVENT_DISCONNECTED);
  } else {
    id.resolve_address(nullptr, endpoint, std::chrono::seconds(2));
    expect(channel, RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolve_route(std::chrono::seconds(2));
    expect(channel, RDMA_CM_EVENT_ROUTE_RESOLVED);
    peer p(std::move(id));
    p.id.connect(parameters);
    expect(channel, RDMA_CM_EVENT_ESTABLISHED);
    p.send(argv[3]);
    std::cout << std::string(p.incoming, p.wait_for(IBV_WC_RECV)) << '\n';
    p.id.disconnect();
  }
} catch (const system_error& e) {
  return std::cerr << e.what() << '\n', 1;
}
