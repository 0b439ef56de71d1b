#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "rtl/gen/emit.h"
#include "rtl/gen/names.h"

namespace covenant::rtl {
namespace {

using acg::Machine;

/// The ports that every unit has.
std::string emit_common(const std::string& s) {
  return fmt::format(R"(    .clk_i,
    .rst_ni,
    .clear_i          (blocks.start),
    .command_i        ({0}_command),
    .ready_o          ({0}_ready),
    .accepts_o        ({0}_accepts),
)",
                     s);
}

/// The scratchpad at the far end of a DMA engine, if there is one.
std::string emit_far(const Plan& plan, const EnginePlan& engine) {
  if (engine.kind != EngineKind::kCopy) return "";
  const acg::Memory& far = plan.machine->memories[engine.far];
  return fmt::format(",\n    .FarOnchip(1'b1),\n    .FarMemory({}),\n    .FarBuffers({}),\n    .FarBufferBytes({})",
                     engine.far, far.buffers, far.buffer_bytes());
}

/// Off-chip ports: the same names in the module and, after the engine's name, in the top.
constexpr std::array<std::string_view, 7> kLoadPorts{"read_valid_o",   "read_address_o", "read_beats_o", "read_ready_i",
                                                     "answer_valid_i", "answer_ready_o", "read_data_i"};
constexpr std::array<std::string_view, 10> kStorePorts{
    "write_burst_valid_o", "write_burst_address_o", "write_burst_beats_o", "write_ready_i", "written_i",
    "written_ready_o",     "write_valid_o",         "write_address_o",     "write_data_o",  "write_strobe_o"};

/// The data path of a DMA engine: the module, its parameters, and those of its ports that not all data paths have.
std::string emit_path(const Plan& plan, const EnginePlan& engine) {
  const std::string& s = engine.signal;
  const uint32_t data_bytes = data_bytes_of(plan.machine->memories[engine.memory]);
  std::string parameters = fmt::format("    .BeatBytes({}),\n", engine.beat_bytes);
  std::string ports;
  std::string_view module;
  const auto connect = [&](std::string_view port, std::string_view net) {
    ports += fmt::format(",\n    .{}({}_{})", port, s, net);
  };
  const auto connect_write = [&] {
    for (const std::string_view port : {"write_valid_o", "write_element_o", "write_data_o", "write_strobe_o"})
      connect(port, port.substr(0, port.size() - 2));
  };
  const auto add_fill = [&] {
    connect("beat_fill_i", "beat_fill");
    const uint32_t fill_bytes = acg::fill_bytes(*plan.machine);
    if (fill_bytes > 1) parameters += fmt::format("    .FillBytes({}),\n", fill_bytes);
  };
  const auto connect_read = [&] {
    connect("read_valid_o", "read_valid");
    connect("read_element_o", "read_element");
    connect("read_data_i", "read_data");
  };
  if (is_offchip(engine)) {
    parameters += fmt::format("    .Latency  ({}),\n    .Places   ({}),\n", engine.latency, engine.places);
    for (const std::string_view port : {"beat_ready_o", "beat_last_i", "beat_begins_i", "beat_burst_i"})
      connect(port, port.substr(0, port.size() - 2));
    connect("post_i", "command.post_issue");
    connect("channel_i", "command.channel");
    connect("retirement_o", "retirement");
  }
  if (engine.kind == EngineKind::kStore) {
    module = "covenant_dma_store";
    connect("beat_ends_i", "beat_ends");
    connect_read();
    for (const std::string_view port : kStorePorts) connect(port, port);
  } else if (engine.kind == EngineKind::kLoad) {
    module = "covenant_dma_load";
    add_fill();
    for (const std::string_view port : kLoadPorts) connect(port, port);
    connect_write();
  } else {
    module = "covenant_dma_copy";
    parameters += fmt::format("    .EdgeLatency({}),\n    .FarDataBytes({}),\n", engine.latency - 1,
                              data_bytes_of(plan.machine->memories[engine.far]));
    add_fill();
    connect_read();
    connect_write();
  }
  for (const std::string_view port : {"valid", "inside", "address", "offset", "count", "onchip"})
    ports += fmt::format(",\n    .beat_{1}_i({0}_beat_{1})", s, port);
  return fmt::format("\n  {} #(\n{}    .DataBytes({})\n  ) u_{}_path (\n    .clk_i,\n    .rst_ni{}\n  );\n", module,
                     parameters, data_bytes, s, ports);
}

std::string emit_dma(const Plan& plan, const EnginePlan& engine) {
  const acg::Memory& memory = plan.machine->memories[engine.memory];
  const std::string& s = engine.signal;
  const bool stores = engine.kind == EngineKind::kStore;
  uint32_t offset_bits = 1;
  while ((uint64_t{1} << offset_bits) < engine.beat_bytes) ++offset_bits;
  uint32_t count_bits = 1;
  while ((uint64_t{1} << count_bits) < engine.beat_bytes + 1) ++count_bits;
  std::string text;
  for (const std::string_view name :
       {"beat_valid", "beat_ready", "beat_inside", "beat_last", "beat_begins", "beat_ends"})
    text += wire(1, fmt::format("{}_{}", s, name));
  text += wire(5, s + "_beat_burst");
  text += wire(1, s + "_bus_request") + wire(1, s + "_bus_grant");
  if (engine.bus.empty()) text += fmt::format("  assign {}_bus_grant = 1'b1;\n", s);
  text += wire(32, s + "_beat_address") + wire(offset_bits, s + "_beat_offset") + wire(count_bits, s + "_beat_count");
  text += wire(32, s + "_beat_onchip") + wire(8 * acg::fill_bytes(*plan.machine), s + "_beat_fill");
  text += fmt::format(R"(
  covenant_dma #(
    .Stores   (1'b{stores}),
    .BeatBytes({beat}),
    .Memory   ({memory}),
    .Buffers  ({buffers}),
    .BufferUnits({buffer}),
    .UnitBytes({unit}){far}
  ) u_{s} (
{common}    .bus_request_o    ({s}_bus_request),
    .bus_grant_i      ({s}_bus_grant),
    .beat_valid_o     ({s}_beat_valid),
    .beat_ready_i     ({s}_beat_ready),
    .beat_inside_o    ({s}_beat_inside),
    .beat_address_o   ({s}_beat_address),
    .beat_offset_o    ({s}_beat_offset),
    .beat_count_o     ({s}_beat_count),
    .beat_onchip_o    ({s}_beat_onchip),
    .beat_fill_o      ({s}_beat_fill),
    .beat_last_o      ({s}_beat_last),
    .beat_begins_o    ({s}_beat_begins),
    .beat_burst_o     ({s}_beat_burst),
    .beat_ends_o      ({s}_beat_ends)
  );
)",
                      fmt::arg("stores", stores ? 1 : 0), fmt::arg("beat", engine.beat_bytes),
                      fmt::arg("memory", engine.memory), fmt::arg("buffers", memory.buffers),
                      fmt::arg("buffer", memory.buffer_units()), fmt::arg("unit", memory.unit_bytes()),
                      fmt::arg("far", emit_far(plan, engine)), fmt::arg("s", s), fmt::arg("common", emit_common(s)));
  if (!is_offchip(engine)) text += fmt::format("  assign {}_beat_ready = 1'b1;\n", s);
  return text + emit_path(plan, engine);
}

