// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_DETAIL_OWNER_HPP
#define ASIO_RDMA_VERBS_DETAIL_OWNER_HPP

#include <asio_rdma/verbs/detail/error.hpp>
#include <asio_rdma/verbs/ref.hpp>

#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {
namespace detail {

/// Owns the object that View is a view of, and destroys it with a function of its table. Move-only, empty by default.
template <class View, auto Destroy>
class owner : public View {
public:
  owner() noexcept = default;
  owner(owner&& other) noexcept : View(other) { other.View::operator=(View()); }
  owner& operator=(owner&& other) noexcept {
    if (this != &other) {
      reset();
      View::operator=(other);
      other.View::operator=(View());
    }
    return *this;
  }
  ~owner() { reset(); }

  /// Gives the object up without destroying it.
  typename View::native_handle_type release() noexcept {
    const auto handle = this->handle_;
    View::operator=(View());
    return handle;
  }

  /// Destroys the object, if there is one. After an error (EBUSY: others still depend on it) it is still there.
  void destroy(error_code& ec) noexcept {
    if (!*this) {
      ec = error_code();
      return;
    }
    this->before_destroy();
    if (check(call_destroy(), ec)) View::operator=(View());
  }
  void destroy() {
    error_code ec;
    destroy(ec);
    throw_error(ec, "verbs: destroy");
  }

  /// Destroys the object, if there is one. Afterwards this is empty, whatever the outcome.
  void reset() noexcept {
    error_code ec;
    destroy(ec);
    View::operator=(View());
  }

protected:
  explicit owner(View view) noexcept : View(view) {}

private:
  int call_destroy() noexcept {
    const auto function = this->table().*Destroy;
    if constexpr (std::is_void_v<decltype(function(this->handle_))>) {
      function(this->handle_);
      return 0;
    } else {
      return function(this->handle_);
    }
  }
};

}  // namespace detail
}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
