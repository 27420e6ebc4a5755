// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_DEVICE_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_DEVICE_HPP

#include <linux/types.h>
#include <cstddef>
#include <cstdint>

// Devices, ports, addresses and asynchronous events, as ibv_get_device_list(3), ibv_query_device(3), ibv_query_port(3),
// ibv_query_gid(3) and ibv_get_async_event(3) have them.

struct ibv_context;
struct ibv_cq;
struct ibv_pd;
struct ibv_qp;
struct ibv_srq;
struct ibv_wq;

enum ibv_node_type {
  IBV_NODE_UNKNOWN = -1,
  IBV_NODE_CA = 1,
  IBV_NODE_SWITCH = 2,
  IBV_NODE_ROUTER = 3,
  IBV_NODE_RNIC = 4
};

enum ibv_transport_type { IBV_TRANSPORT_UNKNOWN = -1, IBV_TRANSPORT_IB = 0, IBV_TRANSPORT_IWARP = 1 };

enum { IBV_SYSFS_NAME_MAX = 64, IBV_SYSFS_PATH_MAX = 256 };

struct ibv_device {
  void* reserved[2];
  ibv_node_type node_type;
  ibv_transport_type transport_type;
  char name[IBV_SYSFS_NAME_MAX];
  char dev_name[IBV_SYSFS_NAME_MAX];
  char dev_path[IBV_SYSFS_PATH_MAX];
  char ibdev_path[IBV_SYSFS_PATH_MAX];
};

enum ibv_device_cap_flags {
  IBV_DEVICE_CURR_QP_STATE_MOD = 0x80,
  IBV_DEVICE_SYS_IMAGE_GUID = 0x800,
  IBV_DEVICE_RC_RNR_NAK_GEN = 0x1000,
  IBV_DEVICE_SRQ_RESIZE = 0x2000,
  IBV_DEVICE_N_NOTIFY_CQ = 0x4000,
  IBV_DEVICE_MEM_WINDOW = 0x20000,
  IBV_DEVICE_MEM_MGT_EXTENSIONS = 0x200000,
  IBV_DEVICE_MEM_WINDOW_TYPE_2A = 0x800000,
  IBV_DEVICE_MEM_WINDOW_TYPE_2B = 0x1000000
};

enum ibv_atomic_cap { IBV_ATOMIC_NONE, IBV_ATOMIC_HCA, IBV_ATOMIC_GLOB };

struct ibv_device_attr {
  char fw_ver[64];
  __be64 node_guid;
  __be64 sys_image_guid;
  std::uint64_t max_mr_size;
  std::uint64_t page_size_cap;
  std::uint32_t vendor_id;
  std::uint32_t vendor_part_id;
  std::uint32_t hw_ver;
  int max_qp;
  int max_qp_wr;
  unsigned device_cap_flags;
  int max_sge;
  int max_sge_rd;
  int max_cq;
  int max_cqe;
  int max_mr;
  int max_pd;
  int max_qp_rd_atom;
  int max_ee_rd_atom;
  int max_res_rd_atom;
  int max_qp_init_rd_atom;
  int max_ee_init_rd_atom;
  ibv_atomic_cap atomic_cap;
  int max_ee;
  int max_rdd;
  int max_mw;
  int max_raw_ipv6_qp;
  int max_raw_ethy_qp;
  int max_mcast_grp;
  int max_mcast_qp_attach;
  int max_total_mcast_qp_attach;
  int max_ah;
  int max_fmr;
  int max_map_per_fmr;
  int max_srq;
  int max_srq_wr;
  int max_srq_sge;
  std::uint16_t max_pkeys;
  std::uint8_t local_ca_ack_delay;
  std::uint8_t phys_port_cnt;
};

struct ibv_query_device_ex_input {
  std::uint32_t comp_mask;
};

