// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_OBJECTS_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_OBJECTS_HPP

#include <asio_rdma/detail/verbs_abi/device.hpp>
#include <asio_rdma/detail/verbs_abi/requests.hpp>

#include <pthread.h>

// Memory, queues and what they are made of, as ibv_reg_mr(3), ibv_create_cq(3), ibv_create_cq_ex(3), ibv_create_qp(3),
// ibv_create_qp_ex(3), ibv_modify_qp(3), ibv_create_srq(3), ibv_create_ah(3) and ibv_wr_post(3) have them.

struct ibv_rwq_ind_table;
struct ibv_xrcd;

enum ibv_access_flags {
  IBV_ACCESS_LOCAL_WRITE = 1,
  IBV_ACCESS_REMOTE_WRITE = 2,
  IBV_ACCESS_REMOTE_READ = 4,
  IBV_ACCESS_REMOTE_ATOMIC = 8,
  IBV_ACCESS_MW_BIND = 16,
  IBV_ACCESS_ZERO_BASED = 32,
  IBV_ACCESS_ON_DEMAND = 64,
  IBV_ACCESS_HUGETLB = 128,
  IBV_ACCESS_RELAXED_ORDERING = 0x100000
};
// Bits that a device may ignore.
constexpr int IBV_ACCESS_OPTIONAL_RANGE = 0x3ff00000;

enum ibv_rereg_mr_flags {
  IBV_REREG_MR_CHANGE_TRANSLATION = 1,
  IBV_REREG_MR_CHANGE_PD = 2,
  IBV_REREG_MR_CHANGE_ACCESS = 4
};

// What ibv_rereg_mr(3) returns.
enum ibv_rereg_mr_err_code {
  IBV_REREG_MR_ERR_INPUT = -1,
  IBV_REREG_MR_ERR_DONT_FORK_NEW = -2,
  IBV_REREG_MR_ERR_DO_FORK_OLD = -3,
  IBV_REREG_MR_ERR_CMD = -4,
  IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW = -5
};

struct ibv_pd {
  ibv_context* context;
  std::uint32_t handle;
};

struct ibv_mr {
  ibv_context* context;
  ibv_pd* pd;
  void* addr;
  std::size_t length;
  std::uint32_t handle;
  std::uint32_t lkey;
  std::uint32_t rkey;
};

enum ibv_mw_type { IBV_MW_TYPE_1 = 1, IBV_MW_TYPE_2 = 2 };

struct ibv_mw {
  ibv_context* context;
  ibv_pd* pd;
  std::uint32_t rkey;
  std::uint32_t handle;
  ibv_mw_type type;
};

struct ibv_comp_channel {
  ibv_context* context;
  int fd;
  int refcnt;
};

struct ibv_cq {
  ibv_context* context;
  ibv_comp_channel* channel;
  void* cq_context;
  std::uint32_t handle;
  int cqe;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t comp_events_completed;
  std::uint32_t async_events_completed;
};

enum ibv_create_cq_wc_flags {
  IBV_WC_EX_WITH_BYTE_LEN = 0x1,
  IBV_WC_EX_WITH_IMM = 0x2,
  IBV_WC_EX_WITH_QP_NUM = 0x4,
  IBV_WC_EX_WITH_SRC_QP = 0x8,
  IBV_WC_EX_WITH_SLID = 0x10,
  IBV_WC_EX_WITH_SL = 0x20,
  IBV_WC_EX_WITH_DLID_PATH_BITS = 0x40,
  IBV_WC_EX_WITH_COMPLETION_TIMESTAMP = 0x80
};
enum { IBV_WC_STANDARD_FLAGS = 0x7f };

enum ibv_cq_init_attr_mask { IBV_CQ_INIT_ATTR_MASK_FLAGS = 1, IBV_CQ_INIT_ATTR_MASK_PD = 2 };
enum ibv_create_cq_attr_flags { IBV_CREATE_CQ_ATTR_SINGLE_THREADED = 1, IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN = 2 };

struct ibv_cq_init_attr_ex {
  std::uint32_t cqe;
  void* cq_context;
  ibv_comp_channel* channel;
  std::uint32_t comp_vector;
  std::uint64_t wc_flags;
  std::uint32_t comp_mask;
  std::uint32_t flags;
  ibv_pd* parent_domain;
};

