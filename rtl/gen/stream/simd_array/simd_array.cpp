#include "rtl/gen/stream/simd_array/simd_array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "rtl/gen/common/operation_names.h"
#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/stream/simd_array/package.h"

namespace covenant::rtl {
namespace {

using acg::Machine;
using acg::Memory;
using acg::MemoryKind;
using acg::Operation;

bool is_scratchpad(const Memory& memory) { return memory.kind == MemoryKind::kScratchpad; }

uint32_t log2_bytes(const Memory& memory) {
  return !is_scratchpad(memory) || memory.data_width <= 8 ? 0 : memory.data_width == 16 ? 1 : 2;
}

class SimdArray final : public Unit {
 public:
  SimdArray(UnitPlan plan, acg::NodeId node, uint32_t lanes) : Unit(std::move(plan)), node_(node), lanes_(lanes) {
    has_faults = true;  // it stops at types without a capability
  }

  void claim(Plan& plan) const override {
    const Machine& machine = *plan.machine;
    for (MemoryPlan& memory : plan.memories) {
      const acg::NodeId id = acg::MemoryId{memory.index};
      const uint32_t elements = lanes_ * 4 / memory.data_bytes;
      if (touches(machine, machine.memories[memory.index])) check_reach(machine.memories[memory.index], elements);
      if (acg::edge_between(machine, id, node_)) {
        for (const uint32_t operand : {1U, 2U}) {
          const std::string source = fmt::format("{}_src{}", signal, operand);
          memory.reads.push_back({index, operand, elements,
                                  fmt::format("{0}_valid && ({0}_memory == 32'd{1})", source, memory.index),
                                  source + "_element", ""});
        }
      }
      if (acg::edge_between(machine, node_, id)) {
        memory.writes.push_back(
            {index, elements, fmt::format("{0}_write_valid && ({0}_write_memory == 32'd{1})", signal, memory.index)});
      }
    }
  }

  std::string wires(const Plan& /*plan*/) const override {
    std::string text;
    for (const std::string_view source : {"src1", "src2"}) {
      text += fmt::format(
          "  logic {0}_{1}_valid;\n  logic [31:0] {0}_{1}_memory, {0}_{1}_element, {0}_{1}_from;\n"
          "  logic {2} {0}_{1}_data;\n",
          signal, source, vector_of(uint64_t{lanes_} * 32));
    }
    return text + wire(32, signal + "_write_memory") + write_wires(signal, uint64_t{lanes_} * 4);
  }

  std::string instance(const Plan& plan) const override {
    return fmt::format(
               "\n  logic {0}_sequencer_fault, {0}_capability_fault;\n"
               "  assign fault[{1}] = {0}_sequencer_fault || {0}_capability_fault;\n",
               signal, index) +
           fmt::format("\n  covenant_simd_array #(\n{}  ) u_{} (\n{}  );\n", parameters(plan), signal, ports());
  }

  /// A source takes its data from the memory that it has requested.
  std::string answers(const Plan& plan) const override {
    std::string text = "\n  // Sources of " + name + "\n";
    for (const uint32_t operand : {1U, 2U}) {
      text += fmt::format("  always_comb begin\n    unique case ({}_src{}_from)\n", signal, operand);
      for (const MemoryPlan& memory : plan.memories) text += answer_of(memory, operand);
      text += fmt::format("      default: {}_src{}_data = '0;\n    endcase\n  end\n", signal, operand);
    }
    return text;
  }

  /// A nest writes alone, without tags.
  Observed observe(ObserverPart& part, const Plan& /*plan*/) const override {
    const uint64_t bytes = uint64_t{lanes_} * 4;
    part.shown(1, "write_valid", signal + "_write_valid");
    part.shown(32, "write_element", signal + "_write_element");
    part.shown(bytes * 8, "write_data", signal + "_write_data");
    part.shown(bytes, "write_strobe", signal + "_write_strobe");
    part.shown(32, "write_memory", signal + "_write_memory");
    return {.writes = Observed::Writes{observer_net(index, "write_memory_i"), "0U", bytes}};
  }

 private:
  /// Bytes of the widest vector that may begin within an element.
  uint32_t narrow_bytes() const {
    uint32_t widest = 1;
    const auto count = [&](DType dtype) {
      if (is_narrow(dtype)) widest = std::max(widest, bytes(dtype));
    };
    for (const acg::Capability& capability : compute->capabilities) {
      count(capability.output.dtype);
      for (const acg::CapabilityOperand& input : capability.inputs) count(input.dtype);
    }
    return widest * lanes_;
  }

  /// An access reads `elements`: vectors lie in so many, wherever addresses let them begin.
  void check_reach(const Memory& memory, uint32_t elements) const {
    const uint32_t vector_bytes = narrow_bytes();
    if (elements_for(vector_bytes, data_bytes_of(memory), memory.unit_bytes()) <= elements) return;
    const uint32_t element_bits = 8 * vector_bytes / lanes_;
    refuse("RTL0021", memory.where, "memory " + memory.name,
           fmt::format("a vector of {} may begin in one element and end in the next one, an access reads {}", name,
                       elements),
           fmt::format("vectors of {} bytes at each {} bytes", vector_bytes, memory.unit_bytes()),
           {fmt::format("addresses of {} bytes", vector_bytes)},
           fmt::format("give the memory granularity = {}", element_bits));
  }

