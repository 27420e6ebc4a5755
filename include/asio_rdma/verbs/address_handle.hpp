// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_VERBS_ADDRESS_HANDLE_HPP
#define ASIO_RDMA_VERBS_ADDRESS_HANDLE_HPP

#include <asio_rdma/verbs/detail/owner.hpp>

#include <cstdint>

namespace asio_rdma {
inline namespace v1 {
namespace verbs {

/// Where an unreliable datagram goes (ibv_ah). It has to outlive the sends that use it.
class address_handle : public detail::owner<ref<ibv_ah>, &api::destroy_ah> {
public:
  address_handle() noexcept = default;
  /// ibv_create_ah. Throws boost::system::system_error.
  address_handle(ref<ibv_pd> domain, const ibv_ah_attr& attributes) {
    error_code ec;
    *this = create(domain, attributes, ec);
    detail::throw_error(ec, "ibv_create_ah");
  }
  /// The sender of a received datagram (ibv_create_ah_from_wc). Throws boost::system::system_error.
  address_handle(ref<ibv_pd> domain, const ibv_wc& completion, const ibv_grh* grh, std::uint8_t port) {
    error_code ec;
    *this = create(domain, completion, grh, port, ec);
    detail::throw_error(ec, "ibv_create_ah_from_wc");
  }

  /// ibv_create_ah. EINVAL for attributes that make no sense, ETIMEDOUT where the link address cannot be found.
  static address_handle create(ref<ibv_pd> domain, ibv_ah_attr attributes, error_code& ec) noexcept {
    const api& table = domain.table();
    return address_handle({detail::check(table.create_ah(domain.native_handle(), &attributes), ec), table});
  }

  /// grh stands in the first 40 bytes of the receive buffer; it is looked at only if wc_flags has IBV_WC_GRH. port is
  /// the local port that the datagram came in by.
  static address_handle create(ref<ibv_pd> domain, ibv_wc completion, const ibv_grh* grh, std::uint8_t port,
                               error_code& ec) noexcept {
    const api& table = domain.table();
    ibv_grh copy{};
    if (grh != nullptr) copy = *grh;
    ibv_ah* const handle = table.create_ah_from_wc(domain.native_handle(), &completion, &copy, port);
    return address_handle({detail::check(handle, ec), table});
  }

  /// The attributes that create(domain, completion, ...) would use (ibv_init_ah_from_wc).
  static ibv_ah_attr attributes(ref<ibv_context> device, ibv_wc completion, const ibv_grh* grh, std::uint8_t port,
                                error_code& ec) noexcept {
    ibv_ah_attr result{};
    ibv_grh copy{};
    if (grh != nullptr) copy = *grh;
    detail::check(device.table().init_ah_from_wc(device.native_handle(), port, &completion, &copy, &result), ec);
    return result;
  }
  /// Throws boost::system::system_error.
  static ibv_ah_attr attributes(ref<ibv_context> device, const ibv_wc& completion, const ibv_grh* grh,
                                std::uint8_t port) {
    error_code ec;
    const auto result = attributes(device, completion, grh, port, ec);
    detail::throw_error(ec, "ibv_init_ah_from_wc");
    return result;
  }

private:
  explicit address_handle(ref<ibv_ah> view) noexcept : owner(view) {}
};

}  // namespace verbs
}  // namespace v1
}  // namespace asio_rdma

#endif
