#include <algorithm>
#include <fmt/format.h>

#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

/// Connects one read port: its requester and, unless the unit does that, the destination of its data.
std::string emit_read(const MemoryPlan& memory, size_t p) {
  const ReadClaim& port = memory.reads[p];
  std::string text = fmt::format("  assign {0}_read_valid[{1}] = {2};\n  assign {0}_read_element[{3}:{4}] = {5};\n",
                                 memory.signal, p, port.valid, p * 32 + 31, p * 32, port.element);
  if (port.data.empty()) return text;
  const uint64_t low = p * memory.read_elements * memory.data_bytes * 8;
  const uint64_t bits = uint64_t{port.elements} * memory.data_bytes * 8;
  return text + fmt::format("  assign {} = {}_read_data[{}:{}];\n", port.data, memory.signal, low + bits - 1, low);
}

std::string emit_write(const Plan& plan, const MemoryPlan& memory, size_t p) {
  const WriteClaim& port = memory.writes[p];
  const uint64_t bytes = uint64_t{memory.write_elements} * memory.data_bytes;
  return fmt::format(
      "  assign {m}_write_valid[{p}] = {valid};\n  assign {m}_write_element[{eh}:{el}] = {o}_write_element;\n"
      "  assign {m}_write_data[{dh}:{dl}] = {db}'({o}_write_data);\n"
      "  assign {m}_write_strobe[{sh}:{sl}] = {sb}'({o}_write_strobe);\n",
      fmt::arg("m", memory.signal), fmt::arg("p", p), fmt::arg("valid", port.valid), fmt::arg("eh", p * 32 + 31),
      fmt::arg("el", p * 32), fmt::arg("o", plan.units[port.unit]->signal), fmt::arg("dh", (p + 1) * bytes * 8 - 1),
      fmt::arg("dl", p * bytes * 8), fmt::arg("db", bytes * 8), fmt::arg("sh", (p + 1) * bytes - 1),
      fmt::arg("sl", p * bytes), fmt::arg("sb", bytes));
}

/// Connects one skewed port: the column accumulators of a unit, and the destination of the sums that they read.
std::string emit_skew(const MemoryPlan& memory, size_t p) {
  const SkewClaim& port = memory.skews[p];
  const uint64_t bits = uint64_t{memory.skew_columns} * 32;
  return fmt::format(
      "  assign {m}_skew_valid[{p}] = {valid};\n  assign {m}_skew_element[{eh}:{el}] = {element};\n"
      "  assign {m}_skew_sum[{sh}:{sl}] = {sum};\n  assign {data} = {m}_skew_data[{dh}:{sl}];\n",
      fmt::arg("m", memory.signal), fmt::arg("p", p), fmt::arg("valid", port.valid), fmt::arg("eh", p * 32 + 31),
      fmt::arg("el", p * 32), fmt::arg("element", port.element), fmt::arg("data", port.data), fmt::arg("sl", p * bits),
      fmt::arg("sh", (p + 1) * bits - 1), fmt::arg("dh", p * bits + uint64_t{port.columns} * 32 - 1),
      fmt::arg("sum", port.writes() ? fmt::format("{}'({})", bits, port.sum) : "'0"));
}

/// One number for each port, the last one first.
template <class Port, class Number>
std::string list_of(const std::vector<Port>& ports, uint32_t bits, Number number) {
  std::string text = "{";
  for (size_t p = ports.size(); p-- > 0;) {
    text += fmt::format("{}'d{}{}", bits, static_cast<uint32_t>(number(ports[p])), p == 0 ? "}" : ", ");
  }
  return text;
}

/// Elements that each port uses.
template <class Port>
std::string elements_of(const std::vector<Port>& ports) {
  if (ports.empty()) return "16'd1";
  return list_of(ports, 16, [](const Port& port) { return port.elements; });
}

/// Parameters and ports of a scratchpad that serve column accumulators.
std::string skew_parameters(const MemoryPlan& memory) {
  if (memory.skews.empty()) return "";
  return fmt::format(
      ",\n    .NumSkews     ({}),\n    .SkewColumns  ({}),\n    .ColumnsOf    ({}),\n    .SkewWrites   ({})",
      memory.skews.size(), memory.skew_columns,
      list_of(memory.skews, 16, [](const SkewClaim& port) { return port.columns; }),
      list_of(memory.skews, 1, [](const SkewClaim& port) { return port.writes(); }));
}

}  // namespace