std::string role_parameters(const Machine& machine, const acg::Compute& compute) {
  std::string text;
  for (const auto& [name, parameter] : {std::pair<std::string, std::string>{"input", "Input"},
                                        {"weight", "Weight"},
                                        {"bias", "Bias"},
                                        {"output", "Output"}}) {
    const acg::MemoryId id = role(machine, compute, name);
    const acg::Memory& memory = get(machine, id);
    text += fmt::format("    .{0}Memory({1}),\n    .{0}Buffers({2}),\n    .{0}BufferUnits({3}),\n", parameter, id.value,
                        memory.buffers, memory.buffer_units());
    const bool is_weight = name == "weight";
    text += fmt::format("    .{}Unit{}({}),\n", parameter, is_weight ? "Bytes" : "Elements",
                        is_weight ? memory.unit_bytes() : memory.unit_bytes() / data_bytes_of(memory));
  }
  return text;
}

/// Parameters for products of elements other than bytes, and for sums of less than 32 bits.
std::string widths_of(const Machine& machine, const acg::Compute& compute) {
  const uint32_t input = acg::gemm_bits(machine, compute, 0);
  const uint32_t weight = acg::gemm_bits(machine, compute, 1);
  const uint32_t sum = acg::accumulator_bits(compute);
  std::string text;
  if (input != 8 || weight != 8) text += fmt::format("\n    .InputBits({}),\n    .WeightBits({}),", input, weight);
  if (sum != 32) text += fmt::format("\n    .AccumulatorBits({}),", sum);
  if (acg::saturates(compute)) text += "\n    .Saturates(1'b1),";
  return text;
}

