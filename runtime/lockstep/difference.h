/// The first difference between two backends, with what a person needs to find its cause.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/isa/retire_record.h"
#include "acg/program/program.h"

namespace covenant::runtime {

/// kRecord: fields of one command. kMissing: a command that only one of them has retired. kMemory: a byte of off-chip
/// memory after the run. kEnd: the cycle in which the run ends, or a run of the RTL that does not end by itself.
enum class DifferenceKind : uint8_t { kRecord, kMissing, kMemory, kEnd };

/// A field of a retire record, or a substitute for one, as text on both sides.
struct DifferentField {
  std::string name;
  std::string systemc;
  std::string rtl;
  bool operator==(const DifferentField&) const = default;
};

/// A record beside a difference, with its word as text.
struct Neighbour {
  acg::RetireRecord record;
  std::string instruction;
  bool operator==(const Neighbour&) const = default;
};

struct Difference {
  DifferenceKind kind = DifferenceKind::kRecord;
  std::string engine;       ///< as the machine names it; "instruction fetch"; "off-chip memory"; "machine"
  std::string instruction;  ///< disassembled; for a memory, the segment and the offset in it
  std::string layer;        ///< and its block; empty if the program names none
  uint32_t block = 0;
  uint64_t word_index = 0;                ///< within the group
  uint64_t cycle = 0;                     ///< first cycle that both sides do not share, as far as it is known
  std::vector<DifferentField> fields;     ///< at least one, in the order of causes: words, issue, ports, retire, digest
  std::vector<Neighbour> around_systemc;  ///< records of the same engine before and after, in order of execution
  std::vector<Neighbour> around_rtl;
  bool operator==(const Difference&) const = default;
};

/// Several lines for people, the last one without a newline.
std::string render(const Difference& difference);
/// "record", "missing", "memory", "end".
const char* name(DifferenceKind kind);

}  // namespace covenant::runtime
