#include "acg/graph/unit_kinds.h"

#include <array>

namespace covenant::acg {
namespace {

constexpr std::array<UnitAttribute, 6> kSystolicAttributes{{{"rows", AttributeKind::kInteger, 1024},
                                                            {"columns", AttributeKind::kInteger, 1024},
                                                            {"input", AttributeKind::kInputRole},
                                                            {"weight", AttributeKind::kInputRole},
                                                            {"bias", AttributeKind::kInputRole},
                                                            {"output", AttributeKind::kOutputRole}}};
constexpr std::array<UnitAttribute, 1> kSimdAttributes{{{"lanes", AttributeKind::kInteger, 4096}}};

using Names1 = std::array<std::string_view, 1>;
using Names2 = std::array<std::string_view, 2>;

constexpr Names1 kGemm{"systolic_array.gemm"};
constexpr Names1 kAdd{"simd_array.add"};
constexpr Names1 kSub{"simd_array.sub"};
constexpr Names1 kMul{"simd_array.mul"};
constexpr Names1 kMax{"simd_array.max"};
constexpr Names1 kMin{"simd_array.min"};
constexpr Names1 kMove{"simd_array.move"};
constexpr Names1 kRequant{"simd_array.requant"};
constexpr Names1 kRequantAdd{"simd_array.requant_add"};
constexpr Names1 kReduceMax{"simd_array.reduce_max"};
constexpr Names1 kReduceSum{"simd_array.reduce_sum"};
constexpr Names2 kMac{"simd_array.mul", "simd_array.add"};

// The operations of the unit, and the other names of Table 1 of the Covenant paper.
constexpr std::array<UnitCapability, 3> kSystolicCapabilities{{{"GEMM", kGemm}, {"MMUL", kGemm}, {"MAC", kGemm}}};
constexpr std::array<UnitCapability, 15> kSimdCapabilities{{{"ADD", kAdd},
                                                            {"SUB", kSub},
                                                            {"MUL", kMul},
                                                            {"MAX", kMax},
                                                            {"MIN", kMin},
                                                            {"MOVE", kMove},
                                                            {"REQUANT", kRequant},
                                                            {"REQUANT_ADD", kRequantAdd},
                                                            {"REDUCE_MAX", kReduceMax},
                                                            {"REDUCE_SUM", kReduceSum},
                                                            {"MAC", kMac},
                                                            {"DIV", {}},
                                                            {"RELU", kMax},
                                                            {"SIGMOID", {}},
                                                            {"TANH", {}}}};

// Its register file is a memory that it both reads and writes.
constexpr std::array<UnitAttribute, 1> kVliwAttributes{{{"registers", AttributeKind::kInputRole}}};
constexpr Names2 kVliwAdd{"vliw_core.vaddw", "vliw_core.a2_add"};
constexpr Names2 kVliwSub{"vliw_core.vsubw", "vliw_core.a2_sub"};
constexpr Names2 kVliwMul{"vliw_core.vmpyhv", "vliw_core.m2_mpyi"};
constexpr Names2 kVliwMac{"vliw_core.vrmpybus_acc", "vliw_core.m2_maci"};
constexpr Names2 kVliwMax{"vliw_core.vmaxw", "vliw_core.vmaxub"};
constexpr Names2 kVliwMin{"vliw_core.vminw", "vliw_core.vminub"};
constexpr Names2 kVliwGemm{"vliw_core.vrmpybus_acc", "vliw_core.vrmpyub_acc"};
constexpr Names2 kVliwMove{"vliw_core.vassign", "vliw_core.a2_tfr"};
constexpr Names2 kVliwCompare{"vliw_core.vgtw", "vliw_core.c2_cmpgt"};
constexpr Names2 kVliwRequant{"vliw_core.vmpyowh_rnd_sacc", "vliw_core.vmpyhvsrs"};

constexpr std::array<UnitCapability, 12> kVliwCapabilities{{{"ADD", kVliwAdd, true},
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
                                                            {"REQUANT", kVliwRequant, true}}};

// Of a described node only the graph is known.
constexpr std::array<UnitKind, 4> kUnitKinds{{{"systolic_array", kSystolicAttributes, kSystolicCapabilities, false},
                                              {"simd_array", kSimdAttributes, kSimdCapabilities, false},
                                              {"vliw_core", kVliwAttributes, kVliwCapabilities, false},
                                              {"described", {}, {}, true}}};

}  // namespace

std::span<const UnitKind> unit_kinds() { return kUnitKinds; }

const UnitKind* find_unit_kind(std::string_view name) {
  for (const UnitKind& kind : kUnitKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace covenant::acg
