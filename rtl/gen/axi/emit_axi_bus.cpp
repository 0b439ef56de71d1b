#include <fmt/format.h>

#include "rtl/gen/axi/emit_axi.h"
#include "rtl/gen/common/sv_text.h"

namespace covenant::rtl {
namespace {

/// Most beats of a burst of an engine's port (docs/reference/off-chip-port.md); the fetch unit requests single beats.
constexpr uint32_t kLongestBurst = 16;

/// Which of the ports behind a shared master are connected to a signal.
enum class Share : uint8_t {
  kEach,  ///< each has one of its own, through the mux
  kAll,   ///< all see the same
  kId,    ///< only the mux; the signal does not exist without one
};

struct Signal {
  bool is_input;
  uint32_t bits;
  std::string_view name;
  Share share = Share::kEach;
};

/// The signals of a master in one direction, as those of covenant_axi_read and covenant_axi_write are.
std::vector<Signal> signals_of(bool writes, uint32_t bytes, uint32_t id_bits) {
  if (!writes) {
    return {{false, 1, "arvalid_o"},
            {true, 1, "arready_i"},
            {false, id_bits, "arid_o", Share::kId},
            {false, 32, "araddr_o"},
            {false, 8, "arlen_o"},
            {false, 3, "arsize_o"},
            {false, 2, "arburst_o"},
            {true, 1, "rvalid_i"},
            {false, 1, "rready_o"},
            {true, id_bits, "rid_i", Share::kId},
            {true, bytes * 8, "rdata_i", Share::kAll},
            {true, 2, "rresp_i", Share::kAll},
            {true, 1, "rlast_i", Share::kAll}};
  }
  return {{false, 1, "awvalid_o"},
          {true, 1, "awready_i"},
          {false, id_bits, "awid_o", Share::kId},
          {false, 32, "awaddr_o"},
          {false, 8, "awlen_o"},
          {false, 3, "awsize_o"},
          {false, 2, "awburst_o"},
          {false, 1, "wvalid_o"},
          {true, 1, "wready_i"},
          {false, bytes * 8, "wdata_o"},
          {false, bytes, "wstrb_o"},
          {false, 1, "wlast_o"},
          {true, 1, "bvalid_i"},
          {false, 1, "bready_o"},
          {true, id_bits, "bid_i", Share::kId},
          {true, 2, "bresp_i", Share::kAll}};
}

std::string_view stem(std::string_view name) { return name.substr(0, name.size() - 2); }

/// The ports of a master in one direction.
struct Side {
  const AxiMaster& master;
  bool writes;
  const std::vector<AxiPort>& ports() const { return writes ? master.writes : master.reads; }
  std::vector<Signal> signals() const { return signals_of(writes, master.bytes, master.id_bits()); }
};

/// The net that port `number` of a side connects to a signal.
std::string connected(const Side& side, const Signal& signal, size_t number) {
  const std::string own = fmt::format("{}_{}", side.master.prefix, signal.name);
  if (!side.master.is_shared() || signal.share == Share::kAll) return own;
  return fmt::format("{}_each_{}[{}+:{}]", side.master.prefix, stem(signal.name), number * signal.bits, signal.bits);
}

std::string emit_port(const Side& side, size_t number) {
  const AxiPort& port = side.ports()[number];
  const bool is_fetch = port.signal == "fetch";
  const std::string shared =
      side.master.is_shared() && !port.writes
          ? fmt::format(",\n    .BurstBeats ({}),\n    .Shared     (1'b1)", is_fetch ? 1U : kLongestBurst)
          : "";
  std::string text = fmt::format(R"(
  covenant_axi_{kind} #(
    .BeatBytes  ({bytes}),
    .BusBytes   ({bus}),
    .Outstanding(Outstanding){shared}
  ) u_{s}_master (
    .clk_i,
    .rst_ni,
    .clear_i        (!core_rst_n),
    .idle_o         (idle[{at}]),
    .fault_o        (memory_fault[{at}]),
    .fault_address_o({s}_fault_address),
)",
                                 fmt::arg("kind", port.writes ? "write" : "read"), fmt::arg("bytes", port.bytes),
                                 fmt::arg("bus", side.master.bytes), fmt::arg("shared", shared),
                                 fmt::arg("s", port.signal), fmt::arg("at", port.number));
  if (port.writes) {
    text += fmt::format(R"(    .burst_valid_i  ({0}_write_burst_valid_o),
    .burst_address_i({0}_write_burst_address_o),
    .burst_beats_i  ({0}_write_burst_beats_o),
    .ready_o        ({0}_write_ready_i),
    .write_valid_i  ({0}_write_valid_o),
    .write_data_i   ({0}_write_data_o),
    .write_strobe_i ({0}_write_strobe_o),
    .written_o      ({0}_written_i),
    .written_ready_i({0}_written_ready_o))",
                        port.signal);
  } else {
    text += fmt::format(R"(    .burst_valid_i  ({0}_read_valid_o{1}),
    .burst_address_i({0}_read_address_o),
    .burst_beats_i  ({2}),
    .burst_ready_o  ({0}_read_ready_i),
    .answer_valid_o ({0}_answer_valid_i),
    .answer_ready_i ({0}_answer_ready_o),
    .answer_wanted_i({3}),
    .answer_data_o  ({0}_read_data_i))",
                        port.signal, is_fetch ? " && fetch_read_ready_i" : "",
                        is_fetch ? "5'd1" : port.signal + "_read_beats_o", is_fetch ? "fetch_answer_wanted_o" : "1'b1");
  }
  for (const Signal& signal : side.signals()) {
    if (signal.share != Share::kId) text += fmt::format(",\n    .{}({})", signal.name, connected(side, signal, number));
  }
  return text + "\n  );\n";
}

