/// The table of unit kinds, asked about the engines of a machine.
#include "sim/stream/units.h"

#include <gtest/gtest.h>
#include <set>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"

namespace covenant::sim {
namespace {

using acg::Operation;
using acg::UnitKind;

TEST(Units, EachKindHasOneRow) {
  std::set<UnitKind> kinds;
  for (const UnitRow* row : unit_rows()) {
    EXPECT_TRUE(kinds.insert(row->kind).second) << name_of(row->kind);
    EXPECT_EQ(find_unit(row->kind), row);
    EXPECT_EQ(row->work == nullptr, row->work_per_cycle == nullptr) << name_of(row->kind);
  }
  EXPECT_EQ(find_unit(UnitKind::kDescribed), nullptr);
}

TEST(Units, HaveTheDepthThatTheMachineStates) {
  const Result<acg::Machine> machine = acg::load_machine("genesys");
  ASSERT_TRUE(machine);
  for (const acg::Engine& engine : acg::engines(*machine)) {
    EXPECT_EQ(unit_row(engine.unit).make(*machine, engine)->depth(), acg::pipeline_depth(*machine, engine))
        << engine.name;
  }
}

TEST(Units, WordsThatMoveOrComputeUseThePort) {
  for (const Operation operation : {Operation::kGemm, Operation::kLoad, Operation::kStore, Operation::kAdd}) {
    EXPECT_TRUE(uses_port(operation)) << acg::qualified_name(operation);
  }
  for (const Operation operation : {Operation::kLoop, Operation::kPost, Operation::kBase, Operation::kLimit,
                                    Operation::kSimdTrip, Operation::kTypes, Operation::kBlockEnd}) {
    EXPECT_FALSE(uses_port(operation)) << acg::qualified_name(operation);
  }
}

TEST(Units, UtilisationIsPartOfWhatTheMainEngineCouldHaveDone) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", {{"M", "4"}, {"N", "8"}});
  ASSERT_TRUE(machine);
  BlockStatistics block;
  block.cycles = 10;
  block.macs = 160;
  block.elementwise = 40;
  for (const acg::Engine& engine : acg::engines(*machine)) {
    const double part = utilisation(block, *machine, engine);
    const double expected = engine.unit == UnitKind::kSystolicArray ? 160.0 / (4 * 8 * 10)
                            : engine.unit == UnitKind::kSimdArray   ? 40.0 / (8 * 10)
                                                                    : 0.0;
    EXPECT_DOUBLE_EQ(part, expected) << engine.name;
  }
}

}  // namespace
}  // namespace covenant::sim
