// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "options/option_table.hpp"
#include "options/settings.hpp"

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <set>
#include <string>

namespace core = asio_rdma::core;
using core::option;

namespace {

bool is(core::error e, int number) {
  return e == core::error(number);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(option_table)

BOOST_AUTO_TEST_CASE(defaults_are_in_range_and_names_are_different) {
  std::set<std::string> names;
  for (const core::option_entry* o = core::begin_options(); o != core::end_options(); ++o) {
    if (o->type != core::option_type::policy && o->standard != -2147483647 - 1) {
      BOOST_TEST((o->least <= o->standard && o->standard <= o->most));
    }
    if (o->text == nullptr) continue;
    BOOST_TEST(names.insert(o->text).second);
    BOOST_TEST(core::find_option(o->text) == o);
    BOOST_TEST(core::find_option(o->name) == o);
  }
  BOOST_TEST(core::find_option("linger") == nullptr);  // that is TCP's
  BOOST_TEST(core::find_option("") == nullptr);
  BOOST_TEST(core::find_option(static_cast<option>(-1)) == nullptr);
  BOOST_TEST(core::find_option(static_cast<option>(core::option_count)) == nullptr);
}

BOOST_AUTO_TEST_CASE(every_limit_is_a_value_and_what_lies_behind_it_is_none) {
  for (const core::option_entry* o = core::begin_options(); o != core::end_options(); ++o) {
    core::settings s;
    if (o->type == core::option_type::policy) {
      BOOST_TEST(is(s.set(o->name, 0), ENOPROTOOPT));
      continue;
    }
    BOOST_TEST(s[o->name] == o->standard);
    for (const int value : {o->least, o->most}) {
      BOOST_TEST(!s.set(o->name, value));
      BOOST_TEST(s[o->name] == value);
    }
    if (o->most < 2147483647) BOOST_TEST(is(s.set(o->name, o->most + 1), EINVAL));
    if (o->least > -2147483647 - 1) BOOST_TEST(is(s.set(o->name, o->least - 1), EINVAL));
    BOOST_TEST(s[o->name] == o->most);
  }
  core::settings s;
  BOOST_TEST(is(s.set(static_cast<option>(core::option_count), 0), ENOPROTOOPT));
}

BOOST_AUTO_TEST_CASE(buffers_are_powers_of_two) {
  core::settings s;
  BOOST_TEST(!s.set(option::receive_buffer_size, 4097));
  BOOST_TEST(s[option::receive_buffer_size] == 8192);
  BOOST_TEST(!s.set(option::receive_buffer_size, 8192));
  BOOST_TEST(s[option::receive_buffer_size] == 8192);
}

BOOST_AUTO_TEST_CASE(the_idle_time_of_tcp_is_that_of_a_keepalive_that_is_on) {
  core::settings s;
  BOOST_TEST(!s.set(option::keepalive_idle, 10));
  BOOST_TEST(s[option::keepalive] == 0);
  BOOST_TEST(!s.set(option::keepalive, 5));
  BOOST_TEST(!s.set(option::keepalive_idle, 20));
  BOOST_TEST(s[option::keepalive] == 20);
}

BOOST_AUTO_TEST_CASE(values_are_read_in_decimal_and_hexadecimal) {
  const core::option_entry& pkey = *core::find_option(option::pkey);
  const core::option_entry& traffic_class = *core::find_option(option::traffic_class);
  int value = -7;
  BOOST_TEST(core::parse_value(pkey, "65535", value));
  BOOST_TEST(value == 65535);
  BOOST_TEST(core::parse_value(pkey, "0x8001", value));
  BOOST_TEST(value == 0x8001);
  BOOST_TEST(core::parse_value(traffic_class, "-1", value));
  BOOST_TEST(value == -1);
  for (const char* text :
       {"", " 1", "1 ", "1x", "x", "0x", "0x-1", "--1", "+1", "65536", "99999999999", "1.5", "true"}) {
    BOOST_TEST(!core::parse_value(pkey, text, value), text);
  }
}

BOOST_AUTO_TEST_CASE(truth_has_several_names) {
  const core::option_entry& o = *core::find_option(option::acknowledged_writes);
  for (const char* text : {"true", "yes", "on", "1"}) {
    int value = 0;
    BOOST_TEST(core::parse_value(o, text, value));
    BOOST_TEST(value == 1);
  }
  for (const char* text : {"false", "no", "off", "0"}) {
    int value = 1;
    BOOST_TEST(core::parse_value(o, text, value));
    BOOST_TEST(value == 0);
  }
  int value = 0;
  for (const char* text : {"", "2", "True", "maybe"}) BOOST_TEST(!core::parse_value(o, text, value), text);
}

BOOST_AUTO_TEST_SUITE_END()
