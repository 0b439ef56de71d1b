/// The JSON header of a program file. Include in sources only.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/json_reader.h"
#include "acg/program/program.h"

namespace covenant::acg {

/// Data after the header: the data of one segment, or a model that the host runs.
struct Section {
  uint64_t bytes = 0;
  uint32_t checksum = 0;
};

/// The header: the whole program except the data of its segments and the host's models. `sections` has one entry for
/// each segment, then one for the host's start and one for its end.
Json header_json(const Program& program, const std::vector<Section>& sections);

struct Header {
  Program program;  ///< without the data of sections
  std::vector<Section> sections;
};
/// Parses the header. Throws Failure: PRG0005, and the codes of from_json for the machine.
Header header_of(const JsonReader& reader);

/// Throws Failure PRG0006 if parts of the program contradict each other. Precondition: segments have their data.
void check_consistent(const Program& program, const SourceLocation& where);

}  // namespace covenant::acg
