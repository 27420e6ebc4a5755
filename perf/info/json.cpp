// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#include "report.hpp"

#include <boost/json.hpp>

namespace info {

namespace {

namespace json = boost::json;

template <class T>
json::value optional(const std::optional<T>& value) {
  return value ? json::value(*value) : json::value(nullptr);
}

json::value to_value(const gid_entry& e);
json::value to_value(const port& p);
json::value to_value(const device& d);
json::value to_value(const path& p);
json::value to_value(const problem& p);

template <class T>
json::array list(const std::vector<T>& items) {
  json::array result;
  for (const T& item : items) result.push_back(to_value(item));
  return result;
}

json::value to_value(const gid_entry& e) {
  return {{"index", e.index}, {"gid", e.gid}, {"type", e.type}, {"address", e.address}, {"interface", e.interface}};
}

json::value to_value(const port& p) {
  return {{"number", p.number}, {"state", p.state},     {"link_layer", p.link_layer}, {"gbit_per_s", p.gigabits},
          {"mtu", p.mtu},       {"max_mtu", p.max_mtu}, {"lid", p.lid},               {"gids", list(p.gids)}};
}

json::value to_value(const device& d) {
  return {{"name", d.name},
          {"kind", d.kind},
          {"firmware", d.firmware},
          {"guid", d.guid},
          {"numa_node", optional(d.numa_node)},
          {"error", d.error},
          {"limits",
           {{"max_mr_size", d.of.max_memory_region},
            {"max_mr", d.of.max_memory_regions},
            {"max_qp", d.of.max_queue_pairs},
            {"max_qp_wr", d.of.max_queue_pair_requests},
            {"max_cq", d.of.max_completion_queues},
            {"max_cqe", d.of.max_completions},
            {"max_sge", d.of.max_pieces},
            {"max_qp_rd_atom", d.of.max_reads},
            {"atomics", d.of.has_atomics}}},
          {"ports", list(d.ports)}};
}

json::value to_value(const path& p) {
  return {{"address", p.address}, {"source", p.source}, {"device", p.device}, {"port", p.port},
          {"gid", to_value(p.gid)}, {"why", p.why},       {"error", p.error}};
}

json::value to_value(const problem& p) {
  return {{"what", p.what}, {"remedy", p.remedy}};
}

json::value to_value(const machine& m) {
  return {{"kernel", m.kernel},
          {"policy", m.policy},
          {"policy_device", m.policy_device},
          {"policy_error", m.policy_error},
          {"memlock_bytes", optional(m.memlock)},
          {"nofile", m.descriptors},
          {"rdma_network_namespaces", m.namespaces},
          {"rdma_cgroup_limits", m.cgroup_limits}};
}

}  // namespace

std::string to_json(const report& r) {
  const json::value document{{"machine", to_value(r.host)},
                             {"devices", list(r.devices)},
                             {"paths", list(r.paths)},
                             {"problems", list(r.problems)}};
  return json::serialize(document) + '\n';
}

}  // namespace info
