// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_DOCUMENT_HPP
#define ASIO_RDMA_PERF_COMMON_DOCUMENT_HPP

#include "program.hpp"
#include "result.hpp"
#include "settings.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace perf {

boost::json::object to_json(const carrier& c);
/// Rates and times in units that the names end in.
boost::json::object to_json(const program& p, const settings& s, const result& r);

/// All of a run, a whole sweep included, as one JSON document.
std::string document(const program& p, const settings& s, const carrier& local, const boost::json::object& remote,
                     const std::vector<result>& results);
/// Writes text to a file; "-" is standard output. Throws std::system_error.
void write_document(const std::string& file, const std::string& text);

}  // namespace perf

#endif
