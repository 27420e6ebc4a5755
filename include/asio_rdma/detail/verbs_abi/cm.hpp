// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_CM_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_CM_HPP

#include <asio_rdma/detail/verbs_abi/objects.hpp>

#include <netinet/in.h>
#include <sys/socket.h>

// The connection manager, as rdma_cm(7), rdma_get_cm_event(3), rdma_connect(3), rdma_join_multicast_ex(3),
// rdma_set_option(3) and rdma_getaddrinfo(3) have it.

enum rdma_cm_event_type {
  RDMA_CM_EVENT_ADDR_RESOLVED,
  RDMA_CM_EVENT_ADDR_ERROR,
  RDMA_CM_EVENT_ROUTE_RESOLVED,
  RDMA_CM_EVENT_ROUTE_ERROR,
  RDMA_CM_EVENT_CONNECT_REQUEST,
  RDMA_CM_EVENT_CONNECT_RESPONSE,
  RDMA_CM_EVENT_CONNECT_ERROR,
  RDMA_CM_EVENT_UNREACHABLE,
  RDMA_CM_EVENT_REJECTED,
  RDMA_CM_EVENT_ESTABLISHED,
  RDMA_CM_EVENT_DISCONNECTED,
  RDMA_CM_EVENT_DEVICE_REMOVAL,
  RDMA_CM_EVENT_MULTICAST_JOIN,
  RDMA_CM_EVENT_MULTICAST_ERROR,
  RDMA_CM_EVENT_ADDR_CHANGE,
  RDMA_CM_EVENT_TIMEWAIT_EXIT
};

enum rdma_port_space { RDMA_PS_IPOIB = 0x002, RDMA_PS_TCP = 0x106, RDMA_PS_UDP = 0x111, RDMA_PS_IB = 0x13f };

constexpr std::uint32_t RDMA_UDP_QKEY = 0x01234567;

enum { RDMA_MAX_RESP_RES = 0xff, RDMA_MAX_INIT_DEPTH = 0xff };

enum { RDMA_OPTION_ID = 0, RDMA_OPTION_IB = 1 };
enum {
  RDMA_OPTION_ID_TOS = 0,
  RDMA_OPTION_ID_REUSEADDR = 1,
  RDMA_OPTION_ID_AFONLY = 2,
  RDMA_OPTION_ID_ACK_TIMEOUT = 3
};

struct rdma_ib_addr {
  ibv_gid sgid;
  ibv_gid dgid;
  __be16 pkey;
};

struct rdma_addr {
  union {
    sockaddr src_addr;
    sockaddr_in src_sin;
    sockaddr_in6 src_sin6;
    sockaddr_storage src_storage;
  };
  union {
    sockaddr dst_addr;
    sockaddr_in dst_sin;
    sockaddr_in6 dst_sin6;
    sockaddr_storage dst_storage;
  };
  union {
    rdma_ib_addr ibaddr;
  } addr;
};

struct ibv_sa_path_rec {
  ibv_gid dgid;
  ibv_gid sgid;
  __be16 dlid;
  __be16 slid;
  int raw_traffic;
  __be32 flow_label;
  std::uint8_t hop_limit;
  std::uint8_t traffic_class;
  int reversible;
  std::uint8_t numb_path;
  __be16 pkey;
  std::uint8_t sl;
  std::uint8_t mtu_selector;
  std::uint8_t mtu;
  std::uint8_t rate_selector;
  std::uint8_t rate;
  std::uint8_t packet_life_time_selector;
  std::uint8_t packet_life_time;
  std::uint8_t preference;
};

struct rdma_route {
  rdma_addr addr;
  ibv_sa_path_rec* path_rec;
  int num_paths;
};

struct rdma_event_channel {
  int fd;
};

struct rdma_cm_event;

struct rdma_cm_id {
  ibv_context* verbs;
  rdma_event_channel* channel;
  void* context;
  ibv_qp* qp;
  rdma_route route;
  rdma_port_space ps;
  std::uint8_t port_num;
  rdma_cm_event* event;
  ibv_comp_channel* send_cq_channel;
  ibv_cq* send_cq;
  ibv_comp_channel* recv_cq_channel;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  ibv_pd* pd;
  ibv_qp_type qp_type;
};

struct rdma_conn_param {
  const void* private_data;
  std::uint8_t private_data_len;
  std::uint8_t responder_resources;
  std::uint8_t initiator_depth;
  std::uint8_t flow_control;
  std::uint8_t retry_count;
  std::uint8_t rnr_retry_count;
  std::uint8_t srq;
  std::uint32_t qp_num;
};

struct rdma_ud_param {
  const void* private_data;
  std::uint8_t private_data_len;
  ibv_ah_attr ah_attr;
  std::uint32_t qp_num;
  std::uint32_t qkey;
};

struct rdma_cm_event {
  rdma_cm_id* id;
  rdma_cm_id* listen_id;
  rdma_cm_event_type event;
  int status;
  union {
    rdma_conn_param conn;
    rdma_ud_param ud;
  } param;
};

enum rdma_cm_join_mc_attr_mask { RDMA_CM_JOIN_MC_ATTR_ADDRESS = 1, RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS = 2 };
constexpr std::uint32_t RDMA_CM_JOIN_MC_ATTR_RESERVED = 4;
enum rdma_cm_mc_join_flags {
  RDMA_MC_JOIN_FLAG_FULLMEMBER,
  RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
  RDMA_MC_JOIN_FLAG_RESERVED
};

struct rdma_cm_join_mc_attr_ex {
  std::uint32_t comp_mask;
  std::uint32_t join_flags;
  sockaddr* addr;
};

enum { RAI_PASSIVE = 1, RAI_NUMERICHOST = 2, RAI_NOROUTE = 4, RAI_FAMILY = 8 };

struct rdma_addrinfo {
  int ai_flags;
  int ai_family;
  int ai_qp_type;
  int ai_port_space;
  socklen_t ai_src_len;
  socklen_t ai_dst_len;
  sockaddr* ai_src_addr;
  sockaddr* ai_dst_addr;
  char* ai_src_canonname;
  char* ai_dst_canonname;
  std::size_t ai_route_len;
  void* ai_route;
  std::size_t ai_connect_len;
  void* ai_connect;
  rdma_addrinfo* ai_next;
};

#endif