std::string emit_array(const Plan& plan, const EnginePlan& engine) {
  const std::string& s = engine.signal;
  const acg::Compute& compute = *engine.compute;
  const auto rows = integer_attribute(compute, "rows");
  const auto columns = integer_attribute(compute, "columns");
  const MemoryPlan& weight = memory_of_role(plan, compute, "weight");
  return fmt::format(R"(
  covenant_systolic_array #(
    .Rows   ({rows}),
    .Columns({columns}),{widths}
{roles}    .WriteBytes({write})
  ) u_{s} (
{common}    .input_valid_o    ({s}_input_valid),
    .input_element_o  ({s}_input_element),
    .input_data_i     ({s}_input_data),
    .accumulate_o     ({s}_accumulate),
    .bias_element_o   ({s}_bias_element),
    .bias_data_i      ({s}_bias_data),
    .output_element_o ({s}_output_element),
    .output_data_i    ({s}_output_data),
    .sum_o            ({s}_sum),
    .write_valid_i    ({weight}_write_valid[0]),
    .write_byte_i     ({weight}_write_element{times}),
    .write_data_i     ({weight}_write_data),
    .write_strobe_i   ({weight}_write_strobe)
  );
)",
                     fmt::arg("rows", rows), fmt::arg("columns", columns),
                     fmt::arg("widths", widths_of(*plan.machine, compute)),
                     fmt::arg("roles", role_parameters(*plan.machine, compute)),
                     fmt::arg("write", weight.write_elements * weight.data_bytes),
                     fmt::arg("times", weight.data_bytes == 1 ? "" : fmt::format(" * 32'd{}", weight.data_bytes)),
                     fmt::arg("s", s), fmt::arg("common", emit_common(s)), fmt::arg("weight", weight.signal));
}

/// One number for each memory of the machine, the last one first.
template <typename Value>
std::string per_memory(const Plan& plan, uint32_t bits, Value value) {
  std::string text = "{";
  for (size_t i = plan.machine->memories.size(); i-- > 0;) {
    text += fmt::format("{}'d{}{}", bits, static_cast<uint64_t>(value(i)), i == 0 ? "}" : ", ");
  }
  return text;
}

