// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_SPAN_HPP
#define ASIO_RDMA_SPAN_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

namespace asio_rdma {
inline namespace v1 {

/// A view of objects in a row, as C++20's std::span, which converts to it.
template <class T>
class span {
  template <class Container>
  using data_of = decltype(std::declval<Container&>().data());

public:
  /// Empty.
  constexpr span() noexcept = default;
  /// size objects from data on.
  constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  /// All of an array.
  template <std::size_t N>
  constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// Anything with data() and size() whose elements are in place: std::vector, std::array, std::span.
  template <class Container,
            class = std::enable_if_t<std::is_convertible_v<std::remove_pointer_t<data_of<Container>> (*)[], T (*)[]>>>
  constexpr span(Container&& container) noexcept : data_(container.data()), size_(container.size()) {}

  /// The first one.
  constexpr T* data() const noexcept { return data_; }
  /// How many.
  constexpr std::size_t size() const noexcept { return size_; }
  /// Whether there are none.
  constexpr bool empty() const noexcept { return size_ == 0; }
  /// The first one.
  constexpr T* begin() const noexcept { return data_; }
  /// Behind the last one.
  constexpr T* end() const noexcept { return data_ + size_; }
  /// index < size(), which is not checked.
  constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }
  /// The first count of them: count <= size().
  constexpr span first(std::size_t count) const noexcept { return span(data_, count); }
  /// Those from offset on: offset <= size().
  constexpr span subspan(std::size_t offset) const noexcept { return span(data_ + offset, size_ - offset); }

private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace v1
}  // namespace asio_rdma

#endif
