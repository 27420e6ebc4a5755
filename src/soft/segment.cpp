// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "soft/segment.hpp"

#include "soft/power_of_two.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace asio_rdma {
inline namespace v1 {
namespace soft {

namespace {

std::size_t rounded(std::size_t bytes) noexcept {
  return std::max<std::size_t>(64, power_of_two(bytes));
}

void* map_all(int fd) noexcept {
  return ::mmap(nullptr, segment_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
}

}  // namespace

segment::~segment() {
  if (base_) ::munmap(base_, segment_bytes);
  if (fd_ >= 0) ::close(fd_);
}

int segment::create(unsigned slot) noexcept {
  fd_ = ::memfd_create("asio_rdma_soft0", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0 || ::ftruncate(fd_, segment_bytes) != 0) return errno;
  // Nobody who has it can make it smaller, and so make the others' accesses fail.
  if (::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return errno;
  void* const base = map_all(fd_);
  if (base == MAP_FAILED) return errno;
  base_ = base;
  // The memory is zero, which is what the tables' members begin as: they are not touched, so that they take no memory.
  segment_header& h = header();
  h.version = segment_header::right_version;
  h.slot = slot;
  if (::getrandom(&h.instance, sizeof h.instance, 0) != sizeof h.instance) return errno;
  h.magic = segment_header::right_magic;
  return 0;
}

int segment::map(int fd) noexcept {
  struct stat s {};
  const int seals = ::fcntl(fd, F_GET_SEALS);
  if (::fstat(fd, &s) != 0 || s.st_size != static_cast<off_t>(segment_bytes) || seals < 0 ||
      (seals & F_SEAL_SHRINK) == 0) {
    return EPROTO;
  }
  void* const base = map_all(fd);
  if (base == MAP_FAILED) return errno;
  if (base_) ::munmap(base_, segment_bytes);
  base_ = base;
  if (header().magic != segment_header::right_magic || header().version != segment_header::right_version) return EPROTO;
  return 0;
}

void segment_heap::open(segment&) noexcept {
  next_ = rounded(sizeof(segment_header));
}

std::uint64_t segment_heap::allocate(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = free_.find(size);
  if (found != free_.end()) {
    const std::uint64_t result = found->second;
    free_.erase(found);
    return result;
  }
  if (size > segment_bytes - next_) return 0;
  const std::uint64_t result = next_;
  next_ += size;
  return result;
}

void segment_heap::free(std::uint64_t offset, std::size_t bytes) noexcept {
  if (offset == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  free_.emplace(rounded(bytes), offset);
}

}  // namespace soft
}  // namespace v1
}  // namespace asio_rdma
