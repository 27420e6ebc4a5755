// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What a device that has no room for a connection's queues is called.

#include "counting_api.hpp"

#include "io/stream_queues.hpp"

#include <asio_rdma/error.hpp>
#include <asio_rdma/verbs/verbs.hpp>

#include <boost/test/unit_test.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace verbs = asio_rdma::verbs;
using asio_rdma::core::error;
using asio_rdma::core::library_error;
using asio_rdma::io::stream_queues;
using verbs_test::counting_api;

namespace {

int refused_with = 0;       // errno
unsigned attempts = 0;      // to make a queue pair
unsigned last_inline = 0;   // bytes asked for by the last one
ibv_comp_channel channel{};

/// A device that makes everything but the queue pair.
struct full_device {
  full_device() {
    attempts = 0;
    channel.fd = ::eventfd(0, EFD_CLOEXEC);
    api.table.get_device_name = [](ibv_device*) { return "full0"; };
    api.table.query_device = [](ibv_context*, ibv_device_attr* a) {
      *a = {};
      a->max_qp_wr = 1024;
      a->max_cqe = 2048;
      return 0;
    };
    api.table.create_comp_channel = [](ibv_context*) { return &channel; };
    api.table.destroy_comp_channel = [](ibv_comp_channel*) { return 0; };
    api.table.create_qp = [](ibv_pd*, ibv_qp_init_attr* a) -> ibv_qp* {
      ++attempts;
      last_inline = a->cap.max_inline_data;
      errno = refused_with;
      return nullptr;
    };
    id_value.verbs = &context;
    id = verbs::cm_id::adopt(&id_value, api.table);
  }
  ~full_device() { ::close(channel.fd); }

  error make(stream_queues::sizes s = sizes()) {
    const error e = queues.create(id, s, {});
    BOOST_TEST(!queues);
    // Nothing is left: what was made is destroyed.
    const auto count = [](const char* call) {
      return std::count(counting_api::calls().begin(), counting_api::calls().end(), call);
    };
    BOOST_TEST(count("reg_mr") == count("dereg_mr"));
    BOOST_TEST(count("create_cq") == count("destroy_cq"));
    BOOST_TEST(count("alloc_pd") == count("dealloc_pd"));
    return e;
  }
  static stream_queues::sizes sizes() {
    stream_queues::sizes s;
    s.ring = s.staging = 4096;
    s.mirror = s.control_texts = 1024;
    s.receive_depth = 128;
    s.send_depth = 64;
    s.inline_size = 128;
    return s;
  }

  counting_api api;
  ibv_context context{};
  rdma_cm_id id_value{};
  verbs::cm_id id;
  stream_queues queues;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queues_of_streams, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(a_device_without_room_for_a_queue_pair_is_a_device_limit) {
  full_device d;
  refused_with = ENOMEM;
  BOOST_TEST((d.make() == error(library_error::device_limit)));
  BOOST_TEST(attempts == 1u);
}

BOOST_AUTO_TEST_CASE(less_is_taken_inline_before_a_queue_pair_is_given_up) {
  full_device d;
  refused_with = EINVAL;
  BOOST_TEST((d.make() == error(EINVAL)));
  BOOST_TEST(attempts == 9u);  // 128, 64, ... 1, 0
  BOOST_TEST(last_inline == 0u);
}

BOOST_AUTO_TEST_CASE(completion_vectors_are_taken_in_turn) {
  full_device d;
  refused_with = ENOMEM;
  static std::vector<int> vectors;
  vectors.clear();
  d.context.num_comp_vectors = 3;
  d.api.table.create_cq = [](ibv_context*, int, void*, ibv_comp_channel*, int vector) -> ibv_cq* {
    vectors.push_back(vector);
    errno = ENOMEM;
    return nullptr;
  };
  for (int i = 0; i < 5; ++i) (void)d.queues.create(d.id, full_device::sizes(), {});
  BOOST_REQUIRE(vectors.size() == 5u);
  for (std::size_t i = 0; i < 5; ++i) BOOST_TEST(vectors[i] == (vectors[0] + static_cast<int>(i)) % 3);
}

BOOST_AUTO_TEST_CASE(more_completions_than_the_device_holds_are_a_device_limit) {
  full_device d;
  d.api.table.query_device = [](ibv_context*, ibv_device_attr* a) {
    *a = {};
    a->max_qp_wr = 1024;
    a->max_cqe = 191;
    return 0;
  };
  BOOST_TEST((d.make() == error(library_error::device_limit)));
  BOOST_TEST(attempts == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
