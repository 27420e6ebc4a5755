// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// doc/errors.md and the code say the same.

#include "support/source_file.hpp"

#include <asio_rdma/detail/asio_error.hpp>
#include <asio_rdma/error.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>
#include <boost/test/unit_test.hpp>

#include <asio_rdma/detail/rdma_core.hpp>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

using asio_rdma::errc;
using asio_rdma::to_error_code;
using asio_rdma::core::error;
using asio_rdma::core::error_domain;
using asio_rdma::core::library_error;
using boost::system::error_code;

namespace {

using row = std::vector<std::string>;

/// The rows of the first table behind a line, without its heading.
std::vector<row> table_behind(const std::string& line) {
  std::istringstream document(source_file("doc/errors.md"));
  std::string text;
  while (std::getline(document, text) && text != line) {
  }
  BOOST_REQUIRE_MESSAGE(document, "no line '" << line << "'");
  while (std::getline(document, text) && text[0] != '|') {
  }
  std::vector<row> rows;
  std::getline(document, text);  // |---|
  while (std::getline(document, text) && !text.empty() && text[0] == '|') {
    row r;
    std::istringstream cells(text.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) r.push_back(cell);
    rows.push_back(r);
  }
  BOOST_REQUIRE(!rows.empty());
  return rows;
}

/// What stands in backquotes.
std::vector<std::string> quoted(const std::string& cell) {
  static const std::regex pattern("`([^`]+)`");
  std::vector<std::string> result;
  for (std::sregex_iterator i(cell.begin(), cell.end(), pattern), end; i != end; ++i) result.push_back((*i)[1]);
  return result;
}

struct condition {
  int number;
  boost::system::errc::errc_t boosts;
  std::errc standards;
};

const std::map<std::string, condition>& conditions() {
#define ASIO_RDMA_CONDITION(name, number) \
  { #name, { number, boost::system::errc::name, std::errc::name } }
  static const std::map<std::string, condition> all = {
      ASIO_RDMA_CONDITION(address_in_use, EADDRINUSE),
      ASIO_RDMA_CONDITION(address_not_available, EADDRNOTAVAIL),
      ASIO_RDMA_CONDITION(already_connected, EISCONN),
      ASIO_RDMA_CONDITION(bad_address, EFAULT),
      ASIO_RDMA_CONDITION(bad_file_descriptor, EBADF),
      ASIO_RDMA_CONDITION(broken_pipe, EPIPE),
      ASIO_RDMA_CONDITION(connection_aborted, ECONNABORTED),
      ASIO_RDMA_CONDITION(connection_refused, ECONNREFUSED),
      ASIO_RDMA_CONDITION(connection_reset, ECONNRESET),
      ASIO_RDMA_CONDITION(destination_address_required, EDESTADDRREQ),
      ASIO_RDMA_CONDITION(host_unreachable, EHOSTUNREACH),
      ASIO_RDMA_CONDITION(invalid_argument, EINVAL),
      ASIO_RDMA_CONDITION(io_error, EIO),
      ASIO_RDMA_CONDITION(message_size, EMSGSIZE),
      ASIO_RDMA_CONDITION(network_down, ENETDOWN),
      ASIO_RDMA_CONDITION(network_reset, ENETRESET),
      ASIO_RDMA_CONDITION(network_unreachable, ENETUNREACH),
      ASIO_RDMA_CONDITION(no_buffer_space, ENOBUFS),
      ASIO_RDMA_CONDITION(no_such_device, ENODEV),
      ASIO_RDMA_CONDITION(not_connected, ENOTCONN),
      ASIO_RDMA_CONDITION(not_enough_memory, ENOMEM),
      ASIO_RDMA_CONDITION(operation_canceled, ECANCELED),
      ASIO_RDMA_CONDITION(operation_in_progress, EINPROGRESS),
      ASIO_RDMA_CONDITION(operation_not_supported, EOPNOTSUPP),
      ASIO_RDMA_CONDITION(operation_would_block, EWOULDBLOCK),
      ASIO_RDMA_CONDITION(permission_denied, EACCES),
      ASIO_RDMA_CONDITION(protocol_error, EPROTO),
      ASIO_RDMA_CONDITION(protocol_not_supported, EPROTONOSUPPORT),
      ASIO_RDMA_CONDITION(timed_out, ETIMEDOUT),
      ASIO_RDMA_CONDITION(too_many_files_open, EMFILE),
      ASIO_RDMA_CONDITION(wrong_protocol_type, EPROTOTYPE),
  };
#undef ASIO_RDMA_CONDITION
  return all;
}

const std::map<std::string, error_code>& asio_errors() {
  namespace e = boost::asio::error;
  static const std::map<std::string, error_code> all = {
      {"access_denied", e::access_denied},
      {"address_in_use", e::address_in_use},
      {"already_connected", e::already_connected},
      {"bad_descriptor", e::bad_descriptor},
      {"broken_pipe", e::broken_pipe},
      {"connection_aborted", e::connection_aborted},
      {"connection_refused", e::connection_refused},
      {"connection_reset", e::connection_reset},
      {"fault", e::fault},
      {"host_unreachable", e::host_unreachable},
      {"in_progress", e::in_progress},
      {"invalid_argument", e::invalid_argument},
      {"message_size", e::message_size},
      {"network_down", e::network_down},
      {"network_reset", e::network_reset},
      {"network_unreachable", e::network_unreachable},
      {"no_buffer_space", e::no_buffer_space},
      {"no_descriptors", e::no_descriptors},
      {"no_memory", e::no_memory},
      {"not_connected", e::not_connected},
      {"operation_aborted", e::operation_aborted},
      {"operation_not_supported", e::operation_not_supported},
      {"timed_out", e::timed_out},
      {"would_block", e::would_block},
  };
  return all;
}

const std::map<std::string, errc>& own_errors() {
  static const std::map<std::string, errc> all = {
      {"eof", errc::eof},
      {"already_open", errc::already_open},
      {"no_device", errc::no_device},
      {"foreign_address", errc::foreign_address},
      {"incompatible_version", errc::incompatible_version},
      {"not_asio_rdma", errc::not_asio_rdma},
      {"mode_mismatch", errc::mode_mismatch},
      {"protocol_error", errc::protocol_error},
      {"memlock_limit", errc::memlock_limit},
      {"device_limit", errc::device_limit},
      {"peer_out_of_resources", errc::peer_out_of_resources},
      {"unknown_device", errc::unknown_device},
      {"other_host", errc::other_host},
      {"bad_default", errc::bad_default},
      {"option_refused", errc::option_refused},
      {"forked", errc::forked},
      {"misuse", errc::misuse},
  };
  return all;
}

/// "errc::device_limit" without its scope; empty if it has none.
std::string own_name(const std::string& name) {
  const std::string scope = "errc::";
  return name.rfind(scope, 0) == 0 ? name.substr(scope.size()) : std::string();
}

/// An error of the core compares, from either side, with each condition named in a cell and with no other.
void check_equals(error e, const std::string& cell) {
  const error_code ec = to_error_code(e);
  const std::error_code standard = ec;
  std::set<std::string> expected;
  for (const std::string& name : quoted(cell)) expected.insert(name);
  if (expected.erase("EREMOTEIO") != 0) BOOST_TEST(asio_rdma::core::error_as_errno(e) == EREMOTEIO);
  BOOST_TEST_CONTEXT(ec << ", documented as " << cell) {
    for (const auto& [name, c] : conditions()) {
      const bool is_equal = expected.count(name) != 0;
      BOOST_TEST_CONTEXT(name) {
        BOOST_TEST((ec == c.boosts) == is_equal);
        BOOST_TEST((c.boosts == ec) == is_equal);
        BOOST_TEST((standard == c.standards) == is_equal);
        BOOST_TEST((c.standards == standard) == is_equal);
        BOOST_TEST((standard == std::make_error_condition(c.standards)) == is_equal);
        if (is_equal) BOOST_TEST(asio_rdma::core::error_as_errno(e) == c.number);
      }
      expected.erase(name);
    }
    for (const auto& [name, own] : own_errors()) {
      const bool is_equal = expected.count("errc::" + name) != 0;
      BOOST_TEST_CONTEXT(name) {
        BOOST_TEST((ec == own) == is_equal);
        BOOST_TEST((own == ec) == is_equal);
      }
      expected.erase("errc::" + name);
    }
    for (const std::string& name : expected) BOOST_ERROR("the document has an unknown name: " << name);
  }
}

/// "1, 5 to 7, 9"
std::vector<int> numbers(const std::string& cell) {
  static const std::regex pattern("([0-9]+)( to ([0-9]+))?");
  std::vector<int> result;
  for (std::sregex_iterator i(cell.begin(), cell.end(), pattern), end; i != end; ++i) {
    const int first = std::stoi((*i)[1]);
    const int last = (*i)[3].matched ? std::stoi((*i)[3]) : first;
    for (int n = first; n <= last; ++n) result.push_back(n);
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(error_document, *boost::unit_test::label("native"))

BOOST_AUTO_TEST_CASE(names_of_asio_mean_the_conditions_beside_them) {
  std::set<std::string> seen;
  for (const row& r : table_behind("code of another category. Their texts say what to do. Asio's enumerators and the "
                                   "conditions that say the same:")) {
    const std::string asios = quoted(r.at(0)).at(0), name = quoted(r.at(1)).at(0);
    BOOST_TEST_CONTEXT(asios << " and " << name) {
      const error_code ec = asio_errors().at(asios);
      const condition& c = conditions().at(name);
      BOOST_TEST((ec == c.boosts));
      BOOST_TEST((c.boosts == ec));
      BOOST_TEST((std::error_code(ec) == c.standards));
      // What the core says with that errno is Asio's own code.
      BOOST_TEST(to_error_code(error(c.number)) == ec);
      BOOST_TEST(ec == to_error_code(error(c.number)));
    }
    seen.insert(asios);
  }
  BOOST_TEST(seen.size() == asio_errors().size());
}

BOOST_AUTO_TEST_CASE(own_errors_equal_what_is_documented) {
  std::set<std::string> seen;
  for (const row& r : table_behind("## `errc`")) {
    const std::string name = quoted(r.at(0)).at(0);
    seen.insert(name);
    const error e(static_cast<int>(own_errors().at(name)), error_domain::library);
    check_equals(e, "`errc::" + name + "` " + r.at(1));
    BOOST_TEST(std::string(to_error_code(e).category().name()) == "asio_rdma");
  }
  BOOST_TEST(seen.size() == own_errors().size());
  BOOST_TEST(seen.size() == static_cast<std::size_t>(library_error::misuse));  // the last one
}

BOOST_AUTO_TEST_CASE(completions_equal_what_is_documented) {
  std::set<int> seen;
  for (const row& r : table_behind("## Work completions")) {
    for (const int status : numbers(r.at(0))) {
      BOOST_TEST(seen.insert(status).second, "twice: " << status);
      check_equals(error(status, error_domain::completion), r.at(1));
    }
  }
  BOOST_TEST(seen.size() == static_cast<std::size_t>(IBV_WC_TM_RNDV_INCOMPLETE));
  BOOST_TEST(*seen.rbegin() == IBV_WC_TM_RNDV_INCOMPLETE);
}

BOOST_AUTO_TEST_CASE(connection_manager_events_equal_what_is_documented) {
  const std::map<std::string, int> events = {
      {"ADDR_ERROR", RDMA_CM_EVENT_ADDR_ERROR},         {"ROUTE_ERROR", RDMA_CM_EVENT_ROUTE_ERROR},
      {"CONNECT_ERROR", RDMA_CM_EVENT_CONNECT_ERROR},   {"UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE},
      {"REJECTED", RDMA_CM_EVENT_REJECTED},             {"DISCONNECTED", RDMA_CM_EVENT_DISCONNECTED},
      {"DEVICE_REMOVAL", RDMA_CM_EVENT_DEVICE_REMOVAL}, {"MULTICAST_ERROR", RDMA_CM_EVENT_MULTICAST_ERROR},
      {"ADDR_CHANGE", RDMA_CM_EVENT_ADDR_CHANGE}};
  std::set<std::string> seen;
  for (const row& r : table_behind("`ADDR_ERROR` with -19 is `no_such_device`, with -101 `network_unreachable`. "
                                   "Otherwise:")) {
    if (quoted(r.at(1)).empty()) continue;  // the reject reason
    for (const std::string& name : quoted(r.at(0))) {
      seen.insert(name);
      check_equals(error(events.at(name), error_domain::cm_event), r.at(1));
    }
  }
  BOOST_TEST(seen.size() == events.size());
}

BOOST_AUTO_TEST_CASE(rejects_equal_what_is_documented) {
  std::set<int> seen;
  for (const row& r : table_behind("## Reject reasons")) {
    for (const int reason : numbers(r.at(0))) {
      BOOST_TEST(seen.insert(reason).second, "twice: " << reason);
      check_equals(error(reason, error_domain::cm_reject), r.at(1));
    }
  }
  BOOST_TEST(seen.size() == 35u);
}

/// Where the core knows an errno for what happened to a connection, a socket's code is that errno, as TCP's would be.
BOOST_AUTO_TEST_CASE(sockets_compare_equal_with_asios_errors) {
  namespace e = boost::asio::error;
  using asio_rdma::detail::to_asio_error;
  const auto check = [](error from, const error_code& asios) {
    BOOST_TEST(to_asio_error(from) == asios);
    BOOST_TEST(asios == to_asio_error(from));
  };
  const auto check_all = [&](int last, error_domain domain) {
    for (int value = 1; value <= last; ++value) {
      const error from(value, domain);
      if (const int number = asio_rdma::core::error_as_errno(from)) {
        check(from, error_code(number, boost::system::system_category()));
      }
    }
  };
  check_all(IBV_WC_TM_RNDV_INCOMPLETE, error_domain::completion);
  check_all(RDMA_CM_EVENT_TIMEWAIT_EXIT, error_domain::cm_event);
  check_all(35, error_domain::cm_reject);
  check(error(IBV_WC_RETRY_EXC_ERR, error_domain::completion), e::timed_out);
  check(error(IBV_WC_RNR_RETRY_EXC_ERR, error_domain::completion), e::no_buffer_space);
  check(error(IBV_WC_WR_FLUSH_ERR, error_domain::completion), e::operation_aborted);
  check(error(RDMA_CM_EVENT_ROUTE_ERROR, error_domain::cm_event), e::host_unreachable);
  check(error(RDMA_CM_EVENT_CONNECT_ERROR, error_domain::cm_event), e::connection_aborted);
  check(error(RDMA_CM_EVENT_UNREACHABLE, error_domain::cm_event), e::timed_out);
  check(error(RDMA_CM_EVENT_DISCONNECTED, error_domain::cm_event), e::connection_reset);
  check(error(8, error_domain::cm_reject), e::connection_refused);
  check(error(10, error_domain::cm_reject), e::connection_reset);
  check(library_error::eof, e::eof);
  check(library_error::already_open, e::already_open);
}

BOOST_AUTO_TEST_CASE(what_a_socket_reports_has_a_name_and_a_test) {
  std::string tests;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SOURCE_FOLDER "/test")) {
    if (entry.path().extension() == ".cpp") tests += source_file(entry.path());
  }
  const std::set<std::string> asios_alone = {"eof", "already_open"};
  for (const row& r : table_behind("The last column names the test that makes it happen.")) {
    BOOST_TEST_CONTEXT(r.at(1)) {
      for (const std::string& code : quoted(r.at(2))) {
        const std::string own = own_name(code);
        const bool is_known =
            own.empty() ? conditions().count(code) + asios_alone.count(code) != 0 : own_errors().count(own) != 0;
        BOOST_TEST(is_known, code);
      }
      BOOST_REQUIRE(quoted(r.at(3)).size() == 1u);
      const std::string test = "_TEST_CASE(" + quoted(r.at(3)).front();
      const bool is_there = tests.find(test + ")") != std::string::npos || tests.find(test + ",") != std::string::npos;
      BOOST_TEST(is_there, test);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
