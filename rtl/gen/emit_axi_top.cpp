#include <array>
#include <fmt/format.h>
#include <vector>

#include "acg/lang/machine_hash.h"
#include "rtl/gen/emit.h"

namespace covenant::rtl {
namespace {

/// The registers' ports, as those of covenant_host are: direction, bits, name.
struct Port {
  bool is_input;
  uint32_t bits;
  std::string_view name;
};
constexpr std::array<Port, 20> kHostPorts{{
    {true, 1, "s_axil_awvalid"},  {false, 1, "s_axil_awready"}, {true, 12, "s_axil_awaddr"},
    {true, 3, "s_axil_awprot"},   {true, 1, "s_axil_wvalid"},   {false, 1, "s_axil_wready"},
    {true, 32, "s_axil_wdata"},   {true, 4, "s_axil_wstrb"},    {false, 1, "s_axil_bvalid"},
    {true, 1, "s_axil_bready"},   {false, 2, "s_axil_bresp"},   {true, 1, "s_axil_arvalid"},
    {false, 1, "s_axil_arready"}, {true, 12, "s_axil_araddr"},  {true, 3, "s_axil_arprot"},
    {false, 1, "s_axil_rvalid"},  {true, 1, "s_axil_rready"},   {false, 32, "s_axil_rdata"},
    {false, 2, "s_axil_rresp"},   {false, 1, "irq_o"},
}};

/// The names of ports, as they stand in a list of them.
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

/// A master's ports, as those of covenant_axi_read and covenant_axi_write are, for beats of so many bytes.
std::vector<Port> bus_ports(bool writes, uint32_t bytes) {
  if (!writes) {
    return {{false, 1, "arvalid_o"},      {true, 1, "arready_i"},  {false, 32, "araddr_o"}, {false, 8, "arlen_o"},
            {false, 3, "arsize_o"},       {false, 2, "arburst_o"}, {true, 1, "rvalid_i"},   {false, 1, "rready_o"},
            {true, bytes * 8, "rdata_i"}, {true, 2, "rresp_i"},    {true, 1, "rlast_i"}};
  }
  return {{false, 1, "awvalid_o"},       {true, 1, "awready_i"},    {false, 32, "awaddr_o"}, {false, 8, "awlen_o"},
          {false, 3, "awsize_o"},        {false, 2, "awburst_o"},   {false, 1, "wvalid_o"},  {true, 1, "wready_i"},
          {false, bytes * 8, "wdata_o"}, {false, bytes, "wstrb_o"}, {false, 1, "wlast_o"},   {true, 1, "bvalid_i"},
          {false, 1, "bready_o"},        {true, 2, "bresp_i"}};
}

/// One master: the signals of its port in the machine begin with `signal`, its ports with `m_axi_` and that.
struct Master {
  std::string signal;
  bool writes;
  uint32_t bytes;
  size_t fault;  ///< place in memory_fault
};

std::vector<Master> masters(const Plan& plan) {
  std::vector<Master> all{{"fetch", false, plan.fetch_bytes, plan.engines.size()}};
  for (size_t e = 0; e < plan.engines.size(); ++e) {
    const EnginePlan& engine = plan.engines[e];
    if (is_offchip(engine)) all.push_back({engine.signal, engine.kind == EngineKind::kStore, engine.beat_bytes, e});
  }
  return all;
}

std::string declared(const Port& port, std::string_view prefix) {
  return fmt::format("  {} logic {}{}{},\n", port.is_input ? "input " : "output",
                     port.bits == 1 ? "" : vector_of(port.bits) + " ", prefix, port.name);
}

std::string emit_ports(const Plan& plan) {
  std::string text =
      "  input  logic clk_i,\n  input  logic rst_ni,\n  // Registers (docs/reference/registers.md) and the interrupt "
      "line.\n";
  for (const Port& port : kHostPorts) text += declared(port, "");
  text += "  // Off-chip memory: an AXI4 master of each port, of one id.\n";
  for (const Master& master : masters(plan)) {
    for (const Port& port : bus_ports(master.writes, master.bytes))
      text += declared(port, fmt::format("m_axi_{}_", master.signal));
  }
  text.erase(text.rfind(','), 1);
  return text;
}

std::string emit_master(const Master& master) {
  const bool is_fetch = master.signal == "fetch";
  std::string text = fmt::format(R"(
  covenant_axi_{kind} #(
    .BeatBytes  ({bytes}),
    .Outstanding(Outstanding)
  ) u_{s}_master (
    .clk_i,
    .rst_ni,
    .clear_i        (!core_rst_n),
    .idle_o         (idle[{at}]),
    .fault_o        (memory_fault[{at}]),
    .fault_address_o({s}_fault_address),
)",
                                 fmt::arg("kind", master.writes ? "write" : "read"), fmt::arg("bytes", master.bytes),
                                 fmt::arg("s", master.signal), fmt::arg("at", master.fault));
  if (master.writes) {
    text += fmt::format(R"(    .burst_valid_i  ({0}_write_burst_valid_o),
    .burst_address_i({0}_write_burst_address_o),
    .burst_beats_i  ({0}_write_burst_beats_o),
    .ready_o        ({0}_write_ready_i),
    .write_valid_i  ({0}_write_valid_o),
    .write_data_i   ({0}_write_data_o),
    .write_strobe_i ({0}_write_strobe_o),
    .written_o      ({0}_written_i),
    .written_ready_i({0}_written_ready_o))",
                        master.signal);
  } else {
    text +=
        fmt::format(R"(    .burst_valid_i  ({0}_read_valid_o{1}),
    .burst_address_i({0}_read_address_o),
    .burst_beats_i  ({2}),
    .burst_ready_o  ({0}_read_ready_i),
    .answer_valid_o ({0}_answer_valid_i),
    .answer_ready_i ({0}_answer_ready_o),
    .answer_wanted_i({3}),
    .answer_data_o  ({0}_read_data_i))",
                    master.signal, is_fetch ? " && fetch_read_ready_i" : "",
                    is_fetch ? "5'd1" : master.signal + "_read_beats_o", is_fetch ? "fetch_answer_wanted_o" : "1'b1");
  }
  for (const Port& port : bus_ports(master.writes, master.bytes))
    text += fmt::format(",\n    .{}(m_axi_{}_{})", port.name, master.signal, port.name);
  return text + "\n  );\n";
}

