// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "agreement.hpp"

#include "flags.hpp"

#include <boost/json.hpp>

namespace perf {

namespace json = boost::json;

namespace {

constexpr int version = 1;  // of what the two sides say to each other

// The client's settings, which can be anybody's.
settings take_over(const program& p, const settings& s, const json::object& hello) {
  const json::value* const spoken = hello.if_contains("asio_rdma_perf");
  if (!spoken || !spoken->is_int64()) throw usage_error("the client is no performance program of this library");
  if (spoken->get_int64() != version) {
    throw usage_error("the client speaks version " + std::to_string(spoken->get_int64()) +
                      " of the programs' protocol, the server " + std::to_string(version) +
                      ": use programs of one release at both ends");
  }
  const std::string name(hello.at("program").as_string());
  if (name != p.name)
    throw usage_error("the client is " + name + ", the server " + p.name + ": run the same at both ends");

  settings result = s;
  const json::object& wanted = hello.at("settings").as_object();
  for (const flag& f : all_flags()) {
    if (!f.agreed || !f.belongs_to(p)) continue;
    const json::value* const value = wanted.if_contains(f.name);
    if (!value) continue;
    const std::string theirs(value->as_string());
    const std::string ours = value_text(f, s);
    // What nobody has said is no value that a command line could have.
    const bool is_preset = f.is_number() && theirs == value_text(f, settings());
    if (is_preset && theirs == std::to_string(unset)) continue;
    if (s.has(f.name) && ours != theirs) {
      throw usage_error(f.title() + ": the server was started with " + ours + ", the client wants " + theirs +
                        ": start both alike, or leave it out at the server");
    }
    if (is_preset) {
      result.*std::get<1>(f.member) = settings().*std::get<1>(f.member);
      continue;
    }
    read_value(f, theirs, result);
  }
  // Blocking calls would serve one direction of one connection only.
  if (p.is_net() && (result.bidirectional || result.connections > 1)) result.async = true;
  return result;
}

}  // namespace

void propose(const program& p, const settings& s, control& line) {
  json::object wanted;
  for (const flag& f : all_flags()) {
    if (f.agreed && f.belongs_to(p)) wanted[f.name] = value_text(f, s);
  }
  line.send({{"asio_rdma_perf", version}, {"program", p.name}, {"settings", std::move(wanted)}});
  line.receive();
}

settings agree(const program& p, const settings& s, control& line) {
  const json::object hello = line.receive();
  try {
    const settings result = take_over(p, s, hello);
    line.send({{"agreed", true}});
    return result;
  } catch (const usage_error& e) {
    line.send_error(e.what());
    throw;
  } catch (const std::exception&) {  // a field is missing, or of another type
    const usage_error e("what the client wants cannot be understood");
    line.send_error(e.what());
    throw e;
  }
}

}  // namespace perf
