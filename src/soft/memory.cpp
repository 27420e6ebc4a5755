// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/memory.hpp"

#include "soft/calls.hpp"
#include "soft/device.hpp"
#include "soft/memlock.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

std::uint32_t next_domain() noexcept {
  static std::atomic<std::uint32_t> last{0};
  return ++last;
}

key_entry& entry_of(std::uint32_t key) noexcept {
  return device::instance()->memory().header().keys[key >> 8];
}

/// A key that its index has not had for long. 0 if all indices are taken.
std::uint32_t take_key() {
  static std::atomic<std::uint32_t> tag{0};
  device& d = *device::instance();
  const unsigned index = d.key_indices().take();
  return index == max_keys ? 0 : index << 8 | (++tag & 0xff);
}

void give_back(std::uint32_t key) {
  device::instance()->key_indices().give_back(key >> 8);
}

/// Whether there is memory at all of these addresses.
bool is_mapped(const void* address, std::size_t length) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(address) + length;
  // msync finds out without a buffer for the answer, and does nothing for what is not a file.
  return length == 0 || ::msync(reinterpret_cast<void*>(begin), end - begin, MS_ASYNC) == 0;
}

constexpr unsigned remote_access =
    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

/// What a region begins with: 0 or an errno value. pinned is for memlock::discharge().
int pin(const void* address, std::size_t length, std::uint64_t iova, unsigned access, std::size_t& pinned) noexcept {
  constexpr unsigned known = IBV_ACCESS_LOCAL_WRITE | remote_access | IBV_ACCESS_MW_BIND | IBV_ACCESS_OPTIONAL_RANGE;
  constexpr unsigned unsupported = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB;
  if ((access & ~(known | unsupported)) != 0) return EINVAL;
  if ((access & unsupported) != 0) return EOPNOTSUPP;
  const bool writes_remotely = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  if ((writes_remotely && (access & IBV_ACCESS_LOCAL_WRITE) == 0) || begin + length < begin || iova + length < iova) {
    return EINVAL;
  }
  if (!is_mapped(address, length)) return EFAULT;
  pinned = memlock::charge(address, length);
  return pinned == memlock::refused ? ENOMEM : 0;
}

}  // namespace

ibv_pd* alloc_pd(ibv_context* c) {
  auto* const result = new domain();
  result->context = c;
  result->handle = next_domain();
  return result;
}

int dealloc_pd(ibv_pd* pd) {
  if (own(pd)->users.load() != 0) return EBUSY;
  delete own(pd);
  return 0;
}

ibv_mr* reg_dmabuf_mr(ibv_pd*, std::uint64_t, std::size_t, std::uint64_t, int, int) {
  errno = EOPNOTSUPP;  // there is no device that could reach it
  return nullptr;
}

ibv_mr* reg_mr(ibv_pd* pd, void* address, std::size_t length, int access) {
  return reg_mr_iova(pd, address, length, reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(access));
}

ibv_mr* reg_mr_iova(ibv_pd* pd, void* address, std::size_t length, std::uint64_t iova, unsigned access) {
  std::size_t pinned = 0;
  const int refusal = pin(address, length, iova, access, pinned);
  if (refusal != 0) {
    errno = refusal;
    return nullptr;
  }
  const std::uint32_t key = take_key();
  if (key == 0) {
    memlock::discharge(pinned);
    errno = ENOMEM;
    return nullptr;
  }
  key_entry& entry = entry_of(key);
  entry.access = access;
  entry.domain = pd->handle;
  entry.qp = 0;
  entry.address = iova;
  entry.length = length;
  entry.shift = reinterpret_cast<std::uintptr_t>(address) - iova;
  entry.is_window = false;
  entry.windows = 0;
  entry.key.store(key);

  auto* const result = new region();
  result->pinned = pinned;
  result->context = pd->context;
  result->pd = pd;
  result->addr = address;
  result->length = length;
  result->handle = key >> 8;
  result->lkey = result->rkey = key;
  ++own(pd)->users;
  return result;
}

int rereg_mr(ibv_mr* mr, int flags, ibv_pd* pd, void* address, std::size_t length, int access) {
  constexpr int known = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
  const bool moves = (flags & IBV_REREG_MR_CHANGE_TRANSLATION) != 0;
  const bool changes_domain = (flags & IBV_REREG_MR_CHANGE_PD) != 0;
  auto& r = static_cast<region&>(*mr);
  key_entry& entry = entry_of(mr->lkey);
  const auto allowed = (flags & IBV_REREG_MR_CHANGE_ACCESS) != 0 ? static_cast<unsigned>(access) : entry.access;
  // Of memory that stays where it is, nothing more has to be pinned.
  if (!moves) length = 0;
  std::size_t pinned = 0;
  int e = (flags & ~known) != 0 || flags == 0 || (changes_domain && pd == nullptr) ? EINVAL : 0;
  if (e == 0) e = pin(address, length, reinterpret_cast<std::uintptr_t>(address), allowed, pinned);
  if (e != 0) {
    errno = e;
    return IBV_REREG_MR_ERR_INPUT;
  }
  entry.key.store(0);
  wait_for_key(device::instance()->memory().header(), mr->lkey, device::is_gone);
  entry.access = allowed;
  if (changes_domain) {
    --own(mr->pd)->users;
    ++own(pd)->users;
    mr->pd = pd;
    entry.domain = pd->handle;
  }
  if (moves) {
    memlock::discharge(r.pinned);
    r.pinned = pinned;
    mr->addr = address;
    mr->length = length;
    entry.address = reinterpret_cast<std::uintptr_t>(address);
    entry.length = length;
    entry.shift = 0;
  }
  entry.key.store(mr->lkey);
  return 0;
}