  std::string parameters(const Plan& plan) const {
    const Machine& machine = *plan.machine;
    uint32_t longest = 1;
    for (const acg::Capability& capability : compute->capabilities) longest = std::max(longest, capability.latency);
    const auto list = [&](uint32_t bits, auto value) { return per_memory(machine, bits, value); };
    return fmt::format(
        R"(    .Engine     (8'd{e}),
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
)",
        fmt::arg("e", index), fmt::arg("lanes", lanes_), fmt::arg("longest", longest),
        fmt::arg("count", machine.memories.size()), fmt::arg("immediate", plan.immediate),
        fmt::arg("touched", list(1, [&](const Memory& memory) { return touches(machine, memory); })),
        fmt::arg("buffers", list(8, [](const Memory& memory) { return is_scratchpad(memory) ? memory.buffers : 0; })),
        fmt::arg("buffer",
                 list(32, [](const Memory& memory) { return is_scratchpad(memory) ? memory.buffer_units() : 0; })),
        fmt::arg("unit",
                 list(32, [](const Memory& memory) { return is_scratchpad(memory) ? memory.unit_bytes() : 1; })),
        fmt::arg("shift", list(8, log2_bytes)),
        fmt::arg("entries", list(8, [](const Memory& memory) {
                   return is_scratchpad(memory) ? std::bit_width(memory.channel_entries() - 1) : 0;
                 })));
  }

  std::string ports() const {
    return fmt::format(R"({common}    .fault_o          ({s}_capability_fault),
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
)",
                       fmt::arg("s", signal), fmt::arg("common", unit_ports(signal)));
  }

  std::string answer_of(const MemoryPlan& memory, uint32_t operand) const {
    std::string text;
    for (size_t p = 0; p < memory.reads.size(); ++p) {
      if (memory.reads[p].unit != index || memory.reads[p].operand != operand) continue;
      const uint64_t low = p * memory.read_elements * memory.data_bytes * 8;
      const uint64_t bits = uint64_t{memory.reads[p].elements} * memory.data_bytes * 8;
      text += fmt::format("      32'd{}: {}_src{}_data = {}_read_data[{}:{}];\n", memory.index, signal, operand,
                          memory.signal, low + bits - 1, low);
    }
    return text;
  }

  bool touches(const Machine& machine, const Memory& memory) const {
    const acg::NodeId id = acg::MemoryId{static_cast<uint32_t>(&memory - machine.memories.data())};
    return acg::edge_between(machine, id, node_).has_value() || acg::edge_between(machine, node_, id).has_value();
  }

  acg::NodeId node_;
  uint32_t lanes_;
};

std::vector<Operation> computes_with(bool (*has)(Operation)) {
  std::vector<Operation> found;
  for (const acg::OperationInfo& entry : acg::operations()) {
    if (acg::is_simd_compute(entry.operation) && has(entry.operation)) found.push_back(entry.operation);
  }
  return found;
}

std::string class_of(std::string_view name, std::string_view comment, bool (*has)(Operation)) {
  std::vector<std::string> members;
  for (const Operation one : computes_with(has)) members.push_back(in_package(plain_enumerator(one)));
  return operation_class(name, comment, members);
}

bool is_any(Operation /*operation*/) { return true; }
bool is_unary(Operation operation) { return acg::simd_sources(operation) == 1; }

std::string emit_table(const Machine& machine, const acg::WordParts& parts) {
  const bool has_table =
      std::ranges::any_of(machine.mnemonics, [](const acg::Mnemonic& one) { return one.does == Operation::kTable; });
  return fmt::format(R"(  // Table of lookups, if words can set one.
  localparam bit          HasTable       = 1'b{};
  localparam int unsigned TablePart      = {};
  localparam int unsigned TableBytes     = {};
)",
                     has_table ? 1 : 0, parts.table.bits, acg::table_bytes(machine));
}

}  // namespace

std::unique_ptr<Unit> make_simd_array(const Machine& machine, const acg::Engine& engine, UnitPlan plan) {
  const auto lanes = static_cast<uint32_t>(integer_attribute(*plan.compute, "lanes"));
  return std::make_unique<SimdArray>(std::move(plan), acg::find_compute(machine, engine.name).value(), lanes);
}

PackagePart simd_array_package(const Plan& plan) {
  const Machine& machine = *plan.machine;
  const acg::WordParts parts = acg::word_parts(machine);
  return {.parts = {{"those of the SIMD array", "SimdBasePart", parts.simd_base.bits},
                    {"", "SimdStridePart", parts.simd_stride.bits},
                    {"immediates", "ImmediatePart", parts.immediate.bits}},
          .tables = emit_table(machine, parts),
          .constants = emit_elements(machine),
          .pipelined = computes_with(is_any),
          .classes = class_of("is_simd_compute", "Words that run a nest of the SIMD array.", is_any) + "\n" +
                     class_of("is_simd_unary", "Those that read one source.", is_unary) + "\n" +
                     class_of("is_simd_reduction", "Those that go on with their result.", acg::is_simd_reduction) +
                     "\n" + class_of("is_simd_fixed", "Those that scale in fixed point.", acg::is_simd_fixed),
          .functions = emit_latency(plan)};
}

std::string simd_array_enumerator(Operation operation) {
  static constexpr std::array<Operation, 7> kPrefixed{
      Operation::kSimdTrip,     Operation::kSimdIndex,  Operation::kSimdReduce,    Operation::kSimdBase,
      Operation::kSimdBaseHigh, Operation::kSimdStride, Operation::kSimdStrideHigh};
  const bool is_prefixed = std::ranges::find(kPrefixed, operation) != kPrefixed.end();
  return is_prefixed ? prefixed_enumerator("Simd", operation) : plain_enumerator(operation);
}

}  // namespace covenant::rtl
