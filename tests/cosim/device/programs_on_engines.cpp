/// The suite's programs for engines.
#include "acg/graph/queries.h"
#include "tests/cosim/device/programs.h"

namespace covenant::driver::testing {
namespace {

Short short_of(Assembly assembly) { return {assembly.program(), assembly.image()}; }

class OnEngines : public Programs {
 public:
  const acg::Machine& machine() const override { return testing::machine(); }
  uint64_t memory_bytes() const override { return 1 << 20; }
  const Sample& digits() const override { return testing::digits(); }
  uint64_t blocks_of(const acg::Program& program) const override { return program.blocks.size(); }
  Short copying(std::optional<uint32_t> to) const override { return short_of(testing::copying(to.value_or(4096))); }
  void expect_moved(const RunReport& report) const override {
    Assembly assembly = testing::copying();
    const uint64_t beat = acg::beat_bytes(machine(), acg::engines(machine())[assembly.engine("VMEM1->DRAM")]);
    EXPECT_EQ(report.bytes_written, (96 + beat - 1) / beat * beat);
    EXPECT_GE(report.bytes_read, (96 + beat - 1) / beat * beat + assembly.words() * machine().word_bytes());
  }
  Short endless() const override { return short_of(testing::endless()); }
  Short wrong() const override { return short_of(testing::wrong()); }
  Short of_another_machine() const override {
    Assembly assembly(sim::testing::small_machine(3, 5));
    assembly.group("SA").wait("IBUF", 0).end_block(true);
    return short_of(std::move(assembly));
  }
  uint64_t misplaced_start() const override { return 4; }
  uint64_t least_delay() const override { return 1; }
  std::string storing() const override { return "VMEM1->DRAM"; }
  std::string wronged() const override { return "SA"; }
};

}  // namespace

const Programs& on_engines() {
  static const OnEngines programs;
  return programs;
}

}  // namespace covenant::driver::testing
