// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The device and its port as programs see them.

#include "soft/calls.hpp"
#include "soft/completion_queue.hpp"
#include "soft/context.hpp"
#include "soft/descriptor.hpp"
#include "soft/device.hpp"
#include "soft/gid_table.hpp"
#include "soft/limits.hpp"
#include "soft/memory.hpp"
#include "soft/queue_pair.hpp"

#include <arpa/inet.h>
#include <endian.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

/// Some libraries for cards look behind a device for what their own have there, to tell whether it is one: nothing is.
struct padded_device : ibv_device {
  void* nothing[32];
};

ibv_device& the_device() noexcept {
  static padded_device d = [] {
    padded_device result{};
    result.node_type = IBV_NODE_CA;
    result.transport_type = IBV_TRANSPORT_IB;
    std::strcpy(result.name, "soft0");
    std::strcpy(result.dev_name, "soft0");
    return result;
  }();
  return d;
}

// Locally administered, as an EUI-64 that nobody was given: "soft0".
constexpr std::uint64_t guid = 0x0273'6f66'7430'0001;
constexpr std::uint32_t vendor = guid >> 40;

/// Copies as much of an attribute structure as the caller, who may know of fewer members, has room for.
template <class T>
void copy_attributes(const T& from, T* to, std::size_t size) noexcept {
  std::memcpy(to, &from, std::min(size, sizeof from));
}

int query_port_ex(ibv_context* c, std::uint8_t port, ibv_port_attr* a, std::size_t size) {
  ibv_port_attr full;
  const int e = query_port(c, port, &full);
  if (e == 0) copy_attributes(full, a, size);
  return e;
}

}  // namespace

ibv_device** get_device_list(int* count) {
  if (count) *count = 1;
  return new ibv_device*[2]{&the_device(), nullptr};
}

void free_device_list(ibv_device** list) {
  delete[] list;
}

const char* get_device_name(ibv_device* d) {
  return d->name;
}

__be64 get_device_guid(ibv_device*) {
  return htobe64(guid);
}

