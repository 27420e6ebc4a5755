// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

#ifndef ASIO_RDMA_PERF_COMMON_FLAGS_HPP
#define ASIO_RDMA_PERF_COMMON_FLAGS_HPP

#include "program.hpp"
#include "settings.hpp"

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace perf {

/// A command line, or two ends of a measurement, that make no sense together. The text names flag, value and what would
/// do.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A flag of the programs. The names are perftest's where it has such a flag.
struct flag {
  const char* name;  ///< long name, without dashes
  char letter;       ///< short name, or 0
  std::variant<bool settings::*, std::uint64_t settings::*, std::string settings::*> member;
  const char* help;
  std::uint64_t minimum = 0;  ///< of a number
  std::uint64_t maximum = 0;
  std::vector<std::string> words = {};        ///< what a text may be; empty: anything
  bool agreed = false;                        ///< the server takes it over from the client
  bool (*applies)(const program&) = nullptr;  ///< null: to every program

  bool belongs_to(const program& p) const { return !applies || applies(p); }
  bool is_toggle() const noexcept { return member.index() == 0; }
  bool is_number() const noexcept { return member.index() == 1; }
  /// "--size (-s)", for messages.
  std::string title() const;
};

/// All flags of all programs, in the order of --help.
const std::vector<flag>& all_flags();

/// Reads a flag's value into @p s. Throws usage_error.
void read_value(const flag& f, const std::string& text, settings& s);
/// What a flag is set to, as text.
std::string value_text(const flag& f, const settings& s);

/// Reads a command line and fills in the defaults. Throws usage_error.
settings parse(const program& p, int argc, const char* const* argv);
/// Fills in what follows from other settings, and refuses what does not go together. Throws usage_error.
void complete(const program& p, settings& s);
/// The text of --help.
std::string help(const program& p);

}  // namespace perf

#endif
