// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_DATAGRAM_BATCH_HPP
#define ASIO_RDMA_DETAIL_DATAGRAM_BATCH_HPP

#include <asio_rdma/detail/batch_operation.hpp>
#include <asio_rdma/detail/buffers.hpp>
#include <asio_rdma/detail/core/socket.hpp>
#include <asio_rdma/detail/endpoint_conversion.hpp>

#include <cstddef>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// Sends what is left of a batch. Done once all of it is sent.
template <class Batch>
class send_batch_attempt {
public:
  explicit send_batch_attempt(const Batch& batch) : next_(std::begin(batch)), end_(std::end(batch)) {}

  std::size_t count() const noexcept { return sent_; }

  core::error operator()(core::socket& s) {
    while (next_ != end_) {
      std::size_t done = 0;
      if (const core::error e = send_some(s, done)) return e;
    }
    return {};
  }

private:
  core::error send_some(core::socket& s, std::size_t& done) {
    std::optional<iovec_array> buffers[largest_batch];
    core::socket::datagram datagrams[largest_batch];
    std::size_t count = 0;
    for (auto i = next_; i != end_ && count != largest_batch; ++i, ++count) {
      buffers[count].emplace(i->buffers);
      core::socket::datagram& d = datagrams[count];
      d.buffers = buffers[count]->data();
      d.buffer_count = buffers[count]->count();
      d.address = sockaddr_storage();
      if (i->to.port() != 0) std::memcpy(&d.address, i->to.data(), i->to.size());
    }
    const core::error e = s.send_many(datagrams, count, done);
    sent_ += done;
    std::advance(next_, static_cast<std::ptrdiff_t>(done));
    return e;
  }

  using iterator = decltype(std::begin(std::declval<const Batch&>()));
  iterator next_;
  iterator end_;
  std::size_t sent_ = 0;
};

/// Receives what there is. Done once that is anything.
template <class Batch>
class receive_batch_attempt {
public:
  explicit receive_batch_attempt(Batch& batch) : batch_(&batch) {}

  std::size_t count() const noexcept { return received_; }

  core::error operator()(core::socket& s) {
    auto next = std::begin(*batch_);
    const auto end = std::end(*batch_);
    while (next != end) {
      std::size_t done = 0, asked = 0;
      const core::error e = receive_some(s, next, end, asked, done);
      received_ += done;
      if (e) return received_ != 0 ? core::error() : e;
      if (done < asked) break;
    }
    return {};
  }

private:
  template <class Iterator>
  core::error receive_some(core::socket& s, Iterator& next, Iterator end, std::size_t& asked, std::size_t& done) {
    std::optional<iovec_array> buffers[largest_batch];
    core::socket::datagram datagrams[largest_batch];
    for (auto i = next; i != end && asked != largest_batch; ++i, ++asked) {
      buffers[asked].emplace(i->buffers);
      datagrams[asked].buffers = buffers[asked]->data();
      datagrams[asked].buffer_count = buffers[asked]->count();
    }
    const core::error e = s.receive_many(datagrams, asked, done);
    for (std::size_t i = 0; i != done; ++i, ++next) {
      next->bytes = datagrams[i].bytes;
      from_sockaddr(datagrams[i].address, next->from);
    }
    return e;
  }

  Batch* batch_;
  std::size_t received_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
