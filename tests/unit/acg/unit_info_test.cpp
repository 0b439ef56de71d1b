#include "acg/graph/unit_info.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"

namespace covenant::acg {
namespace {

TEST(UnitInfo, EveryKindHasItsRow) {
  ASSERT_EQ(unit_table().size(), kUnitKinds.size());
  for (const auto& [kind, name] : kUnitKinds) {
    EXPECT_EQ(info(kind).kind, kind) << name;
    EXPECT_EQ(unit_table()[static_cast<size_t>(kind)], &info(kind)) << name;
    EXPECT_EQ(compute_unit_named(name).has_value(), info(kind).place == UnitPlace::kNode) << name;
  }
}

TEST(UnitInfo, OneKindMovesTilesOnEdges) {
  EXPECT_EQ(std::ranges::count(unit_table(), UnitPlace::kEdge, &UnitInfo::place), 1);
  EXPECT_EQ(edge_unit().place, UnitPlace::kEdge);
  const Machine machine = *load_machine("genesys");
  for (const Engine& engine : engines(machine)) EXPECT_EQ(engine.unit == edge_unit().kind, engine.edge.has_value());
}

TEST(UnitInfo, EveryNodeOfABuiltinMachineHasARow) {
  for (const std::string& name : builtin_machines()) {
    for (const Compute& compute : load_machine(name)->computes) {
      EXPECT_NE(find_compute_unit(compute.unit), nullptr) << name << " " << compute.name;
    }
  }
}

TEST(UnitInfo, OperationsTakePartInCapabilities) {
  const UnitInfo& lanes = info(UnitKind::kSimdArray);
  EXPECT_TRUE(takes_part(lanes, "MAC", Operation::kMul));
  EXPECT_TRUE(takes_part(lanes, "MAC", Operation::kAdd));
  EXPECT_FALSE(takes_part(lanes, "MAC", Operation::kSub));
  EXPECT_FALSE(takes_part(lanes, "GEMM", Operation::kGemm));
}

TEST(UnitInfo, OneAttributeAtMostDeclaresEachOfTheNumerics) {
  for (const UnitInfo* unit : unit_table()) {
    for (const Numerics what : {Numerics::kAccumulatorBits, Numerics::kSaturation, Numerics::kHalvesAway}) {
      EXPECT_LE(std::ranges::count(unit->attributes, what, &UnitAttribute::declares), 1) << name_of(unit->kind);
    }
  }
}

}  // namespace
}  // namespace covenant::acg