/// The mux before the ports of a shared master: on their side its signals are the other way round.
std::string emit_mux(const Side& side) {
  std::string wires;
  std::string text = fmt::format(
      "\n  covenant_axi_{0}_mux #(\n    .Masters({1}),\n    .IdWidth({2}){3}\n  ) u_{4}_{0}_mux (\n    .clk_i,\n"
      "    .rst_ni",
      side.writes ? "write" : "read", side.ports().size(), side.master.id_bits(),
      side.writes ? fmt::format(",\n    .BusBytes({})", side.master.bytes) : "", side.master.prefix);
  for (const Signal& signal : side.signals()) {
    if (signal.share == Share::kAll) continue;
    if (signal.share == Share::kEach) {
      const std::string each = fmt::format("{}_each_{}", side.master.prefix, stem(signal.name));
      wires += fmt::format("  logic {} {};\n", vector_of(signal.bits * side.ports().size()), each);
      text += fmt::format(",\n    .{}_{}({})", stem(signal.name), signal.is_input ? "o" : "i", each);
    }
    text += fmt::format(",\n    .{}({}_{})", signal.name, side.master.prefix, signal.name);
  }
  return "\n" + wires + text + "\n  );\n";
}

std::string emit_side(const Side& side) {
  if (side.ports().empty()) return "";
  std::string text = side.master.is_shared() ? emit_mux(side) : "";
  for (size_t number = 0; number < side.ports().size(); ++number) text += emit_port(side, number);
  return text;
}

}  // namespace

std::string declared(const AxiSignal& signal, std::string_view prefix) {
  return fmt::format("  {} logic {}{}{},\n", signal.is_input ? "input " : "output",
                     signal.bits == 1 ? "" : vector_of(signal.bits) + " ", prefix, signal.name);
}

std::string emit_axi_ports(const std::vector<AxiMaster>& masters) {
  std::string text;
  for (const AxiMaster& master : masters) {
    for (const Side& side : {Side{master, false}, Side{master, true}}) {
      if (side.ports().empty()) continue;
      for (const Signal& signal : side.signals()) {
        if (signal.share == Share::kId && !master.is_shared()) continue;
        text += declared({signal.is_input, signal.bits, signal.name}, master.prefix + "_");
      }
    }
  }
  return text;
}

std::string emit_axi_masters(const std::vector<AxiMaster>& masters) {
  std::string text;
  for (const AxiMaster& master : masters) text += emit_side({master, false}) + emit_side({master, true});
  return text;
}

}  // namespace covenant::rtl
