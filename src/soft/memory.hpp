// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SRC_SOFT_MEMORY_HPP
#define ASIO_RDMA_SRC_SOFT_MEMORY_HPP

#include "soft/marks.hpp"

#include <asio_rdma/detail/rdma_core.hpp>

#include <sys/uio.h>
#include <atomic>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

struct domain final : ibv_pd {
  std::atomic<unsigned> users{0};  // regions, windows, queues, address handles
};

struct region final : ibv_mr {
  std::size_t pinned = 0;  // bytes that count against the limit
};

struct window final : ibv_mw {};

inline domain* own(ibv_pd* pd) noexcept {
  return static_cast<domain*>(pd);
}

/// Whether the entry allows an access of that kind (ibv_access_flags) to all of the bytes.
bool allows(const key_entry& entry, std::uint32_t domain, unsigned access, std::uint64_t address,
            std::uint64_t length) noexcept;

/// Looks up the local keys of a list and fills in where the pieces are, those of no bytes left out, up to a total of
/// limit bytes. Negative if a key is not valid for it, otherwise the number of pieces.
int gather(held_mark& m, const ibv_sge* list, unsigned count, std::uint32_t domain, unsigned access,
           std::uint64_t limit, iovec* result) noexcept;

/// Binds a type 2 window, of the queue pair, by a bind request. The status for its completion.
ibv_wc_status bind_window(std::uint32_t qp, std::uint32_t domain, unsigned window_key, std::uint32_t new_key,
                          const ibv_mw_bind_info& info) noexcept;
/// Makes a window, or a key of it, invalid. False if there is none that the queue pair may invalidate. Somebody may
/// still be copying; if it is the queue pair's peer that invalidates, only who may not use the window can be looking at
/// it.
bool invalidate(segment_header& h, std::uint32_t qp, std::uint32_t key) noexcept;

int bind_mw(ibv_qp* qp, ibv_mw* mw, ibv_mw_bind* bind);

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma

#endif
