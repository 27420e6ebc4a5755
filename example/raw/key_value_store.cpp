// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// A key-value store that clients read and write by themselves: the server offers a table in its memory and then sleeps;
// its processor has no part in any access. (One-sided operations; doc/raw.md.)
//
//   key_value_store server ADDRESS PORT CLIENTS      ends when that many have come and gone
//   key_value_store client ADDRESS PORT put KEY VALUE | get KEY | putmany COUNT
//
// The table has a fixed number of slots. A key's slot is where its hash says, or the next free one. A writer claims a
// free slot by an atomic compare-and-swap of the slot's word; it writes the whole record and makes it valid by a second
// one. Writing an existing key locks its slot in the same way. A reader takes a record only if its checksum fits, and
// reads again otherwise.

#include <asio_rdma/raw_acceptor.hpp>
#include <asio_rdma/raw_connection.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/crc.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <iostream>
#include <list>
#include <optional>
#include <stdexcept>
#include <string>

namespace asio = boost::asio;
using asio_rdma::work_request;

namespace {

constexpr std::size_t slots = 1024;
enum state : std::uint64_t { is_free, is_locked, is_valid };

// A slot of the table. The state is a number of the server's host; everything else is written by clients.
struct slot {
  std::uint64_t state;
  struct record {
    std::uint32_t checksum;  // of what follows
    char key[60];
    char value[120];
  } content;
};
static_assert(sizeof(slot) % 8 == 0, "atomics need aligned words");

std::uint32_t checksum_of(const slot::record& r) {
  boost::crc_32_type sum;
  sum.process_bytes(r.key, sizeof r.key + sizeof r.value);
  return sum.checksum();
}

void serve(asio::io_context& context, const asio::ip::tcp::endpoint& endpoint, unsigned long clients) {
  asio_rdma::raw_acceptor acceptor(context, endpoint);
  asio_rdma::registered_memory table;  // outlives the connections, and one serves all of them
  std::cout << "listening on " << acceptor.local_endpoint() << std::endl;
  std::list<asio_rdma::raw_connection> connections;
  unsigned long gone = 0;
  const auto accept = [&](auto& again) -> void {
    if (clients-- == 0) return acceptor.close();
    auto& c = connections.emplace_back(context);
    acceptor.async_accept_request(c, [&](boost::system::error_code ec) {
      if (ec) throw boost::system::system_error(ec, "accept");
      if (!table) table = c.register_memory(slots * sizeof(slot));  // zeroed: all slots are free
      c.offer(table.offer());
      c.async_establish([&](boost::system::error_code failed) {
        if (failed) throw boost::system::system_error(failed, "establish");
        // A client sends nothing; this receive ends when it leaves.
        c.async_receive(asio_rdma::local_buffer(), [&](boost::system::error_code, const asio_rdma::work_completion&) {
          c.close();
          ++gone;
        });
        again(again);
      });
    });
  };
  accept(accept);
  context.run();

  std::size_t used = 0;
  for (std::size_t i = 0; i < slots; ++i) used += table.as<slot>(i * sizeof(slot))->state == is_valid;
  std::cout << gone << " clients were here, " << used << " keys are stored" << std::endl;
}

class store {
public:
  store(asio::io_context& context, const asio::ip::tcp::endpoint& server) : connection_(context) {
    connection_.open(server);
    memory_ = connection_.register_memory(sizeof(slot) + sizeof(std::uint64_t));
    connection_.establish();
    table_ = connection_.peer_memory();
    if (table_.length < slots * sizeof(slot)) throw std::runtime_error("the server offers no table");
  }

  void put(const std::string& key, const std::string& value) {
    slot::record record{};
    if (key.empty() || key.size() >= sizeof record.key || value.size() >= sizeof record.value) {
      throw std::invalid_argument("keys have 1 to 59 bytes, values at most 119");
    }
    key.copy(record.key, key.size());
    value.copy(record.value, value.size());
    record.checksum = checksum_of(record);
    for (std::size_t i = 0; i < slots; ++i) {
      const std::size_t at = place(key, i);
      if (swap(at, is_free, is_locked)) return write(at, record);
      if (const auto found = read(at); key == found->key) {
        while (!swap(at, is_valid, is_locked)) {
        }
        return write(at, record);
      }
    }
    throw std::runtime_error("the store is full");
  }