ibv_context* open_device(ibv_device* d) {
  if (!device::instance()) return nullptr;
  auto* const result = new context();
  ibv_context& c = result->verbs_context::context;
  descriptor events(::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
  descriptor commands(::eventfd(0, EFD_CLOEXEC));  // there is nobody behind it, but programs duplicate it
  if (!events || !commands) {
    delete result;
    return nullptr;
  }
  c.async_fd = events.release();
  c.cmd_fd = commands.release();
  c.device = d;
  c.num_comp_vectors = 1;
  c.ops.alloc_mw = alloc_mw;
  c.ops.dealloc_mw = dealloc_mw;
  c.ops.bind_mw = bind_mw;
  c.ops.poll_cq = poll_cq;
  c.ops.req_notify_cq = req_notify_cq;
  c.ops.post_send = post_send;
  c.ops.post_recv = post_recv;
  c.ops.post_srq_recv = post_srq_recv;
  pthread_mutex_init(&c.mutex, nullptr);
  // What verbs.h asks for beyond that; it takes a null pointer as "not supported".
  c.abi_compat = reinterpret_cast<void*>(~std::uintptr_t{0});  // __VERBS_ABI_IS_EXTENDED
  result->sz = sizeof(verbs_context);
  result->query_port = query_port_ex;
  result->query_device_ex = query_device_ex;
  result->query_rt_values = query_rt_values;
  result->create_cq_ex = create_cq_ex;
  result->create_qp_ex = create_qp_ex;
  return &c;
}

int close_device(ibv_context* c) {
  ::close(c->async_fd);
  ::close(c->cmd_fd);
  pthread_mutex_destroy(&c->mutex);
  delete own(c);
  return 0;
}

int query_device(ibv_context*, ibv_device_attr* a) {
  *a = ibv_device_attr{};
  std::strcpy(a->fw_ver, "1");
  a->node_guid = a->sys_image_guid = htobe64(guid);
  a->max_mr_size = ~std::uint64_t{0};
  a->page_size_cap = 0xfffff000;
  a->vendor_id = vendor;
  a->vendor_part_id = 1;
  a->max_qp = static_cast<int>(max_qps - first_qp);
  a->max_qp_wr = static_cast<int>(max_wr);
  a->device_cap_flags = IBV_DEVICE_RC_RNR_NAK_GEN | IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
                        IBV_DEVICE_CURR_QP_STATE_MOD | IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_N_NOTIFY_CQ;
  a->max_sge = a->max_sge_rd = a->max_srq_sge = static_cast<int>(max_sge);
  a->max_cq = static_cast<int>(max_cqs);
  a->max_cqe = static_cast<int>(max_cqe);
  a->max_mr = a->max_mw = static_cast<int>(max_keys - 1);
  a->max_pd = 1 << 20;
  a->max_qp_rd_atom = a->max_qp_init_rd_atom = static_cast<int>(max_rd_atomic);
  a->max_res_rd_atom = a->max_qp_rd_atom * a->max_qp;
  a->atomic_cap = IBV_ATOMIC_HCA;
  a->max_ah = 1 << 20;
  a->max_srq = static_cast<int>(max_srqs);
  a->max_srq_wr = static_cast<int>(max_wr);
  a->max_mcast_grp = a->max_mcast_qp_attach = a->max_total_mcast_qp_attach =
      static_cast<int>(max_multicast_attachments);
  a->max_pkeys = 1;
  a->phys_port_cnt = 1;
  return 0;
}

int query_device_ex(ibv_context* c, const ibv_query_device_ex_input*, ibv_device_attr_ex* a, std::size_t size) {
  if (size < sizeof a->orig_attr) return EINVAL;
  ibv_device_attr_ex full{};
  const int e = query_device(c, &full.orig_attr);
  if (e != 0) return e;
  full.hca_core_clock = 1'000'000;  // kHz: query_rt_values() counts nanoseconds
  full.device_cap_flags_ex = full.orig_attr.device_cap_flags;
  full.phys_port_cnt_ex = full.orig_attr.phys_port_cnt;
  std::memset(a, 0, size);
  copy_attributes(full, a, size);
  return 0;
}

int query_rt_values(ibv_context*, ibv_values_ex* values) {
  if ((values->comp_mask & IBV_VALUES_MASK_RAW_CLOCK) == 0) {
    values->comp_mask = 0;
    return 0;
  }
  values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
  return ::clock_gettime(CLOCK_MONOTONIC_RAW, &values->raw_clock) == 0 ? 0 : errno;
}

int query_port(ibv_context*, std::uint8_t port, ibv_port_attr* a) {
  if (port != 1) return EINVAL;
  *a = ibv_port_attr{};
  a->state = IBV_PORT_ACTIVE;
  a->max_mtu = a->active_mtu = IBV_MTU_4096;
  a->gid_tbl_len = gid_table_size;
  a->port_cap_flags = IBV_PORT_CM_SUP;
  a->max_msg_sz = max_message;
  a->pkey_tbl_len = 1;
  a->active_width = 1;
  a->active_speed = 1;
  a->phys_state = 5;  // LinkUp, in IBTA's PortInfo
  a->link_layer = IBV_LINK_LAYER_ETHERNET;
  a->flags = IBV_QPF_GRH_REQUIRED;
  return 0;
}

int query_gid(ibv_context*, std::uint8_t port, int index, ibv_gid* gid) {
  if (port != 1 || index < 0 || index >= gid_table_size) {
    errno = EINVAL;
    return -1;
  }
  *gid = gid_at(index).value_or(ibv_gid{});
  return 0;
}

int query_gid_ex(ibv_context*, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry, std::uint32_t flags) {
  if (port != 1 || index >= gid_table_size || flags != 0) return EINVAL;
  const std::vector<gid_row> table = gid_table();
  if (index >= table.size()) return ENODATA;
  *entry = ibv_gid_entry{};
  entry->gid = table[index].gid;
  entry->gid_index = index;
  entry->port_num = port;
  entry->gid_type = IBV_GID_TYPE_ROCE_V2;
  entry->ndev_ifindex = table[index].interface;
  return 0;
}

ssize_t query_gid_table(ibv_context* c, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags) {
  if (flags != 0) return -EINVAL;
  const std::size_t count = gid_table().size();
  if (size < count) return -EINVAL;
  for (std::uint32_t i = 0; i < count; ++i) (void)query_gid_ex(c, 1, i, &entries[i], 0);
  return static_cast<ssize_t>(count);
}

int query_pkey(ibv_context*, std::uint8_t port, int index, __be16* pkey) {
  if (port != 1 || index != 0) {
    errno = EINVAL;
    return -1;
  }
  *pkey = htobe16(0xffff);
  return 0;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
