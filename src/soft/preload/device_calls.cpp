// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The functions of libibverbs that are about devices and their ports.

#include "soft/preload/dispatch.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using namespace asio_rdma::soft::preload;

namespace {

/// The lists that have our device at the end of the real ones, and those real lists.
class lists {
public:
  static lists& instance() {
    static lists& only = *new lists;
    return only;
  }
  ibv_device** make(ibv_device** real, int count) {
    auto** const result = new ibv_device*[static_cast<std::size_t>(count) + 2];
    std::copy_n(real, count, result);
    result[count] = soft_device();
    result[count + 1] = nullptr;
    const std::lock_guard<std::mutex> lock(mutex_);
    made_[result] = real;
    return result;
  }
  /// False if the list is not one of these.
  bool take(ibv_device** list, ibv_device**& real) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = made_.find(list);
    if (found == made_.end()) return false;
    real = found->second;
    made_.erase(found);
    delete[] list;
    return true;
  }

private:
  std::mutex mutex_;
  std::map<ibv_device**, ibv_device**> made_;
};

/// rdma-core's connection manager asks for the devices too, and means its own.
bool is_from_librdmacm(const void* caller) noexcept {
  Dl_info info{};
  if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::strstr(info.dli_fname, "librdmacm.so") != nullptr;
}

}  // namespace

