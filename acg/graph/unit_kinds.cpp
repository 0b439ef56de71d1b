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

// The operations of the unit, and the other names of Table 1 of the Covenant paper that it may do by several words.
constexpr std::array<std::string_view, 3> kSystolicCapabilities{"GEMM", "MMUL", "MAC"};
constexpr std::array<std::string_view, 15> kSimdCapabilities{
    "ADD",        "SUB",        "MUL", "MAX", "MIN",  "MOVE",    "REQUANT", "REQUANT_ADD",
    "REDUCE_MAX", "REDUCE_SUM", "MAC", "DIV", "RELU", "SIGMOID", "TANH"};

// Its register file is a memory that it both reads and writes.
constexpr std::array<UnitAttribute, 1> kVliwAttributes{{{"registers", AttributeKind::kInputRole}}};
constexpr std::array<std::string_view, 12> kVliwCapabilities{"ADD",  "SUB",   "MUL",  "MAC",     "MAX",     "MIN",
                                                             "GEMM", "MVMUL", "MOVE", "COMPARE", "REQUANT", "MMUL"};

// Of a described node only the graph is known; it may do all that Table 1 of the Covenant paper names.
constexpr std::array<UnitAttribute, 0> kDescribedAttributes{};
constexpr std::array<std::string_view, 12> kDescribedCapabilities{"ADD", "SUB",  "MUL",  "DIV",  "MAX",     "MIN",
                                                                  "MAC", "MMUL", "GEMM", "RELU", "SIGMOID", "TANH"};

constexpr std::array<UnitKind, 4> kUnitKinds{{{"systolic_array", kSystolicAttributes, kSystolicCapabilities},
                                              {"simd_array", kSimdAttributes, kSimdCapabilities},
                                              {"vliw_core", kVliwAttributes, kVliwCapabilities},
                                              {"described", kDescribedAttributes, kDescribedCapabilities}}};

}  // namespace

std::span<const UnitKind> unit_kinds() { return kUnitKinds; }

const UnitKind* find_unit_kind(std::string_view name) {
  for (const UnitKind& kind : kUnitKinds) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

}  // namespace covenant::acg
