#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "acg/lang/machine_hash.h"
#include "rtl/gen/axi/emit_axi.h"
#include "rtl/gen/common/sv_text.h"

namespace covenant::rtl {
namespace {

/// The registers' ports, as those of covenant_host are.
constexpr std::array<AxiSignal, 20> kHostPorts{{
    {true, 1, "s_axil_awvalid"},  {false, 1, "s_axil_awready"}, {true, 12, "s_axil_awaddr"},
    {true, 3, "s_axil_awprot"},   {true, 1, "s_axil_wvalid"},   {false, 1, "s_axil_wready"},
    {true, 32, "s_axil_wdata"},   {true, 4, "s_axil_wstrb"},    {false, 1, "s_axil_bvalid"},
    {true, 1, "s_axil_bready"},   {false, 2, "s_axil_bresp"},   {true, 1, "s_axil_arvalid"},
    {false, 1, "s_axil_arready"}, {true, 12, "s_axil_araddr"},  {true, 3, "s_axil_arprot"},
    {false, 1, "s_axil_rvalid"},  {true, 1, "s_axil_rready"},   {false, 32, "s_axil_rdata"},
    {false, 2, "s_axil_rresp"},   {false, 1, "irq_o"},
}};

/// The names of ports in a list of declarations.
std::vector<std::string> names_of(const std::string& ports) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin < ports.size();) {
    const size_t end = ports.find('\n', begin);
    const std::string line = ports.substr(begin, ports.find("//", begin) - begin);
    if (const size_t comma = line.find(','); comma < end - begin) {
      const size_t space = line.rfind(' ', comma);
      names.push_back(line.substr(space + 1, comma - space - 1));
    }
    begin = end + 1;
  }
  return names;
}

/// The signals that connect to ports.
std::string signals_of(const std::string& ports) {
  std::string text;
  for (size_t begin = 0; begin < ports.size();) {
    const size_t end = ports.find('\n', begin);
    const std::string line = ports.substr(begin, end - begin);
    const size_t logic = line.find("logic");
    const size_t comma = line.rfind(',');
    if (logic != std::string::npos && comma != std::string::npos)
      text += "  " + line.substr(logic, comma - logic) + ";\n";
    begin = end + 1;
  }
  return text;
}

std::string emit_ports(const std::vector<AxiMaster>& masters) {
  std::string text =
      "  input  logic clk_i,\n  input  logic rst_ni,\n  // Registers (docs/reference/registers.md) and the interrupt "
      "line.\n";
  for (const AxiSignal& port : kHostPorts) text += declared(port, "");
  text += "  // Off-chip memory: AXI4 masters. Those that several ports share tell them apart by ids.\n" +
          emit_axi_ports(masters);
  text.erase(text.rfind(','), 1);
  return text;
}

/// The masters, behind which port a memory has failed, and where.
std::string emit_masters(const Plan& plan, const std::vector<AxiMaster>& masters) {
  std::string text = fmt::format(
      "\n  // One bit for each engine, then the fetch unit, then one that no memory sets, as fault_o of the machine.\n"
      "  logic [{}:0] memory_fault, idle;\n  logic [31:0] memory_address;\n",
      plan.units.size() + 1);
  std::string places = "  always_comb begin\n    memory_address = '0;\n";
  std::vector<bool> has_memory(plan.units.size() + 2);
  const auto add = [&](const AxiPort& port) {
    text += wire(32, port.signal + "_fault_address");
    places += fmt::format("    if (memory_fault[{}]) memory_address = {}_fault_address;\n", port.number, port.signal);
    has_memory[port.number] = true;
  };
  for (const AxiMaster& master : masters) {
    std::ranges::for_each(master.reads, add);
    std::ranges::for_each(master.writes, add);
  }
  for (size_t k = 0; k < has_memory.size(); ++k) {
    if (!has_memory[k]) text += fmt::format("  assign memory_fault[{0}] = 1'b0;\n  assign idle[{0}] = 1'b1;\n", k);
  }
  return text + places + "  end\n" + emit_axi_masters(masters);
}

/// Bytes that move in this cycle, over all ports in one direction.
std::string emit_bytes(const Plan& plan, bool writes) {
  std::string sum = "16'd0";
  const auto add = [&](const std::string& signal, uint32_t bytes) {
    const std::string moves =
        writes ? signal + "_write_valid_o" : fmt::format("{0}_answer_valid_i && {0}_answer_ready_o", signal);
    sum += fmt::format("\n    + ({} ? 16'd{} : 16'd0)", moves, bytes);
  };
  if (!writes) add("fetch", plan.fetch.beat_bytes);
  for (const std::unique_ptr<Unit>& unit : plan.units) {
    if (unit->offchip && unit->offchip->writes == writes) add(unit->signal, unit->offchip->beat_bytes);
  }
  return sum;
}

std::string emit_host(const Plan& plan) {
  std::string text =
      fmt::format(R"(
  logic core_rst_n, core_start, core_done, core_block_done;
  logic [31:0] core_entry;
  logic [{high}:0] core_fault;
  logic [{engines}:0] stalled;
  logic [15:0] bytes_read, bytes_written;
  assign bytes_read = {read};
  assign bytes_written = {written};

  covenant_host #(
    .MachineHash(64'h{hash:016X}),
    .NumFaults  ({faults}),
    .Alignment  ({alignment})
  ) u_host (
    .clk_i,
    .rst_ni,
)",
                  fmt::arg("engines", plan.units.size()), fmt::arg("high", plan.units.size() + 1),
                  fmt::arg("faults", plan.units.size() + 2), fmt::arg("hash", acg::machine_hash(*plan.machine)),
                  fmt::arg("alignment", plan.fetch.beat_bytes), fmt::arg("read", emit_bytes(plan, false)),
                  fmt::arg("written", emit_bytes(plan, true)));
  for (const AxiSignal& port : kHostPorts) text += fmt::format("    .{},\n", port.name);
  return text + R"(    .core_rst_no      (core_rst_n),
    .core_start_o     (core_start),
    .core_entry_o     (core_entry),
    .core_block_done_i(core_block_done),
    .core_done_i      (core_done),
    .core_fault_i     (core_fault),
    .memory_fault_i   (memory_fault),
    .memory_address_i (64'(memory_address)),
    .memory_idle_i    (&idle),
    .bytes_read_i     (bytes_read),
    .bytes_written_i  (bytes_written),
    .stalled_i        (8'($countones(stalled)))
  );
)";
}

}  // namespace

std::string emit_axi_top(const Plan& plan, const std::vector<AxiMaster>& masters, const std::string& memory_ports) {
  std::string text = fmt::format(
      "// The machine `{}` as a device: its registers, its interrupt line, its off-chip ports. Written by covenant "
      "from "
      "its\n// graph: change that, not this file.\nmodule covenant_axi_top #(\n"
      "  parameter int unsigned Outstanding = 8  // bursts of each port\n) (\n{});\n",
      plan.machine->name, emit_ports(masters));
  text += "\n" + signals_of(memory_ports) + emit_host(plan) + emit_masters(plan, masters) + R"(
  covenant_top u_top (
    .clk_i,
    .rst_ni      (core_rst_n),
    .start_i     (core_start),
    .entry_i     (core_entry),
    .done_o      (core_done),
    .block_done_o(core_block_done),
    .fault_o     (core_fault),
    .stalled_o   (stalled))";
  for (const std::string& name : names_of(memory_ports)) text += fmt::format(",\n    .{}", name);
  return text + "\n  );\n\nendmodule\n";
}

}  // namespace covenant::rtl