struct ibv_device_attr_ex {
  ibv_device_attr orig_attr;
  std::uint32_t comp_mask;
  std::uint64_t reserved_odp_caps[3];
  std::uint64_t completion_timestamp_mask;
  std::uint64_t hca_core_clock;
  std::uint64_t device_cap_flags_ex;
  std::uint64_t reserved_before_max_dm_size[11];
  std::uint64_t max_dm_size;
  std::uint64_t reserved_pci_atomic_caps;
  std::uint32_t xrc_odp_caps;
  std::uint32_t phys_port_cnt_ex;
};

enum ibv_mtu { IBV_MTU_256 = 1, IBV_MTU_512 = 2, IBV_MTU_1024 = 3, IBV_MTU_2048 = 4, IBV_MTU_4096 = 5 };

enum ibv_port_state {
  IBV_PORT_NOP,
  IBV_PORT_DOWN,
  IBV_PORT_INIT,
  IBV_PORT_ARMED,
  IBV_PORT_ACTIVE,
  IBV_PORT_ACTIVE_DEFER
};

enum { IBV_LINK_LAYER_UNSPECIFIED, IBV_LINK_LAYER_INFINIBAND, IBV_LINK_LAYER_ETHERNET };

enum ibv_port_cap_flags { IBV_PORT_CM_SUP = 0x10000, IBV_PORT_IP_BASED_GIDS = 0x4000000 };

enum { IBV_QPF_GRH_REQUIRED = 1 };

struct ibv_port_attr {
  ibv_port_state state;
  ibv_mtu max_mtu;
  ibv_mtu active_mtu;
  int gid_tbl_len;
  std::uint32_t port_cap_flags;
  std::uint32_t max_msg_sz;
  std::uint32_t bad_pkey_cntr;
  std::uint32_t qkey_viol_cntr;
  std::uint16_t pkey_tbl_len;
  std::uint16_t lid;
  std::uint16_t sm_lid;
  std::uint8_t lmc;
  std::uint8_t max_vl_num;
  std::uint8_t sm_sl;
  std::uint8_t subnet_timeout;
  std::uint8_t init_type_reply;
  std::uint8_t active_width;
  std::uint8_t active_speed;
  std::uint8_t phys_state;
  std::uint8_t link_layer;
  std::uint8_t flags;
  std::uint16_t port_cap_flags2;
};

union ibv_gid {
  std::uint8_t raw[16];
  struct {
    __be64 subnet_prefix;
    __be64 interface_id;
  } global;
};

enum ibv_gid_type { IBV_GID_TYPE_IB, IBV_GID_TYPE_ROCE_V1, IBV_GID_TYPE_ROCE_V2 };

struct ibv_gid_entry {
  ibv_gid gid;
  std::uint32_t gid_index;
  std::uint32_t port_num;
  std::uint32_t gid_type;
  std::uint32_t ndev_ifindex;
};

enum ibv_event_type {
  IBV_EVENT_CQ_ERR,
  IBV_EVENT_QP_FATAL,
  IBV_EVENT_QP_REQ_ERR,
  IBV_EVENT_QP_ACCESS_ERR,
  IBV_EVENT_COMM_EST,
  IBV_EVENT_SQ_DRAINED,
  IBV_EVENT_PATH_MIG,
  IBV_EVENT_PATH_MIG_ERR,
  IBV_EVENT_DEVICE_FATAL,
  IBV_EVENT_PORT_ACTIVE,
  IBV_EVENT_PORT_ERR,
  IBV_EVENT_LID_CHANGE,
  IBV_EVENT_PKEY_CHANGE,
  IBV_EVENT_SM_CHANGE,
  IBV_EVENT_SRQ_ERR,
  IBV_EVENT_SRQ_LIMIT_REACHED,
  IBV_EVENT_QP_LAST_WQE_REACHED,
  IBV_EVENT_CLIENT_REREGISTER,
  IBV_EVENT_GID_CHANGE,
  IBV_EVENT_WQ_FATAL
};

struct ibv_async_event {
  union {
    ibv_cq* cq;
    ibv_qp* qp;
    ibv_srq* srq;
    ibv_wq* wq;
    int port_num;
  } element;
  ibv_event_type event_type;
};

#endif