struct ibv_poll_cq_attr {
  std::uint32_t comp_mask;
};

struct ibv_wc_tm_info;

struct ibv_cq_ex {
  ibv_context* context;
  ibv_comp_channel* channel;
  void* cq_context;
  std::uint32_t handle;
  int cqe;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t comp_events_completed;
  std::uint32_t async_events_completed;
  std::uint32_t comp_mask;
  ibv_wc_status status;
  std::uint64_t wr_id;
  int (*start_poll)(ibv_cq_ex* cq, ibv_poll_cq_attr* attributes);
  int (*next_poll)(ibv_cq_ex* cq);
  void (*end_poll)(ibv_cq_ex* cq);
  ibv_wc_opcode (*read_opcode)(ibv_cq_ex* cq);
  std::uint32_t (*read_vendor_err)(ibv_cq_ex* cq);
  std::uint32_t (*read_byte_len)(ibv_cq_ex* cq);
  __be32 (*read_imm_data)(ibv_cq_ex* cq);
  std::uint32_t (*read_qp_num)(ibv_cq_ex* cq);
  std::uint32_t (*read_src_qp)(ibv_cq_ex* cq);
  unsigned (*read_wc_flags)(ibv_cq_ex* cq);
  std::uint32_t (*read_slid)(ibv_cq_ex* cq);
  std::uint8_t (*read_sl)(ibv_cq_ex* cq);
  std::uint8_t (*read_dlid_path_bits)(ibv_cq_ex* cq);
  std::uint64_t (*read_completion_ts)(ibv_cq_ex* cq);
  std::uint16_t (*read_cvlan)(ibv_cq_ex* cq);
  std::uint32_t (*read_flow_tag)(ibv_cq_ex* cq);
  void (*read_tm_info)(ibv_cq_ex* cq, ibv_wc_tm_info* info);
  std::uint64_t (*read_completion_wallclock_ns)(ibv_cq_ex* cq);
};

struct ibv_global_route {
  ibv_gid dgid;
  std::uint32_t flow_label;
  std::uint8_t sgid_index;
  std::uint8_t hop_limit;
  std::uint8_t traffic_class;
};

// What stands before a received datagram.
struct ibv_grh {
  __be32 version_tclass_flow;
  __be16 paylen;
  std::uint8_t next_hdr;
  std::uint8_t hop_limit;
  ibv_gid sgid;
  ibv_gid dgid;
};

enum ibv_rate { IBV_RATE_MAX = 0, IBV_RATE_100_GBPS = 16 };

struct ibv_ah_attr {
  ibv_global_route grh;
  std::uint16_t dlid;
  std::uint8_t sl;
  std::uint8_t src_path_bits;
  std::uint8_t static_rate;
  std::uint8_t is_global;
  std::uint8_t port_num;
};

struct ibv_ah {
  ibv_context* context;
  ibv_pd* pd;
  std::uint32_t handle;
};

enum ibv_srq_attr_mask { IBV_SRQ_MAX_WR = 1, IBV_SRQ_LIMIT = 2 };

struct ibv_srq_attr {
  std::uint32_t max_wr;
  std::uint32_t max_sge;
  std::uint32_t srq_limit;
};

struct ibv_srq_init_attr {
  void* srq_context;
  ibv_srq_attr attr;
};

enum ibv_srq_type { IBV_SRQT_BASIC, IBV_SRQT_XRC, IBV_SRQT_TM };
enum ibv_srq_init_attr_mask { IBV_SRQ_INIT_ATTR_TYPE = 1, IBV_SRQ_INIT_ATTR_PD = 2 };

struct ibv_tm_cap {
  std::uint32_t max_num_tags;
  std::uint32_t max_ops;
};

struct ibv_srq_init_attr_ex {
  void* srq_context;
  ibv_srq_attr attr;
  std::uint32_t comp_mask;
  ibv_srq_type srq_type;
  ibv_pd* pd;
  ibv_xrcd* xrcd;
  ibv_cq* cq;
  ibv_tm_cap tm_cap;
};

struct ibv_srq {
  ibv_context* context;
  void* srq_context;
  ibv_pd* pd;
  std::uint32_t handle;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t events_completed;
};

