// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_PROTECTION_DOMAIN_HPP
#define ASIO_RDMA_VERBS_PROTECTION_DOMAIN_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A protection domain (ibv_pd): memory regions, queue pairs and address handles work together only within one.
/// Destroying it fails with EBUSY as long as any of them exists.
class protection_domain : public detail::owner<ref<ibv_pd>, &api::dealloc_pd> {
public:
  protection_domain() noexcept = default;
  /// ibv_alloc_pd. Throws boost::system::system_error.
  explicit protection_domain(ref<ibv_context> device) {
    error_code ec;
    *this = create(device, ec);
    detail::throw_error(ec, "ibv_alloc_pd");
  }
  /// ibv_alloc_pd. ENOMEM where the device has none left.
  static protection_domain create(ref<ibv_context> device, error_code& ec) noexcept {
    const api& table = device.table();
    return protection_domain({detail::check(table.alloc_pd(device.native_handle()), ec), table});
  }

private:
  explicit protection_domain(ref<ibv_pd> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
