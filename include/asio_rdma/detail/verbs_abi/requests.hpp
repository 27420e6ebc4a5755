// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_VERBS_ABI_REQUESTS_HPP
#define ASIO_RDMA_DETAIL_VERBS_ABI_REQUESTS_HPP

#include <linux/types.h>
#include <cstddef>
#include <cstdint>

// Requests and completions, as ibv_post_send(3), ibv_post_recv(3), ibv_bind_mw(3) and ibv_poll_cq(3) have them.

struct ibv_ah;
struct ibv_mr;
struct ibv_mw;

enum ibv_wc_status {
  IBV_WC_SUCCESS,
  IBV_WC_LOC_LEN_ERR,
  IBV_WC_LOC_QP_OP_ERR,
  IBV_WC_LOC_EEC_OP_ERR,
  IBV_WC_LOC_PROT_ERR,
  IBV_WC_WR_FLUSH_ERR,
  IBV_WC_MW_BIND_ERR,
  IBV_WC_BAD_RESP_ERR,
  IBV_WC_LOC_ACCESS_ERR,
  IBV_WC_REM_INV_REQ_ERR,
  IBV_WC_REM_ACCESS_ERR,
  IBV_WC_REM_OP_ERR,
  IBV_WC_RETRY_EXC_ERR,
  IBV_WC_RNR_RETRY_EXC_ERR,
  IBV_WC_LOC_RDD_VIOL_ERR,
  IBV_WC_REM_INV_RD_REQ_ERR,
  IBV_WC_REM_ABORT_ERR,
  IBV_WC_INV_EECN_ERR,
  IBV_WC_INV_EEC_STATE_ERR,
  IBV_WC_FATAL_ERR,
  IBV_WC_RESP_TIMEOUT_ERR,
  IBV_WC_GENERAL_ERR,
  IBV_WC_TM_ERR,
  IBV_WC_TM_RNDV_INCOMPLETE
};

enum ibv_wc_opcode {
  IBV_WC_SEND,
  IBV_WC_RDMA_WRITE,
  IBV_WC_RDMA_READ,
  IBV_WC_COMP_SWAP,
  IBV_WC_FETCH_ADD,
  IBV_WC_BIND_MW,
  IBV_WC_LOCAL_INV,
  IBV_WC_TSO,
  IBV_WC_RECV = 0x80,
  IBV_WC_RECV_RDMA_WITH_IMM
};

enum ibv_wc_flags { IBV_WC_GRH = 1, IBV_WC_WITH_IMM = 2, IBV_WC_IP_CSUM_OK = 4, IBV_WC_WITH_INV = 8 };

struct ibv_wc {
  std::uint64_t wr_id;
  ibv_wc_status status;
  ibv_wc_opcode opcode;
  std::uint32_t vendor_err;
  std::uint32_t byte_len;
  union {
    __be32 imm_data;
    std::uint32_t invalidated_rkey;
  };
  std::uint32_t qp_num;
  std::uint32_t src_qp;
  unsigned wc_flags;
  std::uint16_t pkey_index;
  std::uint16_t slid;
  std::uint8_t sl;
  std::uint8_t dlid_path_bits;
};

struct ibv_sge {
  std::uint64_t addr;
  std::uint32_t length;
  std::uint32_t lkey;
};

struct ibv_data_buf {
  void* addr;
  std::size_t length;
};

enum ibv_wr_opcode {
  IBV_WR_RDMA_WRITE,
  IBV_WR_RDMA_WRITE_WITH_IMM,
  IBV_WR_SEND,
  IBV_WR_SEND_WITH_IMM,
  IBV_WR_RDMA_READ,
  IBV_WR_ATOMIC_CMP_AND_SWP,
  IBV_WR_ATOMIC_FETCH_AND_ADD,
  IBV_WR_LOCAL_INV,
  IBV_WR_BIND_MW,
  IBV_WR_SEND_WITH_INV,
  IBV_WR_TSO
};

enum ibv_send_flags {
  IBV_SEND_FENCE = 1,
  IBV_SEND_SIGNALED = 2,
  IBV_SEND_SOLICITED = 4,
  IBV_SEND_INLINE = 8,
  IBV_SEND_IP_CSUM = 16
};

struct ibv_mw_bind_info {
  ibv_mr* mr;
  std::uint64_t addr;
  std::uint64_t length;
  unsigned mw_access_flags;
};

struct ibv_mw_bind {
  std::uint64_t wr_id;
  unsigned send_flags;
  ibv_mw_bind_info bind_info;
};

// These two have no names in rdma-core.
struct ibv_bind_mw_of_send_wr {
  ibv_mw* mw;
  std::uint32_t rkey;
  ibv_mw_bind_info bind_info;
};
struct ibv_tso_of_send_wr {
  void* hdr;
  std::uint16_t hdr_sz;
  std::uint16_t mss;
};

struct ibv_send_wr {
  std::uint64_t wr_id;
  ibv_send_wr* next;
  ibv_sge* sg_list;
  int num_sge;
  ibv_wr_opcode opcode;
  unsigned send_flags;
  union {
    __be32 imm_data;
    std::uint32_t invalidate_rkey;
  };
  union {
    struct {
      std::uint64_t remote_addr;
      std::uint32_t rkey;
    } rdma;
    struct {
      std::uint64_t remote_addr;
      std::uint64_t compare_add;
      std::uint64_t swap;
      std::uint32_t rkey;
    } atomic;
    struct {
      ibv_ah* ah;
      std::uint32_t remote_qpn;
      std::uint32_t remote_qkey;
    } ud;
  } wr;
  union {
    struct {
      std::uint32_t remote_srqn;
    } xrc;
  } qp_type;
  union {
    ibv_bind_mw_of_send_wr bind_mw;
    ibv_tso_of_send_wr tso;
  };
};

struct ibv_recv_wr {
  std::uint64_t wr_id;
  ibv_recv_wr* next;
  ibv_sge* sg_list;
  int num_sge;
};

#endif
