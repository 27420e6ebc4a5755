// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_DETAIL_BATCH_ATTEMPTS_HPP
#define ASIO_RDMA_DETAIL_BATCH_ATTEMPTS_HPP

#include <asio_rdma/detail/buffers.hpp>
#include <asio_rdma/detail/core/socket.hpp>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

namespace asio_rdma {
inline namespace v1 {
namespace detail {

/// What goes to the core in one call. More than these are several calls.
constexpr std::size_t largest_batch = 32;

/// Sends what is left of a batch. Done once all of it is sent.
template <class Kind, class Batch>
class send_batch_attempt {
public:
  explicit send_batch_attempt(const Batch& batch) : next_(std::begin(batch)), end_(std::end(batch)) {}

  std::size_t count() const noexcept { return sent_; }

  core::error operator()(core::socket& s) {
    while (next_ != end_) {
      if (const core::error e = send_some(s)) return e;
    }
    return {};
  }

private:
  core::error send_some(core::socket& s) {
    std::optional<iovec_array> buffers[largest_batch];
    typename Kind::entry entries[largest_batch];
    std::size_t count = 0, done = 0;
    for (auto i = next_; i != end_ && count != largest_batch; ++i, ++count) {
      buffers[count].emplace(Kind::buffers_of(*i));
      if (!buffers[count]->is_all()) break;  // more than the core takes for one
      entries[count].buffers = buffers[count]->data();
      entries[count].buffer_count = buffers[count]->count();
      Kind::prepare(*i, entries[count]);
    }
    if (count == 0) return core::error(EMSGSIZE);
    const core::error e = Kind::send(s, entries, count, done);
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
template <class Kind, class Batch>
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
    typename Kind::entry entries[largest_batch];
    for (auto i = next; i != end && asked != largest_batch; ++i, ++asked) {
      buffers[asked].emplace(i->buffers);
      entries[asked].buffers = buffers[asked]->data();
      entries[asked].buffer_count = buffers[asked]->count();
    }
    const core::error e = Kind::receive(s, entries, asked, done);
    for (std::size_t i = 0; i != done; ++i, ++next) Kind::finish(entries[i], *next);
    return e;
  }

  Batch* batch_;
  std::size_t received_ = 0;
};

}  // namespace detail
}  // namespace v1
}  // namespace asio_rdma

#endif
