#include <fmt/format.h>

#include "rtl/gen/emit.h"

namespace covenant::rtl {

std::string emit_sequencer_wires(const std::string& s) {
  return fmt::format(
      "  covenant_pkg::command_t {0}_command;\n  covenant_pkg::retirement_t {0}_retirement;\n"
      "  logic {0}_ready, {0}_accepts;\n",
      s);
}

std::string emit_sequencer(const Plan& plan, const Unit& unit) {
  const uint32_t e = unit.index;
  const std::string& s = unit.signal;
  const std::string fault = unit.has_faults ? s + "_sequencer_fault" : fmt::format("fault[{}]", e);
  return fmt::format(R"(
  covenant_sequencer #(
    .Engine          ({e}),
    .Depth           ({depth}),
    .Queued          (1'b{queued}),
    .InstructionDepth({words})
  ) u_{s}_sequencer (
    .clk_i,
    .rst_ni,
    .fill_i        (fill),
    .blocks_i      (blocks),
    .busy_o        (busy[{e}]),
    .fault_o       ({fault}),
    .command_o     ({s}_command),
    .ready_i       ({s}_ready),
    .accepts_i     ({s}_accepts),
    .retirement_i  ({s}_retirement),
    .wait_o        (waits[{e}]),
    .token_i       (token[{e}]),
    .post_o        (post[{e}]),
    .post_channel_o(post_counter[{high}:{low}])
  );
  assign wait_counter[{high}:{low}] = {s}_command.channel;
{line})",
                     fmt::arg("queued", unit.offchip ? 1 : 0),
                     fmt::arg("line", unit.offchip ? "" : fmt::format("  assign {}_retirement = '0;\n", s)),
                     fmt::arg("e", e), fmt::arg("depth", unit.depth), fmt::arg("words", plan.instruction_depth),
                     fmt::arg("s", s), fmt::arg("fault", fault), fmt::arg("high", e * 32 + 31),
                     fmt::arg("low", e * 32));
}

}  // namespace covenant::rtl