/// The masters, which of them have failed, and where.
std::string emit_masters(const Plan& plan) {
  std::string text = fmt::format(
      "\n  // One bit for each engine, then the fetch unit, then one that no memory sets, as fault_o of the machine.\n"
      "  logic [{}:0] memory_fault, idle;\n  logic [31:0] memory_address;\n",
      plan.engines.size() + 1);
  std::string places = "  always_comb begin\n    memory_address = '0;\n";
  std::vector<bool> has_master(plan.engines.size() + 2);
  for (const Master& master : masters(plan)) {
    text += wire(32, master.signal + "_fault_address");
    places +=
        fmt::format("    if (memory_fault[{}]) memory_address = {}_fault_address;\n", master.fault, master.signal);
    has_master[master.fault] = true;
  }
  for (size_t k = 0; k < has_master.size(); ++k) {
    if (!has_master[k]) text += fmt::format("  assign memory_fault[{0}] = 1'b0;\n  assign idle[{0}] = 1'b1;\n", k);
  }
  text += places + "  end\n";
  for (const Master& master : masters(plan)) text += emit_master(master);
  return text;
}

/// Bytes that move in this cycle, over all ports in one direction.
std::string emit_bytes(const Plan& plan, bool writes) {
  std::string sum = "16'd0";
  const auto add = [&](const std::string& signal, uint32_t bytes) {
    const std::string moves =
        writes ? signal + "_write_valid_o" : fmt::format("{0}_answer_valid_i && {0}_answer_ready_o", signal);
    sum += fmt::format("\n    + ({} ? 16'd{} : 16'd0)", moves, bytes);
  };
  if (!writes) add("fetch", plan.fetch_bytes);
  for (const EnginePlan& engine : plan.engines) {
    if (engine.kind == (writes ? EngineKind::kStore : EngineKind::kLoad)) add(engine.signal, engine.beat_bytes);
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
                  fmt::arg("engines", plan.engines.size() - 1), fmt::arg("high", plan.engines.size() + 1),
                  fmt::arg("faults", plan.engines.size() + 2), fmt::arg("hash", acg::machine_hash(*plan.machine)),
                  fmt::arg("alignment", plan.fetch_bytes), fmt::arg("read", emit_bytes(plan, false)),
                  fmt::arg("written", emit_bytes(plan, true)));
  for (const Port& port : kHostPorts) text += fmt::format("    .{},\n", port.name);
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

std::string emit_axi_top(const Plan& plan) {
  const std::string memory_ports = emit_memory_ports(plan);
  std::string text = fmt::format(
      "// The machine `{}` as a device: its registers, its interrupt line, its off-chip ports. Written by covenant "
      "from "
      "its\n// graph: change that, not this file.\nmodule covenant_axi_top #(\n"
      "  parameter int unsigned Outstanding = 8  // bursts of each master\n) (\n{});\n",
      plan.machine->name, emit_ports(plan));
  text += "\n" + signals_of(memory_ports) + emit_host(plan) + emit_masters(plan) + R"(
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
