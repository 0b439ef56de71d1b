#include "acg/graph/compute_units.h"

#include <array>

namespace covenant::acg {
namespace {

constexpr std::array<UnitAttribute, 8> kSystolicAttributes{{{"rows", AttributeKind::kInteger, 1024},
                                                            {"columns", AttributeKind::kInteger, 1024},
                                                            {"accumulator", AttributeKind::kInteger, 32, true, 16, 32},
                                                            {"saturates", AttributeKind::kInteger, 1, true, 0, 0},
                                                            {"input", AttributeKind::kInputRole},
                                                            {"weight", AttributeKind::kInputRole},
                                                            {"bias", AttributeKind::kInputRole},
                                                            {"output", AttributeKind::kOutputRole}}};
constexpr std::array<UnitAttribute, 2> kSimdAttributes{
    {{"lanes", AttributeKind::kInteger, 4096}, {"half_away", AttributeKind::kInteger, 1, true, 0, 0}}};

using One = std::array<Operation, 1>;
using Two = std::array<Operation, 2>;

constexpr One kGemm{Operation::kGemm};
constexpr One kAdd{Operation::kAdd};
constexpr One kSub{Operation::kSub};
constexpr One kMul{Operation::kMul};
constexpr One kDiv{Operation::kDiv};
constexpr One kMax{Operation::kMax};
constexpr One kMin{Operation::kMin};
constexpr One kMove{Operation::kMove};
constexpr One kSqrt{Operation::kSqrt};
constexpr One kRequant{Operation::kRequant};
constexpr One kRequantAdd{Operation::kRequantAdd};
constexpr One kRequantMul{Operation::kRequantMul};
constexpr One kRequantFixed{Operation::kRequantFixed};
constexpr One kRequantAddFixed{Operation::kRequantAddFixed};
constexpr One kRequantMulFixed{Operation::kRequantMulFixed};
constexpr One kDequantize{Operation::kDequantize};
constexpr One kQuantize{Operation::kQuantize};
constexpr One kLookup{Operation::kLookup};
constexpr One kReduceMax{Operation::kReduceMax};
constexpr One kReduceSum{Operation::kReduceSum};
constexpr One kDequantizeSum{Operation::kDequantizeSum};
constexpr Two kMac{Operation::kMul, Operation::kAdd};

// The operations of the unit under their own names and the other names of Table 1 of the Covenant paper.
constexpr std::array<UnitCapability, 3> kSystolicCapabilities{{{"GEMM", kGemm}, {"MMUL", kGemm}, {"MAC", kGemm}}};
constexpr std::array<UnitCapability, 24> kSimdCapabilities{{{"ADD", kAdd},
                                                            {"SUB", kSub},
                                                            {"MUL", kMul},
                                                            {"MAX", kMax},
                                                            {"MIN", kMin},
                                                            {"MOVE", kMove},
                                                            {"REQUANT", kRequant},
                                                            {"REQUANT_ADD", kRequantAdd},
                                                            {"REQUANT_MUL", kRequantMul},
                                                            {"REQUANT_FIXED", kRequantFixed},
                                                            {"REQUANT_ADD_FIXED", kRequantAddFixed},
                                                            {"REQUANT_MUL_FIXED", kRequantMulFixed},
                                                            {"DEQUANTIZE", kDequantize},
                                                            {"QUANTIZE", kQuantize},
                                                            {"LOOKUP", kLookup},
                                                            {"REDUCE_MAX", kReduceMax},
                                                            {"REDUCE_SUM", kReduceSum},
                                                            {"DEQUANTIZE_SUM", kDequantizeSum},
                                                            {"MAC", kMac},
                                                            {"DIV", kDiv},
                                                            {"SQRT", kSqrt},
                                                            {"RELU", kMax},
                                                            {"SIGMOID", {}},
                                                            {"TANH", {}}}};

// The core reads and writes its register file, a memory. Costs are in packets, and 0 where the machine gives none. A
// machine has one hardware context, and one of each resource that contexts share, unless it says more.
constexpr std::array<UnitAttribute, 7> kVliwAttributes{{{"registers", AttributeKind::kInputRole},
                                                        {"queue", AttributeKind::kInteger, 1024, true},
                                                        {"taken", AttributeKind::kInteger, 1024, true},
                                                        {"mispredicted", AttributeKind::kInteger, 1024, true},
                                                        {"contexts", AttributeKind::kInteger, 4, true},
                                                        {"issues", AttributeKind::kInteger, 4, true},
                                                        {"vector_units", AttributeKind::kInteger, 4, true}}};
constexpr Two kVliwAdd{operation_of(VliwOperation::kVaddw), operation_of(VliwOperation::kA2Add)};
constexpr Two kVliwSub{operation_of(VliwOperation::kVsubw), operation_of(VliwOperation::kA2Sub)};
constexpr Two kVliwMul{operation_of(VliwOperation::kVmpyhv), operation_of(VliwOperation::kM2Mpyi)};
constexpr Two kVliwMac{operation_of(VliwOperation::kVrmpybusAcc), operation_of(VliwOperation::kM2Maci)};
constexpr Two kVliwMax{operation_of(VliwOperation::kVmaxw), operation_of(VliwOperation::kVmaxub)};
constexpr Two kVliwMin{operation_of(VliwOperation::kVminw), operation_of(VliwOperation::kVminub)};
constexpr Two kVliwGemm{operation_of(VliwOperation::kVrmpybusAcc), operation_of(VliwOperation::kVrmpyubAcc)};
constexpr Two kVliwMove{operation_of(VliwOperation::kVassign), operation_of(VliwOperation::kA2Tfr)};
constexpr Two kVliwCompare{operation_of(VliwOperation::kVgtw), operation_of(VliwOperation::kC2Cmpgt)};
// Products by 32-bit numbers (low and high part), and the narrowing steps from 32 to 16 and to 8 bits.
constexpr std::array kVliwFixed{operation_of(VliwOperation::kVmpyewuh), operation_of(VliwOperation::kVmpyowhRndSacc),
                                operation_of(VliwOperation::kVasrwhrndsat), operation_of(VliwOperation::kVaddhsat),
                                operation_of(VliwOperation::kVdealb)};
constexpr Two kVliwAddFixed{operation_of(VliwOperation::kVmpyhvAcc), operation_of(VliwOperation::kVasrwhsat)};
constexpr std::array kVliwMulFixed{operation_of(VliwOperation::kVmpyhv), operation_of(VliwOperation::kVmpyewuh),
                                   operation_of(VliwOperation::kVmpyowhRndSacc),
                                   operation_of(VliwOperation::kVasrwhrndsat), operation_of(VliwOperation::kVaddhsat)};
constexpr Two kVliwLookup{operation_of(VliwOperation::kVlutvvbi), operation_of(VliwOperation::kVlutvvbOracci)};
constexpr Two kVliwReduceSum{operation_of(VliwOperation::kVrmpyubAcc), operation_of(VliwOperation::kVshuffb)};

constexpr std::array<UnitCapability, 17> kVliwCapabilities{{{"ADD", kVliwAdd, true},
                                                            {"SUB", kVliwSub, true},
                                                            {"MUL", kVliwMul, true},
                                                            {"MAC", kVliwMac, true},
                                                            {"MAX", kVliwMax, true},
                                                            {"MIN", kVliwMin, true},
                                                            {"GEMM", kVliwGemm, true},
                                                            {"MVMUL", kVliwGemm, true},
                                                            {"MMUL", kVliwGemm, true},
                                                            {"MOVE", kVliwMove, true},
                                                            {"COMPARE", kVliwCompare, true},
                                                            {"REQUANT_FIXED", kVliwFixed},
                                                            {"REQUANT_ADD_FIXED", kVliwAddFixed},
                                                            {"REQUANT_MUL_FIXED", kVliwMulFixed},
                                                            {"LOOKUP", kVliwLookup},
                                                            {"REDUCE_SUM", kVliwReduceSum},
                                                            {"REDUCE_MAX", kVliwMax, true}}};

// For a described node only the graph is known.
constexpr std::array<ComputeUnit, 4> kComputeUnits{
    {{UnitKind::kSystolicArray, kSystolicAttributes, kSystolicCapabilities, false},
     {UnitKind::kSimdArray, kSimdAttributes, kSimdCapabilities, false},
     {UnitKind::kVliwCore, kVliwAttributes, kVliwCapabilities, false},
     {UnitKind::kDescribed, {}, {}, true}}};

}  // namespace

const ComputeUnit* find_compute_unit(UnitKind kind) {
  for (const ComputeUnit& unit : kComputeUnits) {
    if (unit.kind == kind) return &unit;
  }
  return nullptr;
}

std::optional<UnitKind> compute_unit_named(std::string_view name) {
  const std::optional<UnitKind> kind = value_in(kUnitKinds, name);
  return kind && find_compute_unit(*kind) != nullptr ? kind : std::nullopt;
}

std::vector<std::string> compute_unit_names() {
  std::vector<std::string> names;
  for (const ComputeUnit& unit : kComputeUnits) names.emplace_back(name_of(unit.kind));
  return names;
}

}  // namespace covenant::acg
