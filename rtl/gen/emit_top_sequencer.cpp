#include <fmt/format.h>

#include "rtl/gen/emit.h"

namespace covenant::rtl {

std::string wire(uint64_t bits, const std::string& name) {
  return bits == 1 ? fmt::format("  logic {};\n", name) : fmt::format("  logic [{}:0] {};\n", bits - 1, name);
}

/// Signals between a sequencer and its unit.
std::string emit_wires(const std::string& s) {
  std::string text = fmt::format("  covenant_pkg::operation_t {}_operation;\n", s);
  for (const std::string_view name :
       {"valid", "ready", "accepts", "tile_end", "tile_repeats", "reduction_first", "post_issue", "last_step"}) {
    text += wire(1, fmt::format("{}_{}", s, name));
  }
  text += wire(32, s + "_word") + wire(3, s + "_tile_level") + wire(16, s + "_stride_index") + wire(32, s + "_channel");
  return text;
}

std::string emit_sequencer(const Plan& plan, uint32_t e) {
  const EnginePlan& engine = plan.engines[e];
  const std::string& s = engine.signal;
  // SIMD engines also stop at types without a capability.
  const std::string fault =
      engine.kind == EngineKind::kSimdArray ? s + "_sequencer_fault" : fmt::format("fault[{}]", e);
  return fmt::format(R"(
  covenant_sequencer #(
    .Engine          ({e}),
    .Depth           ({depth}),
    .InstructionDepth({words}),
    .FetchWords      ({beat})
  ) u_{s}_sequencer (
    .clk_i,
    .rst_ni,
    .fill_buffer_i      (fill_buffer),
    .fill_begin_i     (fill_begin),
    .fill_header_i    (fill_header),
    .fill_valid_i     (fill_valid),
    .fill_engine_i    (fill_engine),
    .fill_index_i     (fill_index),
    .fill_word_i      (fill_word),
    .fill_operation_i (fill_operation),
    .start_i          (block_start),
    .start_buffer_i     (block_buffer),
    .busy_o           (busy[{e}]),
    .fault_o          ({fault}),
    .unit_valid_o     ({s}_valid),
    .unit_operation_o ({s}_operation),
    .unit_word_o      ({s}_word),
    .unit_ready_i     ({s}_ready),
    .unit_accepts_i   ({s}_accepts),
    .tile_end_o       ({s}_tile_end),
    .tile_repeats_o   ({s}_tile_repeats),
    .tile_level_o     ({s}_tile_level),
    .stride_index_o   ({s}_stride_index),
    .reduction_first_o({s}_reduction_first),
    .channel_o        ({s}_channel),
    .wait_o           (waits[{e}]),
    .token_i          (token[{e}]),
    .post_issue_o     ({s}_post_issue),
    .post_o           (post[{e}]),
    .post_channel_o   (post_counter[{high}:{low}]),
    .issue_o          (observe_{s}_issue_o),
    .issue_index_o    (observe_{s}_index_o),
    .issue_word_o     (observe_{s}_word_o),
    .issue_stall_o    (observe_{s}_stall_o),
    .issue_pipelined_o(observe_{s}_pipelined_o),
    .retire_o         (observe_{s}_retire_o)
  );
  assign wait_counter[{high}:{low}] = {s}_channel;
  assign observe_{s}_last_step_o = {s}_last_step;
)",
                     fmt::arg("e", e), fmt::arg("depth", engine.depth), fmt::arg("words", plan.instruction_depth),
                     fmt::arg("beat", plan.fetch_words), fmt::arg("s", s), fmt::arg("fault", fault),
                     fmt::arg("high", e * 32 + 31), fmt::arg("low", e * 32));
}

}  // namespace covenant::rtl
