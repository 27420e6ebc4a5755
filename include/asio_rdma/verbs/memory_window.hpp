// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_MEMORY_WINDOW_HPP
#define ASIO_RDMA_VERBS_MEMORY_WINDOW_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A memory window (ibv_mw): a part of a memory region that can be opened to peers and closed again by work requests
/// (IBV_WR_BIND_MW, IBV_WR_LOCAL_INV), without the cost of a registration.
class memory_window : public detail::owner<ref<ibv_mw>, &api::dealloc_mw> {
public:
  memory_window() noexcept = default;
  /// ibv_alloc_mw. Throws boost::system::system_error.
  memory_window(ref<ibv_pd> domain, ibv_mw_type type) {
    error_code ec;
    *this = create(domain, type, ec);
    detail::throw_error(ec, "ibv_alloc_mw");
  }
  /// EOPNOTSUPP where the device has no windows; see IBV_DEVICE_MEM_WINDOW* in ibv_device_attr.
  static memory_window create(ref<ibv_pd> domain, ibv_mw_type type, error_code& ec) noexcept {
    const api& table = domain.table();
    return memory_window({detail::check(table.alloc_mw(domain.native_handle(), type), ec), table});
  }

  /// The key before the first bind; ibv_inc_rkey() gives the next one.
  std::uint32_t rkey() const noexcept { return handle_->rkey; }

private:
  explicit memory_window(ref<ibv_mw> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
