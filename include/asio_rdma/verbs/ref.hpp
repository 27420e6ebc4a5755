// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_REF_HPP
#define ASIO_RDMA_VERBS_REF_HPP

#include <asio_rdma/verbs/api.hpp>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// A view of a verbs object that somebody else owns: its pointer, and the table of functions of the device that it
/// belongs to. A plain pointer converts to a view over rdma-core's table; every owning class of this layer converts
/// to the view of its object, so that children use the table of their parents.
template <class T>
class ref {
public:
  /// As verbs have it.
  using native_handle_type = T*;

  /// Of nothing.
  constexpr ref() noexcept = default;
  /// Of an object of the device that the table is for. Null is nothing.
  ref(T* handle, const api& table = rdma_core()) noexcept : handle_(handle), table_(&table) {}

  /// Whether there is an object.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// The object itself, for everything that this layer does not do.
  T* native_handle() const noexcept { return handle_; }
  /// The functions of the device. Only where there is an object.
  const api& table() const noexcept { return *table_; }

protected:
  /// What an owner does before it destroys the object; views of objects that need something hide it.
  void before_destroy() noexcept {}

  T* handle_ = nullptr;         ///< the object
  const api* table_ = nullptr;  ///< the functions of its device
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