int dereg_mr(ibv_mr* mr) {
  key_entry& entry = entry_of(mr->lkey);
  if (entry.windows.load() != 0) return EBUSY;  // ibv_reg_mr(3)
  entry.key.store(0);
  wait_for_key(device::instance()->memory().header(), mr->lkey, device::is_gone);
  give_back(mr->lkey);
  memlock::discharge(static_cast<region*>(mr)->pinned);
  --own(mr->pd)->users;
  delete static_cast<region*>(mr);
  return 0;
}

ibv_mw* alloc_mw(ibv_pd* pd, ibv_mw_type type) {
  if (type != IBV_MW_TYPE_2) {
    errno = type == IBV_MW_TYPE_1 ? EOPNOTSUPP : EINVAL;
    return nullptr;
  }
  const std::uint32_t key = take_key();
  if (key == 0) {
    errno = ENOMEM;
    return nullptr;
  }
  auto* const result = new window();
  result->context = pd->context;
  result->pd = pd;
  result->rkey = key;
  result->handle = key >> 8;
  result->type = type;
  ++own(pd)->users;
  return result;
}

int dealloc_mw(ibv_mw* mw) {
  key_entry& entry = entry_of(mw->handle << 8);
  if (const std::uint32_t key = entry.key.exchange(0)) {
    wait_for_key(device::instance()->memory().header(), key, device::is_gone);
    --entry_of(entry.region).windows;
  }
  device::instance()->key_indices().give_back(mw->handle);
  --own(mw->pd)->users;
  delete static_cast<window*>(mw);
  return 0;
}

int bind_mw(ibv_qp*, ibv_mw*, ibv_mw_bind*) {
  return EOPNOTSUPP;  // of type 1
}

bool allows(const key_entry& entry, std::uint32_t domain, unsigned access, std::uint64_t address,
            std::uint64_t length) noexcept {
  return entry.domain == domain && (entry.access & access) == access && address >= entry.address &&
         length <= entry.length && address - entry.address <= entry.length - length;
}

int gather(held_mark& m, const ibv_sge* list, unsigned count, std::uint32_t domain, unsigned access,
           std::uint64_t limit, iovec* result) noexcept {
  int pieces = 0;
  for (unsigned i = 0; i < count && limit != 0; ++i) {
    const std::uint64_t length = std::min<std::uint64_t>(list[i].length, limit);
    if (length == 0) continue;
    const key_entry* const entry = m.add_key(list[i].lkey);
    if (!entry || entry->is_window || !allows(*entry, domain, access, list[i].addr, list[i].length)) return -1;
    result[pieces++] = {reinterpret_cast<void*>(static_cast<std::uintptr_t>(list[i].addr + entry->shift)), length};
    limit -= length;
  }
  return pieces;
}

ibv_wc_status bind_window(std::uint32_t qp, std::uint32_t domain, unsigned window_key, std::uint32_t new_key,
                          const ibv_mw_bind_info& info) noexcept {
  segment_header& h = device::instance()->memory().header();
  if (window_key >> 8 >= max_keys || new_key >> 8 != window_key >> 8) return IBV_WC_MW_BIND_ERR;
  key_entry& entry = h.keys[window_key >> 8];
  if (entry.key.load() != 0) return IBV_WC_MW_BIND_ERR;  // bound: it has to be invalidated first
  const bool writes = (info.mw_access_flags & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  key_entry& memory = entry_of(info.mr->lkey);
  const bool region_fits = memory.key.load() == info.mr->lkey && !memory.is_window &&
                           allows(memory, domain, IBV_ACCESS_MW_BIND, info.addr, info.length) &&
                           (!writes || (memory.access & IBV_ACCESS_LOCAL_WRITE) != 0);
  // Of a window only remote access can be allowed; that its owner has access says nothing.
  constexpr unsigned known = remote_access | IBV_ACCESS_LOCAL_WRITE;
  if (!region_fits || (info.mw_access_flags & ~known) != 0) return IBV_WC_MW_BIND_ERR;
  entry.access = info.mw_access_flags & remote_access;
  entry.domain = domain;
  entry.qp = qp;
  entry.address = info.addr;
  entry.length = info.length;
  entry.shift = memory.shift;
  entry.is_window = true;
  entry.region = info.mr->lkey;
  ++memory.windows;
  entry.key.store(new_key);
  return IBV_WC_SUCCESS;
}

bool invalidate(segment_header& h, std::uint32_t qp, std::uint32_t key) noexcept {
  if (key >> 8 >= max_keys) return false;
  key_entry& entry = h.keys[key >> 8];
  std::uint32_t expected = key;
  if (key == 0 || entry.key.load() != key || !entry.is_window || entry.qp != qp) return false;
  const std::uint32_t region = entry.region;
  if (!entry.key.compare_exchange_strong(expected, 0)) return false;
  --h.keys[(region >> 8) % max_keys].windows;
  return true;
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