enum ibv_qp_type {
  IBV_QPT_RC = 2,
  IBV_QPT_UC = 3,
  IBV_QPT_UD = 4,
  IBV_QPT_RAW_PACKET = 8,
  IBV_QPT_XRC_SEND = 9,
  IBV_QPT_XRC_RECV = 10,
  IBV_QPT_DRIVER = 0xff
};

struct ibv_qp_cap {
  std::uint32_t max_send_wr;
  std::uint32_t max_recv_wr;
  std::uint32_t max_send_sge;
  std::uint32_t max_recv_sge;
  std::uint32_t max_inline_data;
};

struct ibv_qp_init_attr {
  void* qp_context;
  ibv_cq* send_cq;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  ibv_qp_cap cap;
  ibv_qp_type qp_type;
  int sq_sig_all;
};

enum ibv_qp_init_attr_mask {
  IBV_QP_INIT_ATTR_PD = 1,
  IBV_QP_INIT_ATTR_XRCD = 2,
  IBV_QP_INIT_ATTR_CREATE_FLAGS = 4,
  IBV_QP_INIT_ATTR_SEND_OPS_FLAGS = 64
};

enum ibv_qp_create_send_ops_flags {
  IBV_QP_EX_WITH_RDMA_WRITE = 0x1,
  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM = 0x2,
  IBV_QP_EX_WITH_SEND = 0x4,
  IBV_QP_EX_WITH_SEND_WITH_IMM = 0x8,
  IBV_QP_EX_WITH_RDMA_READ = 0x10,
  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP = 0x20,
  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD = 0x40,
  IBV_QP_EX_WITH_LOCAL_INV = 0x80,
  IBV_QP_EX_WITH_BIND_MW = 0x100,
  IBV_QP_EX_WITH_SEND_WITH_INV = 0x200,
  IBV_QP_EX_WITH_TSO = 0x400
};

struct ibv_rx_hash_conf {
  std::uint8_t rx_hash_function;
  std::uint8_t rx_hash_key_len;
  std::uint8_t* rx_hash_key;
  std::uint64_t rx_hash_fields_mask;
};

struct ibv_qp_init_attr_ex {
  void* qp_context;
  ibv_cq* send_cq;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  ibv_qp_cap cap;
  ibv_qp_type qp_type;
  int sq_sig_all;
  std::uint32_t comp_mask;
  ibv_pd* pd;
  ibv_xrcd* xrcd;
  std::uint32_t create_flags;
  std::uint16_t max_tso_header;
  ibv_rwq_ind_table* rwq_ind_tbl;
  ibv_rx_hash_conf rx_hash_conf;
  std::uint32_t source_qpn;
  std::uint64_t send_ops_flags;
};

enum ibv_qp_attr_mask {
  IBV_QP_STATE = 0x1,
  IBV_QP_CUR_STATE = 0x2,
  IBV_QP_EN_SQD_ASYNC_NOTIFY = 0x4,
  IBV_QP_ACCESS_FLAGS = 0x8,
  IBV_QP_PKEY_INDEX = 0x10,
  IBV_QP_PORT = 0x20,
  IBV_QP_QKEY = 0x40,
  IBV_QP_AV = 0x80,
  IBV_QP_PATH_MTU = 0x100,
  IBV_QP_TIMEOUT = 0x200,
  IBV_QP_RETRY_CNT = 0x400,
  IBV_QP_RNR_RETRY = 0x800,
  IBV_QP_RQ_PSN = 0x1000,
  IBV_QP_MAX_QP_RD_ATOMIC = 0x2000,
  IBV_QP_ALT_PATH = 0x4000,
  IBV_QP_MIN_RNR_TIMER = 0x8000,
  IBV_QP_SQ_PSN = 0x10000,
  IBV_QP_MAX_DEST_RD_ATOMIC = 0x20000,
  IBV_QP_PATH_MIG_STATE = 0x40000,
  IBV_QP_CAP = 0x80000,
  IBV_QP_DEST_QPN = 0x100000,
  IBV_QP_RATE_LIMIT = 0x2000000
};

