#include "rtl/gen/stream/systolic_array/systolic_array.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "rtl/gen/common/sv_text.h"

namespace covenant::rtl {
namespace {

using acg::Machine;

/// Checks a memory with a role: its addresses, and vectors of inputs, are whole elements (RTL0009).
void check_elements(const MemoryPlan& memory, const acg::Memory& declared, uint64_t vector_bytes) {
  if (declared.unit_bytes() % memory.data_bytes == 0 && vector_bytes % memory.data_bytes == 0) return;
  refuse("RTL0009", declared.where, "memory " + declared.name,
         "addresses and vectors of an array's memories are whole elements in the RTL",
         fmt::format("addresses of {} bytes, vectors of {}, elements of {}", declared.unit_bytes(), vector_bytes,
                     memory.data_bytes),
         {fmt::format("multiples of {} bytes", memory.data_bytes)},
         "leave out granularity, or make data_width a divisor of the vector");
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

class SystolicArray final : public Unit {
 public:
  SystolicArray(UnitPlan plan, uint32_t rows, uint32_t columns)
      : Unit(std::move(plan)), rows_(rows), columns_(columns) {}

  void claim(Plan& plan) const override {
    for (MemoryPlan& memory : plan.memories) claim(*plan.machine, memory);
  }

  void check_claims(const Plan& plan) const override {
    const MemoryPlan& memory = memory_of(plan, "weight");
    const acg::Memory& declared = plan.machine->memories[memory.index];
    const bool loaded = memory.writes.size() == 1 && plan.units[memory.writes[0].unit]->compute == nullptr;
    const size_t readers = memory.reads.size() + memory.skews.size();
    if (loaded && readers == 0) return;
    refuse("RTL0005", declared.where, "memory " + declared.name,
           "a weight memory of the RTL has one edge besides those to its arrays, from another memory",
           fmt::format("{} readers, {} writers besides", readers, memory.writes.size()),
           {"0 readers, 1 writer besides"}, "load weights by one DMA edge only");
  }

  std::string wires(const Plan& plan) const override {
    return fmt::format(
        "  logic {0}_input_valid, {0}_accumulate;\n  logic [31:0] {0}_input_element, {0}_bias_element, "
        "{0}_output_element;\n  logic {1} {0}_input_data;\n  logic {2} {0}_bias_data, {0}_output_data, {0}_sum;\n",
        signal, vector_of(uint64_t{rows_} * acg::gemm_bits(*plan.machine, *compute, 0)),
        vector_of(uint64_t{columns_} * 32));
  }

  std::string instance(const Plan& plan) const override {
    const MemoryPlan& weight = memory_of(plan, "weight");
    return fmt::format(
        R"(
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
        fmt::arg("rows", rows_), fmt::arg("columns", columns_), fmt::arg("widths", widths_of(*plan.machine, *compute)),
        fmt::arg("roles", role_parameters(*plan.machine, *compute)),
        fmt::arg("write", weight.write_elements * weight.data_bytes),
        fmt::arg("times", weight.data_bytes == 1 ? "" : fmt::format(" * 32'd{}", weight.data_bytes)),
        fmt::arg("s", signal), fmt::arg("common", unit_ports(signal)), fmt::arg("weight", weight.signal));
  }

  Observed observe(ObserverPart& part, const Plan& plan) const override {
    const MemoryPlan& memory = memory_of(plan, "output");
    const uint64_t first = output_port(memory) * memory.skew_columns;
    const auto skewed = [&](std::string_view net, uint64_t bits) {
      return fmt::format("u_{}.skew_write_{}[{} +: {}]", memory.signal, net, first * bits, columns_ * bits);
    };
    part.shown(columns_, "write_valid", skewed("valid", 1));
    part.shown(uint64_t{columns_} * 32, "write_element", skewed("element", 32));
    part.shown(uint64_t{columns_} * 32, "write_data", signal + "_sum");
    part.add_tags(signal, uint64_t{rows_} + 2, columns_, fmt::format("u_{}.is_gemm", signal),
                  fmt::format("u_{}.last_step", signal));
    return {.columns = Observed::Columns{memory.index, columns_}};
  }

 private:
  void claim(const Machine& machine, MemoryPlan& memory) const {
    const acg::Memory& declared = machine.memories[memory.index];
    const auto plays = [&](std::string_view part) { return role(machine, *compute, part).value == memory.index; };
    if (plays("output") && (plays("input") || plays("weight") || plays("bias"))) {
      refuse("RTL0003", declared.where, "memory " + declared.name,
             "a systolic array of the RTL reads what it multiplies and adds before its sums are written",
             fmt::format("output and another role of {}", compute->name), {"no other role beside output"},
             "give the output a memory of its own");
    }
    if (plays("weight")) {
      memory.inside = "systolic arrays";
      memory.arrays.push_back(fmt::format("u_{}.u_grid.memory", signal));
    }
    if (plays("input")) {
      const uint32_t vector_bytes = rows_ * acg::gemm_bits(machine, *compute, 0) / 8;
      check_elements(memory, declared, vector_bytes);
      memory.reads.push_back({index, 0, vector_bytes / memory.data_bytes, signal + "_input_valid",
                              signal + "_input_element", signal + "_input_data"});
    }
    for (const std::string which : {"bias", "output"}) {
      if (!plays(which)) continue;
      check_elements(memory, declared, uint64_t{4} * columns_);
      memory.skews.push_back({index, columns_, signal + "_accumulate", fmt::format("{}_{}_element", signal, which),
                              fmt::format("{}_{}_data", signal, which), which == "output" ? signal + "_sum" : ""});
    }
  }

  const MemoryPlan& memory_of(const Plan& plan, std::string_view part) const {
    const uint32_t wanted = role(*plan.machine, *compute, part).value;
    for (const MemoryPlan& memory : plan.memories) {
      if (memory.index == wanted) return memory;
    }
    fail("a role that no scratchpad plays");
  }

  size_t output_port(const MemoryPlan& memory) const {
    for (size_t p = 0; p < memory.skews.size(); ++p) {
      if (memory.skews[p].unit == index && memory.skews[p].writes()) return p;
    }
    fail("a systolic array without its memory");
  }

  uint32_t rows_;
  uint32_t columns_;
};

}  // namespace

std::unique_ptr<Unit> make_systolic_array(const Machine& /*machine*/, const acg::Engine& /*engine*/, UnitPlan plan) {
  const auto rows = static_cast<uint32_t>(integer_attribute(*plan.compute, "rows"));
  const auto columns = static_cast<uint32_t>(integer_attribute(*plan.compute, "columns"));
  return std::make_unique<SystolicArray>(std::move(plan), rows, columns);
}

PackagePart systolic_array_package(const Plan& /*plan*/) {
  return {.pipelined = {acg::Operation::kGemm},
          .functions =
              "  // Types of inputs come in pairs: with a sign, without one.\n"
              "  function automatic logic is_unsigned_input(input logic [WordWidth-1:0] word);\n"
              "    is_unsigned_input = 1'(operand_input_type(word));\n  endfunction\n"};
}

}  // namespace covenant::rtl
