// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include <asio_rdma/error.hpp>

#include <boost/system/errc.hpp>
#include <boost/test/unit_test.hpp>

#include <asio_rdma/detail/rdma_core.hpp>
#include <cstring>
#include <set>
#include <string>

using asio_rdma::errc;
using asio_rdma::to_error_code;
using asio_rdma::core::error;
using asio_rdma::core::error_domain;
using asio_rdma::core::library_error;
namespace generic = boost::system::errc;

namespace {

boost::system::error_code completion(int status) {
  return to_error_code(error(status, error_domain::completion));
}
boost::system::error_code event(rdma_cm_event_type type) {
  return to_error_code(error(type, error_domain::cm_event));
}
boost::system::error_code reject(int reason) {
  return to_error_code(error(reason, error_domain::cm_reject));
}

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(error_codes, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(success_is_no_error) {
  BOOST_TEST(!to_error_code(error()));
  BOOST_TEST(to_error_code(error()) == boost::system::error_code());
}

BOOST_AUTO_TEST_CASE(errno_values_are_of_the_system_category) {
  const auto ec = to_error_code(error(ECONNRESET));
  BOOST_TEST(ec == boost::system::error_code(ECONNRESET, boost::system::system_category()));
  BOOST_TEST((ec == generic::connection_reset));
}

BOOST_AUTO_TEST_CASE(completions_mean_what_their_causes_mean) {
  BOOST_TEST((completion(IBV_WC_RETRY_EXC_ERR) == generic::timed_out));
  BOOST_TEST((completion(IBV_WC_RESP_TIMEOUT_ERR) == generic::timed_out));
  BOOST_TEST((completion(IBV_WC_RNR_RETRY_EXC_ERR) == generic::no_buffer_space));
  BOOST_TEST((completion(IBV_WC_WR_FLUSH_ERR) == generic::operation_canceled));
  BOOST_TEST((completion(IBV_WC_LOC_LEN_ERR) == generic::message_size));
  BOOST_TEST((completion(IBV_WC_LOC_PROT_ERR) == generic::bad_address));
  BOOST_TEST((completion(IBV_WC_REM_ACCESS_ERR) == generic::permission_denied));
  BOOST_TEST((completion(IBV_WC_RETRY_EXC_ERR) != generic::connection_refused));
}

BOOST_AUTO_TEST_CASE(connection_manager_events_mean_what_sockets_say) {
  BOOST_TEST((event(RDMA_CM_EVENT_ADDR_ERROR) == generic::host_unreachable));
  BOOST_TEST((event(RDMA_CM_EVENT_ROUTE_ERROR) == generic::host_unreachable));
  BOOST_TEST((event(RDMA_CM_EVENT_UNREACHABLE) == generic::timed_out));
  BOOST_TEST((event(RDMA_CM_EVENT_CONNECT_ERROR) == generic::connection_aborted));
  BOOST_TEST((event(RDMA_CM_EVENT_DISCONNECTED) == generic::connection_reset));
  BOOST_TEST((event(RDMA_CM_EVENT_DEVICE_REMOVAL) == generic::no_such_device));
}

BOOST_AUTO_TEST_CASE(rejects_are_refusals) {
  BOOST_TEST((reject(8) == generic::connection_refused));   // nobody listens
  BOOST_TEST((reject(28) == generic::connection_refused));  // the program said no
  BOOST_TEST((reject(3) == generic::connection_refused));
  BOOST_TEST((reject(3) == errc::peer_out_of_resources));
  BOOST_TEST((reject(8) != errc::peer_out_of_resources));
  BOOST_TEST((reject(4) == generic::timed_out));
  BOOST_TEST((reject(10) == generic::connection_reset));
}

BOOST_AUTO_TEST_CASE(library_errors_are_conditions_and_errno_conditions) {
  BOOST_TEST((to_error_code(library_error::memlock_limit) == errc::memlock_limit));
  BOOST_TEST((to_error_code(library_error::memlock_limit) == generic::not_enough_memory));
  BOOST_TEST((to_error_code(error(ENOMEM)) != errc::memlock_limit));
  BOOST_TEST((to_error_code(library_error::no_device) == errc::no_device));
  BOOST_TEST((to_error_code(library_error::no_device) == generic::no_such_device));
  BOOST_TEST((to_error_code(library_error::incompatible_version) == errc::incompatible_version));
  BOOST_TEST((to_error_code(library_error::incompatible_version) != errc::not_asio_rdma));
  BOOST_TEST((to_error_code(library_error::peer_out_of_resources) == generic::connection_refused));
  BOOST_TEST((to_error_code(library_error::eof) == errc::eof));
}

BOOST_AUTO_TEST_CASE(a_foreign_address_is_a_condition) {
  const auto ec = to_error_code(error(1, error_domain::foreign_address));
  BOOST_TEST((ec == errc::foreign_address));
  BOOST_TEST((ec == generic::address_not_available));
  BOOST_TEST((ec != errc::no_device));
}

BOOST_AUTO_TEST_CASE(categories_are_told_apart_by_identity_and_name) {
  std::set<std::string> names;
  const boost::system::error_category* const all[] = {
      &asio_rdma::library_category(),   &asio_rdma::completion_category(),      &asio_rdma::cm_event_category(),
      &asio_rdma::cm_reject_category(), &asio_rdma::foreign_address_category(), &asio_rdma::device_policy_category()};
  for (const auto* a : all) {
    names.insert(a->name());
    for (const auto* b : all) BOOST_TEST((*a == *b) == (a == b));
  }
  BOOST_TEST(names.size() == 6u);
}

BOOST_AUTO_TEST_CASE(codes_become_std_error_codes) {
  const std::error_code ec = completion(IBV_WC_RETRY_EXC_ERR);
  BOOST_TEST((ec == std::errc::timed_out));
}

BOOST_AUTO_TEST_CASE(every_failure_has_a_text_of_its_own) {
  std::set<std::string> texts;
  std::size_t count = 0;
  const auto check = [&](const boost::system::error_code& ec) {
    BOOST_TEST(ec.message().find("unknown") != 0u, ec.message());
    texts.insert(ec.message());
    ++count;
  };
  for (int status = IBV_WC_LOC_LEN_ERR; status <= IBV_WC_TM_RNDV_INCOMPLETE; ++status) check(completion(status));
  for (const auto type : {RDMA_CM_EVENT_ADDR_ERROR, RDMA_CM_EVENT_ROUTE_ERROR, RDMA_CM_EVENT_CONNECT_ERROR,
                          RDMA_CM_EVENT_UNREACHABLE, RDMA_CM_EVENT_REJECTED, RDMA_CM_EVENT_DISCONNECTED,
                          RDMA_CM_EVENT_DEVICE_REMOVAL, RDMA_CM_EVENT_MULTICAST_ERROR, RDMA_CM_EVENT_ADDR_CHANGE})
    check(event(type));
  for (int reason = 1; reason <= 35; ++reason) check(reject(reason));
  for (int value = 1; value <= static_cast<int>(library_error::forked); ++value)
    check(to_error_code(static_cast<library_error>(value)));
  BOOST_TEST(texts.size() == count);
}

BOOST_AUTO_TEST_CASE(unknown_values_say_their_domain_and_number) {
  BOOST_TEST(completion(99).message() == "unknown work completion status 99");
  BOOST_TEST(reject(36).message() == "unknown connection manager reject reason 36");
  BOOST_TEST((reject(36) != generic::connection_refused));
}

BOOST_AUTO_TEST_CASE(an_exceeded_retry_counter_lists_its_causes) {
  const std::string text = completion(IBV_WC_RETRY_EXC_ERR).message();
  for (const char* cause : {"PFC", "MTU", "GID", "4791", "gone"}) BOOST_TEST(contains(text, cause), text);
}

BOOST_AUTO_TEST_CASE(texts_are_cut_as_snprintf_cuts) {
  const error e(IBV_WC_RETRY_EXC_ERR, error_domain::completion);
  char whole[1024];
  const std::size_t length = asio_rdma::core::error_text(e, whole, sizeof whole);
  BOOST_TEST(length == std::strlen(whole));
  char part[10];
  std::memset(part, 'x', sizeof part);
  BOOST_TEST(asio_rdma::core::error_text(e, part, sizeof part) == length);
  BOOST_TEST(std::string(part) == std::string(whole, 9));
  BOOST_TEST(asio_rdma::core::error_text(e, nullptr, 0) == length);
  BOOST_TEST(std::string(completion(IBV_WC_RETRY_EXC_ERR).category().message(e.value, part, sizeof part)) ==
             std::string(whole, 9));
}

BOOST_AUTO_TEST_CASE(errno_equivalents_of_the_core_and_of_boost_agree) {
  for (int status = 0; status <= IBV_WC_TM_RNDV_INCOMPLETE; ++status) {
    const error e(status, error_domain::completion);
    if (const int number = asio_rdma::core::error_as_errno(e)) {
      BOOST_TEST((to_error_code(e) == boost::system::error_condition(number, boost::system::generic_category())));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