enum ibv_qp_state {
  IBV_QPS_RESET,
  IBV_QPS_INIT,
  IBV_QPS_RTR,
  IBV_QPS_RTS,
  IBV_QPS_SQD,
  IBV_QPS_SQE,
  IBV_QPS_ERR,
  IBV_QPS_UNKNOWN
};

enum ibv_mig_state { IBV_MIG_MIGRATED, IBV_MIG_REARM, IBV_MIG_ARMED };

struct ibv_qp_attr {
  ibv_qp_state qp_state;
  ibv_qp_state cur_qp_state;
  ibv_mtu path_mtu;
  ibv_mig_state path_mig_state;
  std::uint32_t qkey;
  std::uint32_t rq_psn;
  std::uint32_t sq_psn;
  std::uint32_t dest_qp_num;
  unsigned qp_access_flags;
  ibv_qp_cap cap;
  ibv_ah_attr ah_attr;
  ibv_ah_attr alt_ah_attr;
  std::uint16_t pkey_index;
  std::uint16_t alt_pkey_index;
  std::uint8_t en_sqd_async_notify;
  std::uint8_t sq_draining;
  std::uint8_t max_rd_atomic;
  std::uint8_t max_dest_rd_atomic;
  std::uint8_t min_rnr_timer;
  std::uint8_t port_num;
  std::uint8_t timeout;
  std::uint8_t retry_cnt;
  std::uint8_t rnr_retry;
  std::uint8_t alt_port_num;
  std::uint8_t alt_timeout;
  std::uint32_t rate_limit;
};

struct ibv_qp {
  ibv_context* context;
  void* qp_context;
  ibv_pd* pd;
  ibv_cq* send_cq;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  std::uint32_t handle;
  std::uint32_t qp_num;
  ibv_qp_state state;
  ibv_qp_type qp_type;
  pthread_mutex_t mutex;
  pthread_cond_t cond;
  std::uint32_t events_completed;
};

struct ibv_qp_ex {
  ibv_qp qp_base;
  std::uint64_t comp_mask;
  std::uint64_t wr_id;
  unsigned wr_flags;
  void (*wr_atomic_cmp_swp)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, std::uint64_t compare,
                            std::uint64_t swap);
  void (*wr_atomic_fetch_add)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, std::uint64_t add);
  void (*wr_bind_mw)(ibv_qp_ex* qp, ibv_mw* mw, std::uint32_t rkey, const ibv_mw_bind_info* bind_info);
  void (*wr_local_inv)(ibv_qp_ex* qp, std::uint32_t invalidate_rkey);
  void (*wr_rdma_read)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr);
  void (*wr_rdma_write)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr);
  void (*wr_rdma_write_imm)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, __be32 imm_data);
  void (*wr_send)(ibv_qp_ex* qp);
  void (*wr_send_imm)(ibv_qp_ex* qp, __be32 imm_data);
  void (*wr_send_inv)(ibv_qp_ex* qp, std::uint32_t invalidate_rkey);
  void (*wr_send_tso)(ibv_qp_ex* qp, void* hdr, std::uint16_t hdr_sz, std::uint16_t mss);
  void (*wr_set_ud_addr)(ibv_qp_ex* qp, ibv_ah* ah, std::uint32_t remote_qpn, std::uint32_t remote_qkey);
  void (*wr_set_xrc_srqn)(ibv_qp_ex* qp, std::uint32_t remote_srqn);
  void (*wr_set_inline_data)(ibv_qp_ex* qp, void* addr, std::size_t length);
  void (*wr_set_inline_data_list)(ibv_qp_ex* qp, std::size_t num_buf, const ibv_data_buf* buf_list);
  void (*wr_set_sge)(ibv_qp_ex* qp, std::uint32_t lkey, std::uint64_t addr, std::uint32_t length);
  void (*wr_set_sge_list)(ibv_qp_ex* qp, std::size_t num_sge, const ibv_sge* sg_list);
  void (*wr_start)(ibv_qp_ex* qp);
  int (*wr_complete)(ibv_qp_ex* qp);
  void (*wr_abort)(ibv_qp_ex* qp);
  void (*wr_atomic_write)(ibv_qp_ex* qp, std::uint32_t rkey, std::uint64_t remote_addr, const void* atomic_wr);
};

#endif
