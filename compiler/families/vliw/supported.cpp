#include "compiler/families/vliw/supported.h"

#include <fmt/format.h>

#include "acg/graph/queries.h"

namespace covenant::compiler::vliw {
namespace {

constexpr uint32_t kExtendedWords = 2;  ///< of an instruction with a constant of 32 bits
// Sizes that the fields of instructions name: Qualcomm, "Hexagon V66 Programmer's Reference Manual", and that of HVX.
constexpr uint64_t kRegisters = 32;
constexpr uint64_t kScalarBits = 32, kVectorBits = 1024;

bool is_known(const acg::Memory& file) {
  return file.depth == kRegisters && (file.data_width == kScalarBits || file.data_width == kVectorBits);
}

}  // namespace

Status check_runnable(const acg::Machine& machine) {
  if (machine.packet.words < kExtendedWords) {
    return Diagnostic{"GEN0054",
                      {},
                      "machine " + machine.name,
                      "a packet cannot hold an instruction with a constant of 32 bits, which takes two words",
                      fmt::format("words = {}", machine.packet.words),
                      {fmt::format("from {} on", kExtendedWords)},
                      "give its packets more words"};
  }
  for (const acg::Compute& compute : machine.computes) {
    if (compute.unit != acg::UnitKind::kVliwCore) continue;
    const acg::Memory& file = acg::get(machine, acg::role(machine, compute, "registers"));
    if (is_known(file)) continue;
    return Diagnostic{
        "GEN0054",
        file.where,
        "memory " + file.name,
        "instructions name registers of another number or size",
        fmt::format("{} of {} bits", file.depth, file.data_width),
        {fmt::format("{} of {} bits", kRegisters, kScalarBits), fmt::format("{} of {} bits", kRegisters, kVectorBits)},
        "give the file registers of these sizes"};
  }
  return Done{};
}

}  // namespace covenant::compiler::vliw
