// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// The performance programs, run as users run them. PERF_FOLDER is where they are.

#include <asio_rdma/device.hpp>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace json = boost::json;

namespace {

const char* const verbs_programs[] = {"asio_send_bw", "asio_send_lat", "asio_write_bw",  "asio_write_lat",
                                      "asio_read_bw", "asio_read_lat", "asio_atomic_bw", "asio_atomic_lat"};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

// A program that runs, its output in a file.
class running {
public:
  running(const std::string& program, const std::string& arguments) {
    char name[] = "/tmp/asio_rdma_perf_test_XXXXXX";
    ::close(::mkstemp(name));
    file_ = name;
    std::vector<std::string> all = words(arguments);
    all.insert(all.begin(), std::string(PERF_FOLDER "/") + program);
    std::vector<char*> argv;
    for (std::string& a : all) argv.push_back(&a[0]);
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 1, name, O_WRONLY | O_TRUNC, 0600);
    ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
    BOOST_REQUIRE(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
  }
  running(const running&) = delete;
  ~running() {
    kill();
    ::unlink(file_.c_str());
  }

  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  /// The exit status; -1 if a signal ended it.
  int wait() {
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
  }
  std::string output() const {
    std::ifstream in(file_);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  bool says(const std::string& text) const { return output().find(text) != std::string::npos; }

private:
  pid_t pid_ = 0;
  std::string file_;
};

// An address that the device in use has.
std::string address() {
  for (const asio_rdma::device_info& d : asio_rdma::devices()) {
    const bool is_used = asio_rdma::device_policy() == d.name ||
                         (asio_rdma::device_policy() == "hardware" && d.kind == asio_rdma::device_kind::hardware);
    for (const boost::asio::ip::address& a : d.addresses) {
      if (is_used && a.is_v4()) return a.to_string();
    }
  }
  BOOST_FAIL("no device has an IPv4 address");
  return {};
}

// A port that nobody has, below those that the kernel hands out by itself.
std::string next_port() {
  constexpr unsigned short first = 20000, last = 32000;
  static unsigned short port = static_cast<unsigned short>(first + ::getpid() * 16 % (last - first));
  for (;;) {
    if (++port > last) port = first;
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor acceptor(context, boost::asio::ip::tcp::v4());
    acceptor.set_option(boost::asio::socket_base::reuse_address(true));
    boost::system::error_code ec;
    acceptor.bind({boost::asio::ip::tcp::v4(), port}, ec);
    if (!ec) return "-p " + std::to_string(port) + ' ';
  }
}

// A client, tried until its server listens.
struct client_run {
  client_run(const std::string& program, const std::string& arguments) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      running r(program, arguments + ' ' + address());
      status = r.wait();
      output = r.output();
      if (status == 0 || output.find("onnection refused") == std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
  int status = -1;
  std::string output;
};

struct pair_run {
  pair_run(const std::string& program, const std::string& client_flags, const std::string& server_flags = "") {
    const std::string port = next_port();
    running s(program, port + server_flags);
    const client_run c(program, port + client_flags);
    client = c.status;
    output = c.output;
    if (c.status != 0) std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it ends by itself, or not at all
    server = s.wait();
    server_output = s.output();
    BOOST_TEST_INFO(program << ' ' << client_flags << ": " << output << server_output);
    BOOST_TEST(client == 0);
    BOOST_TEST_INFO(program << ' ' << client_flags << ": " << output << server_output);
    BOOST_TEST(server == 0);
  }
  int client, server;
  std::string output, server_output;
};

json::value json_of(const std::string& program, const std::string& flags, const std::string& server_flags = "") {
  return json::parse(pair_run(program, flags + " --out_json_file -", server_flags).output);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(programs)

BOOST_DATA_TEST_CASE(every_verbs_program_measures, boost::unit_test::data::make(verbs_programs), program) {
  for (const std::string& way : {std::string(), std::string("-R ")}) {
    const json::value v = json_of(program, way + "-n 50 --warm_up 10");
    BOOST_TEST(v.at("program").as_string() == program);
    for (const char* const side : {"local", "remote"}) {
      BOOST_TEST(!v.at(side).at("device").as_string().empty());
      BOOST_TEST(!v.at(side).at("gid").as_string().empty());
      BOOST_TEST(!v.at(side).at("link").as_string().empty());
      BOOST_TEST(v.at(side).at("mtu").to_number<int>() >= 256);
    }
    const json::value& row = v.at("results").at(0);
    BOOST_TEST(row.at("messages").to_number<int>() == 50);
    if (const json::value* const us = row.as_object().if_contains("us")) {
      BOOST_TEST(us->at("count").to_number<int>() == 50);
      BOOST_TEST(us->at("min").to_number<double>() > 0);
      BOOST_TEST(us->at("min").to_number<double>() <= us->at("p50").to_number<double>());
      BOOST_TEST(us->at("p50").to_number<double>() <= us->at("p99.9").to_number<double>());
      BOOST_TEST(us->at("p99.9").to_number<double>() <= us->at("max").to_number<double>());
    } else {
      BOOST_TEST(row.at("gbit_per_s").to_number<double>() > 0);
    }
  }
}

void check_sweep(const std::string& program) {
  const json::value v = json_of(program, "-a -n 5 --warm_up 1");
  const json::array& rows = v.at("results").as_array();
  BOOST_REQUIRE(rows.size() == 22 + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) BOOST_TEST(rows[i].at("bytes").to_number<std::uint64_t>() == 2u << i);
}

BOOST_AUTO_TEST_CASE(a_sweep_is_one_document) {
  check_sweep("asio_send_bw");
}

BOOST_AUTO_TEST_CASE(a_sweep_of_each_kind, *boost::unit_test::label("native")) {
  for (const char* const program : {"asio_send_lat", "asio_net_bw", "asio_net_lat"}) check_sweep(program);
}

BOOST_AUTO_TEST_CASE(every_way_of_sending_arrives_whole) {
  for (const char* const flags :
       {"-b", "-q 3", "-e", "-l 8 -n 64", "-s 64 -I 64", "-s 64 -l 4 --recv_post_list 4 -n 64", "-t 1", "-Q 7 -s 100",
        "-s 100000 -b -q 2 -e", "-r 2 -t 2"}) {
    const bool has_count = std::string(flags).find("-n ") != std::string::npos;
    pair_run("asio_send_bw", std::string(has_count ? "" : "-n 40 ") + "--warm_up 8 --data_validation " + flags);
  }
}

BOOST_AUTO_TEST_CASE(one_sided_operations_find_what_is_there) {
  for (const char* const program : {"asio_write_bw", "asio_read_bw", "asio_read_lat", "asio_atomic_lat"}) {
    pair_run(program, "-n 200 --warm_up 10 --data_validation");
  }
  for (const char* const flags : {"-b -q 2 -s 3000", "-s 64 -Q 16", "-l 4 -s 100"}) {
    pair_run("asio_write_bw", std::string("-n 200 --data_validation ") + flags);
    pair_run("asio_read_bw", std::string("-n 200 --data_validation -o 4 ") + flags);
  }
  for (const char* const type : {"FETCH_AND_ADD", "CMP_AND_SWAP"}) {
    pair_run("asio_atomic_bw", std::string("-n 200 --data_validation -A ") + type);
  }
}

BOOST_AUTO_TEST_CASE(datagrams_are_counted) {
  for (const char* const way : {"", "-R "}) {
    const json::value v = json_of("asio_send_bw", std::string(way) + "-c UD -s 512 -n 100 --data_validation");
    BOOST_TEST(v.at("results").at(0).at("lost").to_number<int>() <= 100);
  }
  pair_run("asio_send_lat", "-c UD -s 64 -n 20");
}

BOOST_AUTO_TEST_CASE(a_time_can_be_given, *boost::unit_test::label("native")) {
  for (const char* const program :
       {"asio_send_bw", "asio_send_lat", "asio_write_bw", "asio_write_lat", "asio_net_bw", "asio_net_lat"}) {
    const json::value row = json_of(program, "-D 1 -s 64").at("results").at(0);
    BOOST_TEST(row.at("seconds").to_number<double>() > 0.9);
    BOOST_TEST(row.at("messages").to_number<int>() > 0);
  }
  const json::value row = json_of("asio_send_lat", "-D 3 -f 1").at("results").at(0);
  BOOST_TEST(row.at("seconds").to_number<double>() < 2);
  BOOST_TEST(row.at("us").at("count").to_number<int>() > 0);
}

BOOST_AUTO_TEST_CASE(sockets_of_every_kind) {
  for (const char* const flags : {"", "--mode message", "--registered", "--mode datagram"}) {
    pair_run("asio_net_bw", std::string("-n 300 -s 1000 --data_validation ") + flags);
    pair_run("asio_net_lat", std::string("-n 300 -s 1000 --data_validation ") + flags);
  }
  pair_run("asio_net_bw", "-n 300 -s 1000 --data_validation --mode raw --async", "--async");
}

BOOST_AUTO_TEST_CASE(sockets_in_every_form, *boost::unit_test::label("native")) {
  for (const char* const flags : {"", "--mode message", "--mode tcp", "--registered", "--mode message --registered"}) {
    for (const char* const program : {"asio_net_bw", "asio_net_lat"}) {
      pair_run(program, std::string("-n 300 -s 1000 --data_validation ") + flags);
      pair_run(program, std::string("-n 300 -s 1000 --data_validation --async ") + flags, "--async");
    }
    pair_run("asio_net_bw", std::string("-n 300 -s 1000 --data_validation --async -b -q 3 ") + flags, "--async");
  }
  for (const char* const mode : {"datagram", "udp"}) {
    for (const char* const program : {"asio_net_bw", "asio_net_lat"}) {
      pair_run(program, std::string("-n 300 -s 1000 --data_validation --mode ") + mode);
    }
    pair_run("asio_net_bw", std::string("-n 300 -s 1000 --data_validation -b -q 3 --mode ") + mode);
  }
  for (const char* const flags : {"", "--async", "--async -b -q 3"}) {
    pair_run("asio_net_bw", std::string("-n 320 -l 32 -s 1000 --data_validation --mode message ") + flags, flags);
  }
  pair_run("asio_net_bw", "-n 320 -l 32 -s 1000 --data_validation -b -q 3 --mode datagram");
  pair_run("asio_net_bw", "-n 300 --async -b -q 2");  // the server needs no flag for that
  pair_run("asio_net_bw", "-z -n 100", "-z");
  for (const char* const flags : {"-s 1000 -n 300 --data_validation", "-a -n 5 --warm_up 2", "-D 1"}) {
    pair_run("asio_net_bw", std::string("--mode raw --async ") + flags, "--async");
    pair_run("asio_net_lat", std::string("--mode raw --async ") + flags, "--async");
  }
  pair_run("asio_net_bw", "--mode raw --async -b -q 3 -n 300 -s 1000 --data_validation", "--async");
}

BOOST_AUTO_TEST_CASE(a_table_has_its_units, *boost::unit_test::label("native")) {
  const pair_run r("asio_send_bw", "-n 50 --report_both_units --probe --cpu_util");
  for (const char* const column : {"#bytes", "#iterations", "BW peak[MiB/sec]", "BW average[MiB/sec]",
                                   "BW average[Gb/sec]", "MsgRate[Mpps]", "CPU_Util[%]", "post[nsec]", "poll[nsec]"}) {
    BOOST_TEST(r.output.find(column) != std::string::npos, column);
  }
  const pair_run l("asio_send_lat", "-n 50 -H");
  for (const char* const column : {"t_min[usec]", "t_typical[usec]", "99.99%[usec]", "from[usec]"}) {
    BOOST_TEST(l.output.find(column) != std::string::npos, column);
  }
  const pair_run cycles("asio_send_lat", "-n 50 -C -H -U");
  for (const char* const column : {"t_min[cycles]", "99.99%[cycles]", "from[cycles]"}) {
    BOOST_TEST(cycles.output.find(column) != std::string::npos, column);
  }
  BOOST_TEST(cycles.output.find("[usec]") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(counters_of_the_port_are_shown) {
  const std::string port = next_port();
  running server("asio_send_bw", port + "-T 32 --loop");
  const std::string with_counters = port + "-R -T 32 -n 100 -s 64 -W ";
  if (asio_rdma::device_policy() == "soft0") {
    const client_run none("asio_send_bw", with_counters + "hw_counters/sent_pkts");
    BOOST_TEST(none.status == 2);
    BOOST_TEST(none.says("soft0 has no counters"), none.output);
    return;
  }
  const client_run c("asio_send_bw", with_counters + "hw_counters/sent_pkts --out_json_file -");
  BOOST_TEST_REQUIRE(c.status == 0, c.output);
  const json::value row = json::parse(c.output).at("results").at(0);
  BOOST_TEST(row.at("counters").at("hw_counters/sent_pkts").to_number<int>() >= 100);
  BOOST_TEST(client_run("asio_send_bw", with_counters + "hw_counters/sent_pkts").says("\thw_counters/sent_pkts="));
  for (const char* const name : {"hw_counters/nothing", "../../../../uevent", "/proc/uptime"}) {
    const client_run wrong("asio_send_bw", with_counters + name);
    BOOST_TEST(wrong.status == 2);
    BOOST_TEST(wrong.says("has no counter '" + std::string(name) + "'; it has "), wrong.output);
  }
}

void kill_clients_of(const std::string& program) {
  const std::string port = next_port();
  running server(program, port + "--loop");
  for (int round = 0; round < 2; ++round) {
    BOOST_TEST(client_run(program, port + "-n 20").status == 0);
    running killed(program, port + "-D 60 -s 64 " + address());
    std::this_thread::sleep_for(std::chrono::milliseconds(round == 0 ? 700 : 100));
    BOOST_TEST(!killed.has_ended());
    killed.kill();
  }
  const client_run next(program, port + "-n 20");
  BOOST_TEST_INFO(next.output << server.output());
  BOOST_TEST(next.status == 0);
  BOOST_TEST(server.says("waiting for the next client"));
}

BOOST_AUTO_TEST_CASE(a_server_survives_a_client_that_is_killed) {
  for (const char* const program : {"asio_send_bw", "asio_net_bw"}) kill_clients_of(program);
}

BOOST_AUTO_TEST_CASE(servers_of_other_kinds_do, *boost::unit_test::label("native")) {
  for (const char* const program : {"asio_send_lat", "asio_write_lat", "asio_read_bw"}) kill_clients_of(program);
}

BOOST_AUTO_TEST_CASE(settings_that_contradict_are_named, *boost::unit_test::label("native")) {
  const std::string port = next_port();
  running server("asio_send_bw", port + "-s 64 -c UD --loop");
  const client_run size("asio_send_bw", port + "-s 128 -c UD");
  BOOST_TEST(size.status == 1);
  BOOST_TEST(size.says("--size (-s): the server was started with 64, the client wants 128"), size.output);
  BOOST_TEST(client_run("asio_send_bw", port + "-s 64")
                 .says("--connection (-c): the server was started with UD, the client wants RC"));
  BOOST_TEST(client_run("asio_write_bw", port + "-s 64").says("run the same at both ends"));
  BOOST_TEST(client_run("asio_send_bw", port + "-s 64 -c UD -n 20").status == 0);
}

BOOST_AUTO_TEST_CASE(nonsense_ends_with_2_and_a_failure_with_1, *boost::unit_test::label("native")) {
  for (const char* const program : {"asio_send_bw", "asio_net_lat"}) {
    running nonsense(program, "-n nonsense");
    BOOST_TEST(nonsense.wait() == 2);
    BOOST_TEST(nonsense.says("--iters (-n): 'nonsense' is not a whole number"));
    running help(program, "--help");
    BOOST_TEST(help.wait() == 0);
    BOOST_TEST(help.says("usage: " + std::string(program)));
    running nobody(program, next_port() + "127.0.0.1");
    BOOST_TEST(nobody.wait() == 1);
    BOOST_TEST(nobody.says("Connection refused"));
    running device(program, "-d nothing0 127.0.0.1");
    BOOST_TEST(device.wait() == 1);
    BOOST_TEST(device.says("nothing0"));
  }
  const std::string port = next_port();
  running server("asio_send_bw", port);
  const client_run big("asio_send_bw", port + "-c UD -s 100000");
  BOOST_TEST(big.status == 2);
  BOOST_TEST(big.says("--size (-s) 100000 is more than a message can have here"), big.output);
  BOOST_TEST(server.wait() == 1);
}

BOOST_AUTO_TEST_CASE(a_stranger_does_no_harm, *boost::unit_test::label("native")) {
  const std::string port = next_port();
  running server("asio_send_bw", port + "--loop");
  BOOST_TEST(client_run("asio_send_bw", port + "-n 20").status == 0);
  const std::string number = words(port)[1];
  for (const char* const said : {"GET / HTTP/1.0", "{}", "{\\\"asio_rdma_perf\\\":1}", "{\\\"asio_rdma_perf\\\":7}"}) {
    const std::string command = "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + number + "; echo \"" + said + "\" >&3'";
    BOOST_TEST(std::system(command.c_str()) == 0);
  }
  BOOST_TEST(client_run("asio_send_bw", port + "-n 20").status == 0);
  BOOST_TEST(server.says("the client speaks version 7"), server.output());
}

BOOST_AUTO_TEST_SUITE_END()
