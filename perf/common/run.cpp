// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// What all programs do: read the command line, meet the other side, go through the sizes.

#include "agreement.hpp"
#include "counters.hpp"
#include "document.hpp"
#include "end.hpp"
#include "flags.hpp"
#include "table.hpp"

#include <asio_rdma/asio_rdma.hpp>

#include <boost/json.hpp>

#include <sched.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iostream>
#include <sstream>
#include <system_error>

namespace perf {

namespace json = boost::json;

namespace {

std::unique_ptr<end> make_end(const end_of& e) {
  return e.what.is_net() ? make_net_end(e) : make_verbs_end(e);
}

std::vector<phase> phases_of(const settings& s) {
  std::vector<phase> phases;
  // Whole lists of requests are posted, in the warm-up too.
  if (s.warm_up > 0) phases.push_back({(s.warm_up + s.post_list - 1) / s.post_list * s.post_list, 0, 0, false});
  phases.push_back({s.iterations, static_cast<double>(s.duration), static_cast<double>(s.margin), true});
  return phases;
}

// Prints where there is somebody to read it: a document on standard output takes the table's place.
class reporter {
public:
  reporter(const program& p, const settings& s) : program_(p), settings_(s), table_(out(), p, s) {}

  void begin(const carrier& local, json::object remote) {
    local_ = local;
    remote_ = std::move(remote);
    table_.print_head(local);
  }
  void add(result r) {
    table_.print_row(r);
    if (settings_.json) results_.push_back(std::move(r));
  }
  void end() {
    table_.print_end();
    if (settings_.json) write_document(settings_.json_file, document(program_, settings_, local_, remote_, results_));
  }

private:
  std::ostream& out() { return settings_.json_file == "-" ? nowhere_ : std::cout; }

  const program& program_;
  const settings& settings_;
  std::ostringstream nowhere_;
  table table_;
  carrier local_;
  json::object remote_;
  std::vector<result> results_;
};

double messages_per_second(const json::object& o) {
  const json::value* const v = o.if_contains("messages_per_s");
  return v ? v->to_number<double>() : 0;
}

void measure(const program& p, const settings& s) {
  const std::unique_ptr<control> line = connect_control(s);
  try {
    propose(p, s, *line);
    const std::unique_ptr<end> us = make_end({p, s, *line, true});
    const carrier description = us->describe();
    line->send(to_json(description));
    const json::object them = line->receive();
    if (s.size > us->largest_message() && !s.all_sizes) {
      throw usage_error("--size (-s) " + std::to_string(s.size) + " is more than a message can have here, " +
                        std::to_string(us->largest_message()) + " bytes");
    }
    port_counters counters(s.counters, description);
    reporter report(p, s);
    report.begin(description, them);
    do {
      for (const std::uint64_t size : sizes_of(s, us->largest_message())) {
        result mine;
        for (const phase& part : phases_of(s)) {
          us->prepare(size);
          line->send({{"size", size}, {"counts", part.counts}});
          line->receive();
          counters.begin();
          mine = us->run(part);
          for (auto& grown : counters.growth()) mine.counters.push_back(std::move(grown));
          mine.bytes = size;
          line->send(to_json(p, s, mine));
          mine.other_messages = s.bidirectional ? messages_per_second(line->receive()) : (line->receive(), 0.0);
        }
        report.add(std::move(mine));
      }
    } while (s.forever);
    line->send({{"end", true}});
    report.end();
  } catch (const peer_error&) {
    throw;
  } catch (const std::exception& e) {
    line->send_error(e.what());
    throw;
  }
}

void serve_client(const program& p, const settings& own, control& line) {
  const settings s = agree(p, own, line);
  try {
    const std::unique_ptr<end> us = make_end({p, s, line, false});
    const json::object them = line.receive();
    const carrier description = us->describe();
    line.send(to_json(description));
    port_counters counters(s.counters, description);
    reporter report(p, s);
    report.begin(description, them);
    for (;;) {
      const json::object next = line.receive();
      if (next.contains("end")) break;
      const std::uint64_t size = next.at("size").to_number<std::uint64_t>();
      const bool counts = next.at("counts").as_bool();
      if (size == 0 || size > us->largest_message())
        throw peer_error("the client wants messages of " + std::to_string(size) + " bytes");
      us->prepare(size);
      line.send({{"ready", true}});
      for (const phase& part : phases_of(s)) {
        if (part.counts != counts) continue;
        counters.begin();
        result mine = us->run(part);
        for (auto& grown : counters.growth()) mine.counters.push_back(std::move(grown));
        mine.bytes = size;
        const json::object theirs = line.receive();
        line.send(to_json(p, s, mine));
        mine.other_messages = s.bidirectional ? messages_per_second(theirs) : 0;
        if (counts && mine.messages > 0) report.add(std::move(mine));
      }
    }
    report.end();
  } catch (const peer_error&) {
    throw;
  } catch (const std::exception& e) {
    line.send_error(e.what());
    throw;
  }
}

void print_error(const program& p, const std::string& what) {
  std::cout.flush();
  std::cerr << p.name << ": " << what << std::endl;
}

void serve(const program& p, const settings& s) {
  const std::unique_ptr<control_acceptor> acceptor = listen_for_control(s);
  do {
    const std::unique_ptr<control> line = acceptor->accept();
    if (!s.loop) {
      serve_client(p, s, *line);
      continue;
    }
    try {
      serve_client(p, s, *line);
    } catch (const std::exception& e) {
      print_error(p, std::string(e.what()) + "; waiting for the next client");
    }
  } while (s.loop);
}

void prepare_process(const settings& s) {
  std::signal(SIGPIPE, SIG_IGN);
  if (s.cpu != unset) {
    cpu_set_t* const set = CPU_ALLOC(4096);
    CPU_ZERO_S(CPU_ALLOC_SIZE(4096), set);
    CPU_SET_S(s.cpu, CPU_ALLOC_SIZE(4096), set);
    const int failed = ::sched_setaffinity(0, CPU_ALLOC_SIZE(4096), set) != 0 ? errno : 0;
    CPU_FREE(set);
    if (failed == EINVAL)
      throw usage_error("--cpu: there is no processor " + std::to_string(s.cpu) + " for this process");
    if (failed != 0) throw std::system_error(failed, std::generic_category(), "--cpu");
  }
  if (!s.device.empty()) asio_rdma::set_device_policy(s.device.c_str());
}

}  // namespace

int run(const program& p, int argc, char** argv) {
  try {
    const settings s = parse(p, argc, argv);
    if (s.has("help")) {
      std::cout << help(p);
      return 0;
    }
    if (s.has("version")) {
      std::cout << p.name << ' ' << ASIO_RDMA_PERF_VERSION << '\n';
      return 0;
    }
    prepare_process(s);
    if (s.is_server()) {
      serve(p, s);
    } else {
      measure(p, s);
    }
    return 0;
  } catch (const usage_error& e) {
    print_error(p, std::string(e.what()) + "; --help tells more");
    return 2;
  } catch (const std::exception& e) {
    print_error(p, e.what());
    return 1;
  }
}

}  // namespace perf
