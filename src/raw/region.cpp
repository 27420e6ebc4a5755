// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/detail/core/raw.hpp>

#include "io/device_domain.hpp"
#include "io/forked.hpp"
#include "io/huge_pages.hpp"
#include "io/memory_block.hpp"
#include "io/program_memory.hpp"
#include "io/verbs_error.hpp"
#include "raw/known_regions.hpp"
#include "raw/link_impl.hpp"

#include <asio_rdma/verbs/memory_region.hpp>

#include <cerrno>
#include <memory>
#include <new>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace core {

struct raw_region_impl {
  std::shared_ptr<io::device_domain> device;
  io::memory_block memory;
  verbs::memory_region region;
  void* address = nullptr;
  std::uint64_t device_address = 0;
  std::size_t length = 0;
  raw::known_region known;
  std::unique_ptr<io::program_memory> for_sockets;
};

namespace {

error allocate(const raw_region_request& r, raw_region_impl& result) {
  result.address = r.address;
  result.length = r.length;
  if (r.source == raw_memory_source::own) result.memory = io::memory_block(r.length);
  if (r.source == raw_memory_source::huge_pages) {
    if (const error e = io::allocate_huge_pages(result.length, result.memory)) return e;
  }
  if (r.source == raw_memory_source::own || r.source == raw_memory_source::huge_pages) {
    if (!result.memory) return error(errno);
    result.memory.prefer_node(result.device->numa_node);
    result.address = result.memory.data();
  }
  return {};
}

error create_region(const std::shared_ptr<io::device_domain>& device, const raw_region_request& r,
                    raw_region_impl& result) {
  result.device = device;
  if (const error e = allocate(r, result)) return e;
  const int access = r.access >= 0 ? r.access : static_cast<int>(device->all_access());
  verbs::error_code ec;
  if (r.source == raw_memory_source::dmabuf) {
    // Addresses within it begin at the offset, which is on the same place of a page, as drivers want it.
    result.device_address = r.dmabuf_offset;
    result.region = verbs::memory_region::register_dmabuf(device->domain, r.dmabuf, r.dmabuf_offset, r.length,
                                                          result.device_address, access, ec);
  } else {
    result.device_address = reinterpret_cast<std::uintptr_t>(result.address);
    result.region = verbs::memory_region::register_memory(device->domain, result.address, result.length, access, ec);
  }
  if (ec) return io::to_error(ec);
  result.known = raw::known_region(device->domain.native_handle(), result.region.lkey(), result.device_address,
                                   result.length);
  if (result.address) {
    result.for_sockets = std::make_unique<io::program_memory>(result.address, result.length);
    result.for_sockets->add(device, result.region.lkey());
  }
  return {};
}

}  // namespace

error raw_region::create(const raw_link& link, const raw_region_request& request, raw_region& result) noexcept {
  if (io::forked()) return library_error::forked;
  if (!link.impl_) return error(EBADF);
  const auto device = link.impl_->connection->device();
  if (!device) return error(ENOTCONN);
  if (request.length == 0) return error(EINVAL);
  try {
    auto made = std::make_unique<raw_region_impl>();
    if (const error e = create_region(device, request, *made)) return e;
    result = raw_region();
    result.impl_ = made.release();
    return {};
  } catch (const std::bad_alloc&) {
    return error(ENOMEM);
  }
}

raw_region::raw_region(raw_region&& other) noexcept : impl_(std::exchange(other.impl_, nullptr)) {}
raw_region& raw_region::operator=(raw_region&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}
raw_region::~raw_region() {
  // What a forked child lets go of is the parent's.
  if (!io::forked()) delete impl_;
}

void* raw_region::address() const noexcept {
  return impl_->address;
}
std::uint64_t raw_region::device_address() const noexcept {
  return impl_->device_address;
}
std::size_t raw_region::length() const noexcept {
  return impl_->length;
}
std::uint32_t raw_region::local_key() const noexcept {
  return impl_->region.lkey();
}
std::uint32_t raw_region::remote_key() const noexcept {
  return impl_->region.rkey();
}

}  // namespace core
}  // namespace v1
}  // namespace asio_rdma