  std::optional<std::string> get(const std::string& key) {
    for (std::size_t i = 0; i < slots; ++i) {
      const auto found = read(place(key, i));
      if (!found) return std::nullopt;
      if (key == found->key) return found->value;
    }
    return std::nullopt;
  }

private:
  static std::size_t place(const std::string& key, std::size_t attempt) {
    boost::crc_32_type hash;
    hash.process_bytes(key.data(), key.size());
    return (hash.checksum() + attempt) % slots * sizeof(slot);
  }

  void run(work_request& request) {
    connection_.post_send(request);
    asio_rdma::work_completion done[1];
    while (connection_.poll(done) == 0) {
    }
    if (!done[0].ok()) throw boost::system::system_error(done[0].error());
  }
  bool swap(std::size_t at, state expected, state desired) {
    const auto result = memory_.slice(sizeof(slot), sizeof(std::uint64_t));
    auto request = work_request::compare_and_swap(result, table_.at(at), expected, desired);
    run(request);
    return *memory_.as<std::uint64_t>(sizeof(slot)) == expected;
  }
  // Into a slot that we have locked.
  void write(std::size_t at, const slot::record& record) {
    std::memcpy(memory_.data() + offsetof(slot, content), &record, sizeof record);
    const auto from = memory_.slice(offsetof(slot, content), sizeof record);
    auto request = work_request::write(from, table_.at(at + offsetof(slot, content)));
    run(request);
    if (!swap(at, is_locked, is_valid)) throw std::runtime_error("somebody broke our lock");
  }
  // What is in a slot; nothing if it is free. Waits for whoever writes it.
  std::optional<slot::record> read(std::size_t at) {
    for (;;) {
      const auto to = memory_.slice(0, sizeof(slot));
      auto request = work_request::read(to, table_.at(at));
      run(request);
      const slot& s = *memory_.as<slot>();
      if (s.state == is_free) return std::nullopt;
      // A read of this size is not atomic: the checksum tells whether a writer came in between.
      if (s.state == is_valid && s.content.checksum == checksum_of(s.content)) return s.content;
    }
  }

  asio_rdma::raw_connection connection_;
  asio_rdma::registered_memory memory_;  // room for a slot, and for the result of an atomic
  asio_rdma::remote_memory table_;
};

int ask(store& s, int argc, char** argv) {
  const std::string command = argv[0];
  if (command == "put" && argc == 3) {
    s.put(argv[1], argv[2]);
  } else if (command == "putmany" && argc == 2) {
    const unsigned long count = std::stoul(argv[1]);
    for (unsigned long i = 0; i < count; ++i) s.put("key" + std::to_string(i), "value" + std::to_string(i));
  } else if (command == "get" && argc == 2) {
    const auto value = s.get(argv[1]);
    std::cout << (value ? *value : "no such key") << '\n';
    return value ? 0 : 1;
  } else {
    throw std::invalid_argument("put KEY VALUE, get KEY, or putmany COUNT");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 4 ? argv[1] : "";
  if (!(role == "server" && argc == 5) && role != "client") {
    std::cerr << "usage: key_value_store server ADDRESS PORT CLIENTS\n"
                 "       key_value_store client ADDRESS PORT put KEY VALUE | get KEY | putmany COUNT\n";
    return 2;
  }
  try {
    asio::io_context context(1);
    const asio::ip::tcp::endpoint endpoint = *asio::ip::tcp::resolver(context).resolve(argv[2], argv[3]).begin();
    if (role == "server") {
      serve(context, endpoint, std::stoul(argv[4]));
      return 0;
    }
    store s(context, endpoint);
    return ask(s, argc - 4, argv + 4);
  } catch (const std::exception& e) {
    std::cerr << "key_value_store: " << e.what() << '\n';
    return 1;
  }
}