std::string emit_simd(const Plan& plan, const EnginePlan& engine, uint32_t e) {
  const std::string& s = engine.signal;
  const Machine& machine = *plan.machine;
  const acg::NodeId node = acg::find_compute(machine, engine.name).value();
  const auto& memories = machine.memories;
  const auto is_touched = [&](size_t i) {
    const acg::NodeId id = acg::MemoryId{static_cast<uint32_t>(i)};
    return acg::edge_between(machine, id, node).has_value() || acg::edge_between(machine, node, id).has_value();
  };
  const auto is_scratchpad = [&](size_t i) { return memories[i].kind == acg::MemoryKind::kScratchpad; };
  uint32_t longest = 1;
  for (const acg::Capability& capability : engine.compute->capabilities)
    longest = std::max(longest, capability.latency);
  return fmt::format(
      R"(
  logic {s}_sequencer_fault, {s}_capability_fault;
  assign fault[{e}] = {s}_sequencer_fault || {s}_capability_fault;

  covenant_simd_array #(
    .Engine     (8'd{e}),
    .Lanes      ({lanes}),
    .MaxLatency ({longest}),
    .NumMemories({count}),
    .Immediate  ({immediate}),
    .Touched    ({touched}),
    .Buffers    ({buffers}),
    .BufferUnits  ({buffer}),
    .UnitBytes  ({unit}),
    .DataShift  ({shift}),
    .EntryShift ({entries})
  ) u_{s} (
{common}    .fault_o          ({s}_capability_fault),
    .src1_valid_o     ({s}_src1_valid),
    .src1_memory_o    ({s}_src1_memory),
    .src1_element_o   ({s}_src1_element),
    .src1_from_o      ({s}_src1_from),
    .src1_data_i      ({s}_src1_data),
    .src2_valid_o     ({s}_src2_valid),
    .src2_memory_o    ({s}_src2_memory),
    .src2_element_o   ({s}_src2_element),
    .src2_from_o      ({s}_src2_from),
    .src2_data_i      ({s}_src2_data),
    .write_valid_o    ({s}_write_valid),
    .write_memory_o   ({s}_write_memory),
    .write_element_o  ({s}_write_element),
    .write_data_o     ({s}_write_data),
    .write_strobe_o   ({s}_write_strobe)
  );
)",
      fmt::arg("s", s), fmt::arg("e", e), fmt::arg("lanes", integer_attribute(*engine.compute, "lanes")),
      fmt::arg("longest", longest), fmt::arg("count", memories.size()), fmt::arg("immediate", plan.immediate),
      fmt::arg("touched", per_memory(plan, 1, is_touched)),
      fmt::arg("buffers", per_memory(plan, 8, [&](size_t i) { return is_scratchpad(i) ? memories[i].buffers : 0; })),
      fmt::arg("buffer",
               per_memory(plan, 32, [&](size_t i) { return is_scratchpad(i) ? memories[i].buffer_units() : 0; })),
      fmt::arg("unit", per_memory(plan, 32, [&](size_t i) { return is_scratchpad(i) ? memories[i].unit_bytes() : 1; })),
      fmt::arg("shift", per_memory(plan, 8,
                                   [&](size_t i) {
                                     return !is_scratchpad(i) || memories[i].data_width <= 8 ? 0
                                            : memories[i].data_width == 16                   ? 1
                                                                                             : 2;
                                   })),
      fmt::arg("entries", per_memory(plan, 8,
                                     [&](size_t i) {
                                       return is_scratchpad(i) ? std::bit_width(memories[i].channel_entries() - 1) : 0;
                                     })),
      fmt::arg("common", emit_common(s)));
}

std::string port(std::string_view direction, uint64_t bits, const std::string& name) {
  return bits == 1 ? fmt::format("  {} logic {},\n", direction, name)
                   : fmt::format("  {} logic [{}:0] {},\n", direction, bits - 1, name);
}

}  // namespace

std::string emit_engine_ports(const Plan& plan, uint32_t e) {
  const EnginePlan& engine = plan.engines[e];
  const std::string& s = engine.signal;
  const uint64_t beat_bytes = engine.beat_bytes;
  if (!is_offchip(engine)) return "";
  std::string text = fmt::format("  // {}: {} cycles at the least\n", comment_of(engine.name), engine.latency);
  const auto bits_of = [&](std::string_view name) -> uint64_t {
    if (name.find("address") != name.npos) return 32;
    if (name.find("beats") != name.npos) return 5;
    if (name.find("data") != name.npos) return beat_bytes * 8;
    return name.find("strobe") != name.npos ? beat_bytes : 1;
  };
  const auto add = [&](std::string_view name) {
    text += port(name.ends_with("_i") ? "input " : "output", bits_of(name), fmt::format("{}_{}", s, name));
  };
  if (engine.kind == EngineKind::kLoad) std::ranges::for_each(kLoadPorts, add);
  if (engine.kind == EngineKind::kStore) std::ranges::for_each(kStorePorts, add);
  return text;
}

std::string emit_engine(const Plan& plan, uint32_t e) {
  const EnginePlan& engine = plan.engines[e];
  std::string text = fmt::format("\n  // Engine {}: {}\n", e, engine.name) + emit_wires(engine.signal);
  text += emit_sequencer(plan, e);
  const std::string waits =
      is_offchip(engine) ? fmt::format("{0}_bus_request && {0}_bus_grant && !{0}_beat_ready", engine.signal) : "1'b0";
  text += fmt::format("  assign stalled_o[{}] = {};\n", e, waits);
  switch (engine.kind) {
    case EngineKind::kSystolicArray:
      return text + emit_array(plan, engine);
    case EngineKind::kSimdArray:
      return text + emit_simd(plan, engine, e);
    case EngineKind::kLoad:
    case EngineKind::kStore:
    case EngineKind::kCopy:
      return text + emit_dma(plan, engine);
  }
  fail("an engine of no kind");
}

}  // namespace covenant::rtl
