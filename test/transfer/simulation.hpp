// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_TEST_TRANSFER_SIMULATION_HPP
#define ASIO_RDMA_TEST_TRANSFER_SIMULATION_HPP

#include "transfer/message.hpp"
#include "transfer/message_ends.hpp"
#include "transfer/own_adverts.hpp"
#include "transfer/peer_adverts.hpp"
#include "transfer/piece.hpp"
#include "transfer/receive_window.hpp"
#include "transfer/send_queue.hpp"
#include "transfer/send_window.hpp"
#include "transfer/staging.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

namespace transfer_test {

namespace transfer = asio_rdma::transfer;

/// One kind of connection to try; both ends are alike but for what they send.
struct settings {
  std::uint32_t ring_size = 64;
  std::uint32_t queue_depth = 16;
  std::uint32_t max_chunk = 64;
  unsigned control_reserve = transfer::default_control_reserve;
  unsigned control_report = transfer::default_control_report;
  std::size_t staging_size = 64;
  std::uint32_t largest_ring = 64;  // that an end offers
  std::size_t largest_staging = 64;
  unsigned send_queue_depth = 16;
  bool direct = false;  // readers offer memory
  transfer::mode mode = transfer::mode::stream;
  std::size_t message_ends = 4;                    // that may wait to be posted, in message mode
  std::array<std::uint64_t, 2> bytes{1500, 1500};  // that each end sends
  transfer::start_position start{};
  std::uint64_t send_index_start = 0;
};

enum class outcome {
  finished,            // all bytes arrived in order, both ends saw eof, nothing is left in a queue
  deadlock,            // nobody can do anything, and it is not finished
  receiver_not_ready,  // a message arrived that had no posted receive
  violation,           // one end accused the other of breaking the protocol
  corrupt,             // wrong bytes, or a message that ends elsewhere
};

/// Two ends, the wire between them, their memory and their devices, driven by a random schedule. Every step that a real
/// connection can take on its own (the user writes or reads, a post, an arrival, a reaped completion of either kind)
/// is one action, and any order of them may happen. Memory is copied when the message arrives, as late as it may be,
/// so that memory used again too early shows as wrong bytes.
class simulation {
public:
  simulation(const settings& s, std::uint32_t seed);
  outcome run();

  /// The most messages that waited to be reaped at one end.
  std::size_t most_arrived() const { return most_arrived_; }
  /// How often a ring gave way to a larger one.
  std::size_t grown() const { return ends_[0].rings.size() + ends_[1].rings.size() - 2; }
  /// Bytes that went into memory that was offered.
  std::uint64_t direct() const { return ends_[0].direct + ends_[1].direct; }

private:
  struct message {
    transfer::immediate head;
    std::size_t from = 0;  // offset in the sender's staging memory
    std::size_t memory = 0;  // number of the sender's staging memory
    std::size_t to = 0;    // offset in the receiver's ring, or its mirror slot
    std::size_t ring = 0;  // number of the receiver's ring
    std::array<unsigned char, transfer::advert_size> text{};
    std::uint64_t work_request = 0;
    bool signalled = false;
  };
  struct end {
    explicit end(const settings& s, std::uint64_t bytes);
    transfer::send_window out;
    transfer::receive_window in;
    transfer::staging staged;
    transfer::message_ends to_end;  // messages not yet posted
    transfer::send_queue queue;
    // Each ring that there was; those that were given up are empty.
    std::vector<std::vector<unsigned char>> rings, staging_memory;
    std::vector<unsigned char> mirror;
    std::size_t ring_in_use = 0;  // number of the one that what arrives now lies in
    std::size_t peers_ring = 0;   // number of the peer's that this end writes into
    bool may_take = false;        // the peer has offered the next one
    bool room_was_short = false;
    transfer::own_adverts own;
    transfer::peer_adverts peers;
    std::array<std::vector<unsigned char>, transfer::max_adverts> offered;
    bool was_asked_back = false;  // by the peer
    int offers = 100;             // that are left
    std::uint64_t direct = 0;
    std::deque<message> wire;     // posted, not yet arrived at the peer
    std::deque<message> acks;     // arrived at the peer, not yet completed here
    std::deque<message> arrived;  // from the peer, not yet reaped
    std::uint64_t to_write;
    std::uint64_t consumed;
    std::deque<std::uint64_t> ends;  // of all messages that the user wrote and the peer's has not read
    bool fin_posted = false;
  };
  enum action {
    user_write,
    post_data,
    post_credit,
    post_fin,
    offer_ring,
    take_ring,
    grow_staging,
    offer_memory,
    ask_back,
    give_back,
    end_direct,
    take_offered,
    arrive,
    reap,
    user_read,
    complete,
    action_count
  };

  bool possible(action a, std::size_t i) const;
  bool keeps_messages() const { return settings_.mode == transfer::mode::message; }
  bool can_post_data(const end& e) const;
  outcome perform(action a, std::size_t i);
  void write(end& e);
  void burst(end& e);
  void post_direct(end& e, const transfer::piece& next, bool last);
  void offer(end& e);
  outcome take(end& e, end& peer);
  outcome next_message(end& e, end& peer);
  void post_control(end& e, transfer::message_kind kind, bool last, std::uint32_t length = 0,
                    const transfer::advert& a = {});
  outcome deliver(end& from, end& to);
  outcome reap_one(end& e, const end& peer);
  outcome read(end& e, end& peer);
  void complete_one(end& e);
  static void forget_ring(end& e);
  bool is_finished() const;
  std::uint64_t between(std::uint64_t low, std::uint64_t high);

  settings settings_;
  std::mt19937 random_;
  std::array<end, 2> ends_;
  std::array<std::array<unsigned, action_count>, 2> weights_;
  bool small_;
  std::size_t most_arrived_ = 0;
};

}  // namespace transfer_test

#endif
