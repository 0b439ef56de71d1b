#include "acg/units/vliw_core.h"

#include <array>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/operations/vliw_registers.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::units {
namespace {

using Two = std::array<Operation, 2>;

// The core reads and writes its register file, a memory. Costs are in packets, and 0 where the machine gives none. A
// machine has one hardware context, and one of each resource that contexts share, unless it says more.
constexpr std::array<UnitAttribute, 7> kAttributes{
    {{.name = "registers", .kind = AttributeKind::kInputRole, .may_be_registers = true},
     {"queue", AttributeKind::kInteger, 1024, true},
     {"taken", AttributeKind::kInteger, 1024, true},
     {"mispredicted", AttributeKind::kInteger, 1024, true},
     {"contexts", AttributeKind::kInteger, 4, true},
     {"issues", AttributeKind::kInteger, 4, true},
     {"vector_units", AttributeKind::kInteger, 4, true}}};
constexpr Two kAdd{operation_of(VliwOperation::kVaddw), operation_of(VliwOperation::kA2Add)};
constexpr Two kSub{operation_of(VliwOperation::kVsubw), operation_of(VliwOperation::kA2Sub)};
constexpr Two kMul{operation_of(VliwOperation::kVmpyhv), operation_of(VliwOperation::kM2Mpyi)};
constexpr Two kMac{operation_of(VliwOperation::kVrmpybusAcc), operation_of(VliwOperation::kM2Maci)};
constexpr Two kMax{operation_of(VliwOperation::kVmaxw), operation_of(VliwOperation::kVmaxub)};
constexpr Two kMin{operation_of(VliwOperation::kVminw), operation_of(VliwOperation::kVminub)};
constexpr Two kGemm{operation_of(VliwOperation::kVrmpybusAcc), operation_of(VliwOperation::kVrmpyubAcc)};
constexpr Two kMove{operation_of(VliwOperation::kVassign), operation_of(VliwOperation::kA2Tfr)};
constexpr Two kCompare{operation_of(VliwOperation::kVgtw), operation_of(VliwOperation::kC2Cmpgt)};
// Products by 32-bit numbers (low and high part), and the narrowing steps from 32 to 16 and to 8 bits.
constexpr std::array kFixed{operation_of(VliwOperation::kVmpyewuh), operation_of(VliwOperation::kVmpyowhRndSacc),
                            operation_of(VliwOperation::kVasrwhrndsat), operation_of(VliwOperation::kVaddhsat),
                            operation_of(VliwOperation::kVdealb)};
constexpr Two kAddFixed{operation_of(VliwOperation::kVmpyhvAcc), operation_of(VliwOperation::kVasrwhsat)};
constexpr std::array kMulFixed{operation_of(VliwOperation::kVmpyhv), operation_of(VliwOperation::kVmpyewuh),
                               operation_of(VliwOperation::kVmpyowhRndSacc), operation_of(VliwOperation::kVasrwhrndsat),
                               operation_of(VliwOperation::kVaddhsat)};
constexpr Two kLookup{operation_of(VliwOperation::kVlutvvbi), operation_of(VliwOperation::kVlutvvbOracci)};
constexpr Two kReduceSum{operation_of(VliwOperation::kVrmpyubAcc), operation_of(VliwOperation::kVshuffb)};

constexpr std::array<UnitCapability, 17> kCapabilities{{{"ADD", kAdd, true},
                                                        {"SUB", kSub, true},
                                                        {"MUL", kMul, true},
                                                        {"MAC", kMac, true},
                                                        {"MAX", kMax, true},
                                                        {"MIN", kMin, true},
                                                        {"GEMM", kGemm, true},
                                                        {"MVMUL", kGemm, true},
                                                        {"MMUL", kGemm, true},
                                                        {"MOVE", kMove, true},
                                                        {"COMPARE", kCompare, true},
                                                        {"REQUANT_FIXED", kFixed},
                                                        {"REQUANT_ADD_FIXED", kAddFixed},
                                                        {"REQUANT_MUL_FIXED", kMulFixed},
                                                        {"LOOKUP", kLookup},
                                                        {"REDUCE_SUM", kReduceSum},
                                                        {"REDUCE_MAX", kMax, true}}};

// Sizes of the registers that the fields of instructions name: Qualcomm, "Hexagon V66 Programmer's Reference Manual",
// and that of HVX.
constexpr uint64_t kRegisters = count_of(RegisterFile::kVector);
static_assert(kRegisters == count_of(RegisterFile::kScalar));
constexpr uint64_t kScalarBits = 32, kVectorBits = 1024;

/// The operations name registers by number and work on whole ones: where packets execute, a file has these sizes.
void check(const checks::CheckedNode& node) {
  if (node.machine.packet.slots == 0) return;
  const Memory& file = get(node.machine, role(node.machine, node.compute, "registers"));
  const bool is_known = file.depth == kRegisters && (file.data_width == kScalarBits || file.data_width == kVectorBits);
  if (is_known) return;
  checks::refuse(
      file.where, "memory " + file.name,
      {"ACG0066",
       fmt::format("the instructions of {} name registers of another number or size", node.compute.name),
       fmt::format("{} of {} bits", file.depth, file.data_width),
       {fmt::format("{} of {} bits", kRegisters, kScalarBits), fmt::format("{} of {} bits", kRegisters, kVectorBits)},
       fmt::format("give the file depth = {} and one of these widths as data_width", kRegisters)});
}

}  // namespace

constinit const UnitInfo kVliwCore{.kind = UnitKind::kVliwCore,
                                   .place = UnitPlace::kNode,
                                   .attributes = kAttributes,
                                   .capabilities = kCapabilities,
                                   .issues_packets = true,
                                   .addresses_bytes = true,
                                   .check = check};

}  // namespace covenant::acg::units