extern "C" {

ibv_device** ibv_get_device_list(int* count) {
  const bool only_real = shown_devices() == shown::hardware || is_from_librdmacm(__builtin_return_address(0));
  if (only_real) return ASIO_RDMA_REAL(ibv_get_device_list, "IBVERBS_1.1")(count);
  int others = 0;
  ibv_device** real = nullptr;
  if (shown_devices() == shown::both) real = ASIO_RDMA_REAL(ibv_get_device_list, "IBVERBS_1.1")(&others);
  if (real == nullptr) others = 0;
  if (count != nullptr) *count = others + 1;
  return lists::instance().make(real, others);
}

void ibv_free_device_list(ibv_device** list) {
  ibv_device** real = list;
  const bool is_ours = lists::instance().take(list, real);
  if (!is_ours || real != nullptr) ASIO_RDMA_REAL(ibv_free_device_list, "IBVERBS_1.1")(real);
}

const char* ibv_get_device_name(ibv_device* device) {
  return device == soft_device() ? soft0().get_device_name(device)
                                 : ASIO_RDMA_REAL(ibv_get_device_name, "IBVERBS_1.1")(device);
}

__be64 ibv_get_device_guid(ibv_device* device) {
  return device == soft_device() ? soft0().get_device_guid(device)
                                 : ASIO_RDMA_REAL(ibv_get_device_guid, "IBVERBS_1.1")(device);
}

int ibv_get_device_index(ibv_device* device) {
  return device == soft_device() ? -1 : ASIO_RDMA_REAL(ibv_get_device_index, "IBVERBS_1.9")(device);
}

ibv_context* ibv_open_device(ibv_device* device) {
  return device == soft_device() ? soft0().open_device(device)
                                 : ASIO_RDMA_REAL(ibv_open_device, "IBVERBS_1.1")(device);
}

int ibv_close_device(ibv_context* c) {
  return is_soft(c) ? soft0().close_device(c) : ASIO_RDMA_REAL(ibv_close_device, "IBVERBS_1.1")(c);
}

int ibv_get_async_event(ibv_context* c, ibv_async_event* event) {
  return is_soft(c) ? soft0().get_async_event(c, event)
                    : ASIO_RDMA_REAL(ibv_get_async_event, "IBVERBS_1.1")(c, event);
}

void ibv_ack_async_event(ibv_async_event* event) {
  bool soft = false;
  switch (event->event_type) {
    case IBV_EVENT_CQ_ERR:
      soft = is_soft(event->element.cq);
      break;
    case IBV_EVENT_SRQ_ERR:
    case IBV_EVENT_SRQ_LIMIT_REACHED:
      soft = is_soft(event->element.srq);
      break;
    case IBV_EVENT_QP_FATAL:
    case IBV_EVENT_QP_REQ_ERR:
    case IBV_EVENT_QP_ACCESS_ERR:
    case IBV_EVENT_COMM_EST:
    case IBV_EVENT_SQ_DRAINED:
    case IBV_EVENT_PATH_MIG:
    case IBV_EVENT_PATH_MIG_ERR:
    case IBV_EVENT_QP_LAST_WQE_REACHED:
      soft = is_soft(event->element.qp);
      break;
    default:
      break;  // of a card, or of what only cards have
  }
  soft ? soft0().ack_async_event(event) : ASIO_RDMA_REAL(ibv_ack_async_event, "IBVERBS_1.1")(event);
}

int ibv_query_device(ibv_context* c, ibv_device_attr* attributes) {
  return is_soft(c) ? soft0().query_device(c, attributes)
                    : ASIO_RDMA_REAL(ibv_query_device, "IBVERBS_1.1")(c, attributes);
}

int(ibv_query_port)(ibv_context* c, std::uint8_t port, _compat_ibv_port_attr* attributes) {
  if (!is_soft(c)) return ASIO_RDMA_REAL(ibv_query_port, "IBVERBS_1.1")(c, port, attributes);
  ibv_port_attr full{};
  const int e = soft0().query_port(c, port, &full);
  // The caller's structure is older and ends there.
  if (e == 0) std::memcpy(static_cast<void*>(attributes), &full, offsetof(ibv_port_attr, port_cap_flags2));
  return e;
}

int ibv_query_gid(ibv_context* c, std::uint8_t port, int index, ibv_gid* gid) {
  return is_soft(c) ? soft0().query_gid(c, port, index, gid)
                    : ASIO_RDMA_REAL(ibv_query_gid, "IBVERBS_1.1")(c, port, index, gid);
}

int _ibv_query_gid_ex(ibv_context* c, std::uint32_t port, std::uint32_t index, ibv_gid_entry* entry,
                      std::uint32_t flags, std::size_t entry_size) {
  if (!is_soft(c)) {
    return ASIO_RDMA_REAL(_ibv_query_gid_ex, "IBVERBS_1.11")(c, port, index, entry, flags, entry_size);
  }
  ibv_gid_entry full{};
  const int e = soft0().query_gid_ex(c, port, index, &full, flags);
  if (e == 0) std::memcpy(entry, &full, std::min(entry_size, sizeof full));
  return e;
}

ssize_t _ibv_query_gid_table(ibv_context* c, ibv_gid_entry* entries, std::size_t size, std::uint32_t flags,
                             std::size_t entry_size) {
  if (!is_soft(c)) {
    return ASIO_RDMA_REAL(_ibv_query_gid_table, "IBVERBS_1.11")(c, entries, size, flags, entry_size);
  }
  std::vector<ibv_gid_entry> full(size);
  const ssize_t count = soft0().query_gid_table(c, full.data(), size, flags);
  auto* to = reinterpret_cast<unsigned char*>(entries);
  for (ssize_t i = 0; i < count; ++i, to += entry_size) {
    std::memcpy(to, &full[static_cast<std::size_t>(i)], std::min(entry_size, sizeof full[0]));
  }
  return count;
}

// Not in verbs.h, but rdma-core's own programs call it. A GID that is not there has type 0, as there.
int ibv_query_gid_type(ibv_context* c, std::uint8_t port, unsigned index, int* type);
int ibv_query_gid_type(ibv_context* c, std::uint8_t port, unsigned index, int* type) {
  if (!is_soft(c)) return ASIO_RDMA_REAL(ibv_query_gid_type, "IBVERBS_PRIVATE_34")(c, port, index, type);
  constexpr int roce_v2 = 1;
  ibv_gid_entry entry{};
  *type = soft0().query_gid_ex(c, port, index, &entry, 0) == 0 ? roce_v2 : 0;
  return 0;
}

int ibv_query_pkey(ibv_context* c, std::uint8_t port, int index, __be16* pkey) {
  return is_soft(c) ? soft0().query_pkey(c, port, index, pkey)
                    : ASIO_RDMA_REAL(ibv_query_pkey, "IBVERBS_1.1")(c, port, index, pkey);
}

int ibv_get_pkey_index(ibv_context* c, std::uint8_t port, __be16 pkey) {
  if (!is_soft(c)) return ASIO_RDMA_REAL(ibv_get_pkey_index, "IBVERBS_1.5")(c, port, pkey);
  __be16 candidate = 0;
  for (int i = 0; soft0().query_pkey(c, port, i, &candidate) == 0; ++i) {
    if (candidate == pkey) return i;
  }
  return -1;
}

int ibv_resolve_eth_l2_from_gid(ibv_context* c, ibv_ah_attr* attributes, std::uint8_t mac[ETHERNET_LL_SIZE],
                                std::uint16_t* vid) {
  if (is_soft(c)) return EOPNOTSUPP;  // it has no Ethernet
  return ASIO_RDMA_REAL(ibv_resolve_eth_l2_from_gid, "IBVERBS_1.1")(c, attributes, mac, vid);
}

}  // extern "C"
