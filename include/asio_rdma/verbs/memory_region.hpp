// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_MEMORY_REGION_HPP
#define ASIO_RDMA_VERBS_MEMORY_REGION_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

#include <cstddef>
#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Memory that a device may access (ibv_mr): its pages are pinned, and named by keys. The memory has to outlive the
/// region, and the region every work request that uses it.
class memory_region : public detail::owner<ref<ibv_mr>, &api::dereg_mr> {
public:
  /// None.
  memory_region() noexcept = default;
  /// ibv_reg_mr. Throws boost::system::system_error.
  memory_region(ref<ibv_pd> domain, void* address, std::size_t length, int access) {
    error_code ec;
    *this = register_memory(domain, address, length, access, ec);
    detail::throw_error(ec, "ibv_reg_mr");
  }

  /// Registers length bytes for access (IBV_ACCESS_*; local read is always granted; remote write and remote atomic
  /// need IBV_ACCESS_LOCAL_WRITE too). errc::memlock_limit where RLIMIT_MEMLOCK forbids it, EFAULT for memory that is
  /// not mapped, ENOMEM where the kernel or the device has no room. Takes time in proportion to the number of pages.
  static memory_region register_memory(ref<ibv_pd> domain, void* address, std::size_t length, int access,
                                       error_code& ec) noexcept {
    const api& table = domain.table();
    ibv_mr* const region = table.reg_mr(domain.native_handle(), address, length, access);
    ec = region != nullptr ? error_code() : to_error_code(detail::memory_error(errno, length));
    return memory_region({region, table});
  }

  /// Registers length bytes of a dmabuf, which stands for memory of another device, from offset on; the region's
  /// addresses begin at iova. EOPNOTSUPP where the device cannot.
  static memory_region register_dmabuf(ref<ibv_pd> domain, int fd, std::uint64_t offset, std::size_t length,
                                       std::uint64_t iova, int access, error_code& ec) noexcept {
    const api& table = domain.table();
    ibv_mr* const region = table.reg_dmabuf_mr(domain.native_handle(), offset, length, iova, fd, access);
    return memory_region({detail::check(region, ec), table});
  }

  /// Names the region in local scatter/gather entries.
  std::uint32_t lkey() const noexcept { return handle_->lkey; }
  /// Names the region in a peer's one-sided operations.
  std::uint32_t rkey() const noexcept { return handle_->rkey; }
  /// Where it begins, in this process.
  void* address() const noexcept { return handle_->addr; }
  /// Bytes.
  std::size_t length() const noexcept { return handle_->length; }

private:
  explicit memory_region(ref<ibv_mr> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