std::string emit_memory_wires(const MemoryPlan& memory) {
  const uint64_t reads = std::max<size_t>(1, memory.reads.size());
  const uint64_t writes = std::max<size_t>(1, memory.writes.size());
  const uint64_t write_bytes = writes * memory.write_elements * memory.data_bytes;
  std::string text;
  if (memory.inside.empty()) {
    text += fmt::format("  logic {1} {0}_read_valid;\n  logic {2} {0}_read_element;\n  logic {3} {0}_read_data;\n",
                        memory.signal, vector_of(reads), vector_of(reads * 32),
                        vector_of(reads * memory.read_elements * memory.data_bytes * 8));
  }
  if (const uint64_t skews = memory.skews.size(); skews > 0) {
    text += fmt::format(
        "  logic {1} {0}_skew_valid;\n  logic {2} {0}_skew_element;\n  logic {3} {0}_skew_sum, {0}_skew_data;\n",
        memory.signal, vector_of(skews), vector_of(skews * 32), vector_of(skews * memory.skew_columns * 32));
  }
  return text + fmt::format(
                    "  logic {1} {0}_write_valid;\n  logic {2} {0}_write_element;\n  logic {3} {0}_write_data;\n"
                    "  logic {4} {0}_write_strobe;\n",
                    memory.signal, vector_of(writes), vector_of(writes * 32), vector_of(write_bytes * 8),
                    vector_of(write_bytes));
}

std::string emit_memory(const Plan& plan, const MemoryPlan& memory) {
  const acg::Memory& declared = plan.machine->memories[memory.index];
  std::string text = fmt::format("\n  // Memory {}\n", declared.name);
  for (size_t p = 0; p < memory.writes.size(); ++p) text += emit_write(plan, memory, p);
  if (memory.writes.empty()) {
    text += fmt::format(
        "  assign {0}_write_valid = '0;\n  assign {0}_write_element = '0;\n  assign {0}_write_data = '0;\n"
        "  assign {0}_write_strobe = '0;\n",
        memory.signal);
  }
  if (!memory.inside.empty()) return text + fmt::format("  // It stands in the {} that use it.\n", memory.inside);
  for (size_t p = 0; p < memory.reads.size(); ++p) text += emit_read(memory, p);
  for (size_t p = 0; p < memory.skews.size(); ++p) text += emit_skew(memory, p);
  if (memory.reads.empty()) {
    text += fmt::format(
        "  assign {0}_read_valid = '0;\n  assign {0}_read_element = '0;\n  logic unused_{0};\n"
        "  assign unused_{0} = &{{1'b0, {0}_read_data}};\n",
        memory.signal);
  }
  const auto skew = [&](std::string_view net, std::string_view otherwise) {
    return memory.skews.empty() ? std::string(otherwise) : fmt::format("{}_skew_{}", memory.signal, net);
  };
  text += fmt::format(
      R"(
  covenant_scratchpad #(
    .DataBytes    ({data}),
    .Banks        ({banks}),
    .Rows         ({rows}),
    .NumReads     ({reads}),
    .ReadElements ({read_elements}),
    .NumWrites    ({writes}),
    .WriteElements({write_elements}),
    .ReadsOf      ({reads_of}),
    .WritesOf     ({writes_of}){skew_parameters}
  ) u_{m} (
    .clk_i,
    .rst_ni,
    .read_valid_i        ({m}_read_valid),
    .read_element_i      ({m}_read_element),
    .read_data_o         ({m}_read_data),
    .write_valid_i       ({m}_write_valid),
    .write_element_i     ({m}_write_element),
    .write_data_i        ({m}_write_data),
    .write_strobe_i      ({m}_write_strobe),
    .skew_valid_i        ({skew_valid}),
    .skew_element_i      ({skew_element}),
    .skew_sum_i          ({skew_sum}),
    .skew_data_o         ({skew_data})
  );
)",
      fmt::arg("data", memory.data_bytes), fmt::arg("banks", declared.element_bits() / 8 / memory.data_bytes),
      fmt::arg("rows", declared.depth * declared.buffers), fmt::arg("reads", std::max<size_t>(1, memory.reads.size())),
      fmt::arg("read_elements", memory.read_elements), fmt::arg("writes", std::max<size_t>(1, memory.writes.size())),
      fmt::arg("write_elements", memory.write_elements), fmt::arg("reads_of", elements_of(memory.reads)),
      fmt::arg("writes_of", elements_of(memory.writes)), fmt::arg("skew_parameters", skew_parameters(memory)),
      fmt::arg("skew_valid", skew("valid", "1'b0")), fmt::arg("skew_element", skew("element", "'0")),
      fmt::arg("skew_sum", skew("sum", "'0")), fmt::arg("skew_data", skew("data", "")), fmt::arg("m", memory.signal));
  return text;
}

}  // namespace covenant::rtl
