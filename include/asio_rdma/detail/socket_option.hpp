// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_SOCKET_OPTION_HPP
#define ASIO_RDMA_DETAIL_SOCKET_OPTION_HPP

#include <asio_rdma/detail/core/socket.hpp>

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// The level of our own options. Their names are core::option.
constexpr int rdma_option_level = 0x52444d41;

/// An int option, as Asio's GettableSocketOption and SettableSocketOption want it.
template <int Level, int Name>
class int_option {
public:
  constexpr int_option() noexcept = default;
  constexpr explicit int_option(int v) noexcept : value_(v) {}
  int_option& operator=(int v) noexcept {
    value_ = v;
    return *this;
  }

  constexpr int value() const noexcept { return value_; }

  // For Asio.
  template <class Protocol>
  int level(const Protocol&) const noexcept {
    return Level;
  }
  template <class Protocol>
  int name(const Protocol&) const noexcept {
    return Name;
  }
  template <class Protocol>
  int* data(const Protocol&) noexcept {
    return &value_;
  }
  template <class Protocol>
  const int* data(const Protocol&) const noexcept {
    return &value_;
  }
  template <class Protocol>
  std::size_t size(const Protocol&) const noexcept {
    return sizeof value_;
  }
  template <class Protocol>
  void resize(const Protocol&, std::size_t size) {
    if (size != sizeof value_) throw std::length_error("socket option resize");
  }

private:
  int value_ = 0;
};

/// An option that is on or off.
template <int Level, int Name>
class bool_option : public int_option<Level, Name> {
public:
  constexpr bool_option() noexcept = default;
  constexpr explicit bool_option(bool v) noexcept : int_option<Level, Name>(v ? 1 : 0) {}
  bool_option& operator=(bool v) noexcept {
    int_option<Level, Name>::operator=(v ? 1 : 0);
    return *this;
  }

  constexpr bool value() const noexcept { return int_option<Level, Name>::value() != 0; }
  constexpr operator bool() const noexcept { return value(); }
  constexpr bool operator!() const noexcept { return !value(); }
};

/// An option whose value is a short text.
template <int Level, int Name>
class text_option {
public:
  text_option() noexcept = default;
  /// Throws std::length_error for a text of 64 characters or more, which no device's name has.
  explicit text_option(const char* text) { assign(text); }
  explicit text_option(const std::string& text) { assign(text.c_str()); }
  text_option& operator=(const char* text) {
    assign(text);
    return *this;
  }
  text_option& operator=(const std::string& text) { return *this = text.c_str(); }

  std::string value() const { return text_; }

  // For Asio.
  template <class Protocol>
  int level(const Protocol&) const noexcept {
    return Level;
  }
  template <class Protocol>
  int name(const Protocol&) const noexcept {
    return Name;
  }
  template <class Protocol>
  char* data(const Protocol&) noexcept {
    return text_;
  }
  template <class Protocol>
  const char* data(const Protocol&) const noexcept {
    return text_;
  }
  template <class Protocol>
  std::size_t size(const Protocol&) const noexcept {
    return sizeof text_;
  }
  template <class Protocol>
  void resize(const Protocol&, std::size_t size) {
    if (size > sizeof text_) throw std::length_error("socket option resize");
  }

private:
  void assign(const char* text) {
    const std::size_t length = std::strlen(text);
    if (length >= sizeof text_) throw std::length_error("socket option text");
    std::memcpy(text_, text, length + 1);
  }

  char text_[64] = {};
};

template <core::option Name>
using rdma_int_option = int_option<rdma_option_level, static_cast<int>(Name)>;
template <core::option Name>
using rdma_bool_option = bool_option<rdma_option_level, static_cast<int>(Name)>;
template <core::option Name>
using rdma_text_option = text_option<rdma_option_level, static_cast<int>(Name)>;

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
