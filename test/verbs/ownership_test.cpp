// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "counting_api.hpp"

#include <asio_rdma/verbs/verbs.hpp>

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

using namespace asio_rdma::verbs;
using asio_rdma::errc;
using boost::system::system_error;
using verbs_test::counting_api;
using list = std::vector<std::string>;

BOOST_FIXTURE_TEST_SUITE(ownership, counting_api, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(objects_are_empty_by_default_and_destroy_nothing) {
  {
    context c;
    protection_domain p;
    memory_region m;
    completion_queue q;
    queue_pair r;
    event_channel e;
    cm_id i;
    BOOST_TEST(!c);
    BOOST_TEST(!p);
    BOOST_TEST(p.native_handle() == nullptr);
    p.reset();
    i.reset();
  }
  BOOST_TEST(calls().empty());
}

BOOST_AUTO_TEST_CASE(children_use_the_table_of_their_parents) {
  {
    const context device(&card, table);
    const protection_domain domain(device);
    const memory_region region(domain, nullptr, 0, 0);
    BOOST_TEST(&region.table() == &table);
  }
  BOOST_TEST((calls() == list{"open_device", "alloc_pd", "reg_mr", "dereg_mr", "dealloc_pd", "close_device"}));
}

BOOST_AUTO_TEST_CASE(moving_hands_the_object_over) {
  const context device(&card, table);
  protection_domain a(device);
  protection_domain b(std::move(a));
  BOOST_TEST(!a);
  BOOST_TEST(!!b);
  calls().clear();
  protection_domain c(device);
  c = std::move(b);
  BOOST_TEST((calls() == list{"alloc_pd", "dealloc_pd"}));  // the one that c had
  protection_domain& same = c;
  c = std::move(same);
  BOOST_TEST(!!c);
}

BOOST_AUTO_TEST_CASE(release_destroys_nothing) {
  const context device(&card, table);
  protection_domain domain(device);
  calls().clear();
  BOOST_TEST(domain.release() != nullptr);
  BOOST_TEST(!domain);
  domain.reset();
  BOOST_TEST(calls().empty());
}

BOOST_AUTO_TEST_CASE(an_object_in_use_stays_when_destroy_fails_and_goes_when_reset) {
  const context device(&card, table);
  protection_domain domain(device);
  next_errno() = EBUSY;
  error_code ec;
  domain.destroy(ec);
  BOOST_TEST((ec == boost::system::errc::device_or_resource_busy));
  BOOST_TEST(!!domain);
  BOOST_CHECK_THROW(domain.destroy(), system_error);
  domain.reset();
  BOOST_TEST(!domain);
}

BOOST_AUTO_TEST_CASE(both_forms_report_the_same_error) {
  const context device(&card, table);
  next_errno() = EPERM;
  error_code ec;
  BOOST_TEST(!protection_domain::create(device, ec));
  BOOST_TEST((ec == boost::system::errc::operation_not_permitted));
  try {
    const protection_domain domain(device);
    BOOST_ERROR("did not throw");
  } catch (const system_error& e) {
    BOOST_TEST(e.code() == ec);
    BOOST_TEST(std::string(e.what()).find("ibv_alloc_pd") == 0u);
  }
}

BOOST_AUTO_TEST_CASE(success_clears_an_old_error) {
  const context device(&card, table);
  error_code ec = asio_rdma::to_error_code(asio_rdma::core::library_error::no_device);
  const auto domain = protection_domain::create(device, ec);
  BOOST_TEST(!ec);
}

BOOST_AUTO_TEST_CASE(returned_and_set_errors_are_both_understood) {
  const context device(&card, table);
  const protection_domain domain(device);
  ibv_qp_init_attr attributes{};
  const queue_pair pair(domain, attributes);
  error_code ec;
  next_errno() = EINVAL;
  pair.to_error(ec);  // returns it
  BOOST_TEST((ec == boost::system::errc::invalid_argument));
  const auto id = cm_id::adopt(nullptr, table);
  next_errno() = EADDRINUSE;
  id.bind(nullptr, ec);  // returns -1 and sets it
  BOOST_TEST((ec == boost::system::errc::address_in_use));
}

BOOST_AUTO_TEST_CASE(a_machine_without_devices_is_named_by_the_first_call) {
  for (const int e : {ENODEV, ENOENT}) {
    next_errno() = e;
    error_code ec;
    BOOST_TEST(!event_channel::create(ec, table));
    BOOST_TEST((ec == errc::no_device));
  }
  next_errno() = EMFILE;
  error_code ec;
  event_channel::create(ec, table);
  BOOST_TEST((ec == boost::system::errc::too_many_files_open));
}

BOOST_AUTO_TEST_CASE(completion_events_are_acknowledged_in_batches) {
  const context device(&card, table);
  completion_queue queue(device, 8);
  calls().clear();
  for (int i = 0; i < 127; ++i) queue.count_event();
  BOOST_TEST(calls().empty());
  queue.count_event();
  BOOST_TEST((calls() == list{"ack_cq_events"}));
  BOOST_TEST(acknowledged_events() == 128u);
}

BOOST_AUTO_TEST_CASE(completion_events_are_acknowledged_before_the_queue_is_destroyed) {
  const context device(&card, table);
  ibv_comp_channel channel{};
  {
    completion_queue first(device, 8, {&channel, table});
    waiting_events() = 3;
    BOOST_TEST(first.take_events() == 3u);
    BOOST_TEST(first.take_events() == 0u);
    const completion_queue second(std::move(first));  // with what is still owed
    calls().clear();
  }
  BOOST_TEST((calls() == list{"ack_cq_events", "destroy_cq"}));
  BOOST_TEST(acknowledged_events() == 3u);
}

BOOST_AUTO_TEST_CASE(an_id_is_destroyed_after_its_queue_pair) {
  const event_channel channel(table);
  int context = 0;
  {
    cm_id id(channel, RDMA_PS_TCP, &context);
    BOOST_TEST(id.user_context() == &context);
    BOOST_TEST(!id.queue_pair());
    ibv_qp_init_attr attributes{};
    id.create_queue_pair(nullptr, attributes);
    BOOST_TEST(!!id.queue_pair());
    calls().clear();
  }
  BOOST_TEST((calls() == list{"cm_destroy_qp", "cm_destroy_id"}));
}

BOOST_AUTO_TEST_CASE(an_adopted_id_is_owned) {
  rdma_cm_id plain{};
  { const cm_id id = cm_id::adopt(&plain, table); }
  BOOST_TEST((calls() == list{"cm_destroy_id"}));
}

BOOST_AUTO_TEST_CASE(a_connection_event_is_copied_and_acknowledged_before_it_is_returned) {
  const event_channel channel(table);
  rdma_cm_id id{};
  id.qp_type = IBV_QPT_RC;
  char data[] = "from the peer";
  rdma_cm_event original{};
  original.event = RDMA_CM_EVENT_REJECTED;
  original.status = 28;
  original.id = &id;
  original.param.conn.private_data = data;
  original.param.conn.private_data_len = sizeof data;
  original.param.conn.initiator_depth = 5;
  next_cm_event() = &original;
  calls().clear();
  const cm_event event = channel.get_event();
  BOOST_TEST((calls() == list{"cm_get_event", "cm_ack_event"}));
  std::memset(data, 'x', sizeof data);
  BOOST_TEST(event.type == RDMA_CM_EVENT_REJECTED);
  BOOST_TEST(event.status == 28);
  BOOST_TEST(event.id == &id);
  BOOST_TEST(std::string(reinterpret_cast<const char*>(event.private_data.data())) == "from the peer");
  BOOST_TEST(int{event.private_data_size} == 14);
  BOOST_TEST(int{event.connection.initiator_depth} == 5);
  BOOST_TEST(event.connection.private_data == nullptr);
}

BOOST_AUTO_TEST_CASE(a_datagram_event_keeps_where_to_send_to) {
  const event_channel channel(table);
  rdma_cm_id id{};
  id.qp_type = IBV_QPT_UD;
  rdma_cm_event original{};
  original.event = RDMA_CM_EVENT_MULTICAST_JOIN;
  original.id = &id;
  original.param.ud.qp_num = 0xffffff;
  original.param.ud.qkey = 7;
  next_cm_event() = &original;
  const cm_event event = channel.get_event();
  BOOST_TEST(event.datagram.qp_num == 0xffffffu);
  BOOST_TEST(event.datagram.qkey == 7u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(cm_event_errors, *boost::unit_test::label("native"))

namespace {

error_code error_of(rdma_cm_event_type type, int status) {
  cm_event event;
  event.type = type;
  event.status = status;
  return event.error();
}

}  // namespace

BOOST_AUTO_TEST_CASE(success_is_no_error) {
  for (const auto type : {RDMA_CM_EVENT_ADDR_RESOLVED, RDMA_CM_EVENT_ROUTE_RESOLVED, RDMA_CM_EVENT_CONNECT_REQUEST,
                          RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_MULTICAST_JOIN, RDMA_CM_EVENT_TIMEWAIT_EXIT})
    BOOST_TEST(!error_of(type, 0));
}

BOOST_AUTO_TEST_CASE(a_status_that_says_more_than_the_event_is_the_error) {
  BOOST_TEST((error_of(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV) == boost::system::errc::no_such_device));
  BOOST_TEST((error_of(RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH) == boost::system::errc::network_unreachable));
  BOOST_TEST((error_of(RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT) == boost::system::errc::host_unreachable));
  BOOST_TEST((error_of(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT) == boost::system::errc::timed_out));
  BOOST_TEST((error_of(RDMA_CM_EVENT_REJECTED, 8) == boost::system::errc::connection_refused));
  BOOST_TEST((error_of(RDMA_CM_EVENT_REJECTED, 3) == errc::peer_out_of_resources));
  BOOST_TEST((error_of(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED) == boost::system::errc::connection_refused));  // iWARP
  BOOST_TEST((error_of(RDMA_CM_EVENT_DISCONNECTED, 0) == boost::system::errc::connection_reset));
}

BOOST_AUTO_TEST_SUITE_END()
