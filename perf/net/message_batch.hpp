// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_NET_MESSAGE_BATCH_HPP
#define ASIO_RDMA_PERF_NET_MESSAGE_BATCH_HPP

#include <asio_rdma/batch.hpp>

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <vector>

namespace perf::net {

/// The elements of batches; only these protocols have any.
template <class Protocol>
struct batch_elements;

template <>
struct batch_elements<asio_rdma::rc_seq_packet> {
  using outgoing = boost::asio::const_buffer;
  using incoming = asio_rdma::incoming_message<boost::asio::mutable_buffer>;
};

template <>
struct batch_elements<asio_rdma::ud> {
  using outgoing = asio_rdma::outgoing_datagram<boost::asio::const_buffer>;  // to the peer of the socket
  using incoming = asio_rdma::incoming_datagram<boost::asio::mutable_buffer>;
};

/// Messages of one size that are sent in one call, and room for those that are received in one.
template <class Protocol>
class message_batch {
public:
  using bytes = std::vector<unsigned char>;

  void prepare(std::size_t count, std::size_t size) {
    blocks_.assign(count, bytes(size));
    arriving_.assign(count, bytes(size));
    incoming_.clear();
    for (bytes& b : arriving_) incoming_.push_back({boost::asio::buffer(b)});
  }

  /// fill makes a message in a block, and says whether more follow.
  template <class Fill>
  const auto& outgoing(Fill fill) {
    outgoing_.clear();
    for (bytes& block : blocks_) {
      const bool more = fill(block);
      outgoing_.push_back({boost::asio::buffer(block)});
      if (!more) break;
    }
    return outgoing_;
  }

  auto& incoming() { return incoming_; }
  /// take(bytes, size) looks at each of those that were received.
  template <class Take>
  void take(std::size_t count, Take take) {
    for (std::size_t i = 0; i != count; ++i) take(arriving_[i], incoming_[i].bytes);
  }

private:
  std::vector<bytes> blocks_, arriving_;
  std::vector<typename batch_elements<Protocol>::outgoing> outgoing_;
  std::vector<typename batch_elements<Protocol>::incoming> incoming_;
};

/// Where there are no batches.
struct no_batch {};

}  // namespace perf::net

#endif
