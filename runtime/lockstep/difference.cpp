#include "runtime/lockstep/difference.h"

#include <fmt/format.h>

namespace covenant::runtime {
namespace {

std::string place_of(const Difference& difference) {
  if (difference.kind == DifferenceKind::kMemory || difference.kind == DifferenceKind::kEnd)
    return difference.instruction;
  return fmt::format("word {} of block {}{}: {}", difference.word_index, difference.block,
                     difference.layer.empty() ? "" : fmt::format(" ({})", difference.layer), difference.instruction);
}

std::string table_of(const char* side, const std::vector<Neighbour>& around) {
  std::string text =
      fmt::format("\n  {:<8} {:>8} {:>6} {:>10} {:>10} {:>10} {:>10} {:>8}  {:<16}  {}", side, "sequence", "word",
                  "issue", "first_port", "last_port", "retire", "stall", "digest", "instruction");
  for (const Neighbour& neighbour : around) {
    const acg::RetireRecord& r = neighbour.record;
    text += fmt::format("\n  {:<8} {:>8} {:>6} {:>10} {:>10} {:>10} {:>10} {:>8}  {:016x}  {}", "", r.sequence,
                        r.word_index, r.issue, r.first_port, r.last_port, r.retire, r.stall, r.digest,
                        neighbour.instruction);
  }
  return text;
}

}  // namespace

const char* name(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::kRecord:
      return "record";
    case DifferenceKind::kMissing:
      return "missing";
    case DifferenceKind::kMemory:
      return "memory";
    case DifferenceKind::kEnd:
      break;
  }
  return "end";
}

std::string render(const Difference& difference) {
  std::string text = fmt::format("first difference, cycle {}: {}", difference.cycle, difference.engine);
  if (const std::string place = place_of(difference); !place.empty()) text += ", " + place;
  for (const DifferentField& field : difference.fields) {
    text += fmt::format("\n  {:<10} systemc {}, rtl {}", field.name, field.systemc, field.rtl);
  }
  if (!difference.around_systemc.empty()) text += table_of("systemc", difference.around_systemc);
  if (!difference.around_rtl.empty()) text += table_of("rtl", difference.around_rtl);
  return text;
}

}  // namespace covenant::runtime
