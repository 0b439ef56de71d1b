/// The ports that share an AXI4 master, and the parts of the device that serve them.
#include "rtl/gen/axi/axi_masters.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "acg/graph/queries.h"
#include "acg/lang/load.h"
#include "rtl/gen/generate.h"
#include "rtl/gen/make_plan.h"

namespace covenant::rtl {
namespace {

/// Beats of 128 bits, of weights of 256, of biases of 64; an edge that loads and one that loads and stores on a bus.
acg::Machine mixed() {
  acg::Machine machine = *acg::load_machine("genesys", {{"axi", "128"}, {"axi_weight", "256"}, {"axi_bias", "64"}});
  const acg::MemoryId dram = acg::find_memory(machine, "DRAM").value();
  for (const acg::Engine& engine : acg::engines(machine)) {
    if (!engine.edge) continue;
    acg::Edge& edge = machine.edges.at(*engine.edge);
    const bool is_shared =
        edge.to == acg::NodeId{acg::find_memory(machine, "WBUF").value()} ||
        edge.to == acg::NodeId{acg::find_memory(machine, "VMEM1").value()} ||
        (edge.to == acg::NodeId{dram} && edge.from == acg::NodeId{acg::find_memory(machine, "VMEM2").value()});
    if (is_shared) edge.bus = "north";
  }
  return machine;
}

std::vector<std::string> names(const std::vector<AxiPort>& ports) {
  std::vector<std::string> all;
  for (const AxiPort& port : ports) all.push_back(port.signal);
  return all;
}

/// The instance `name` in a text: from its module's name to the end of the statement.
std::string instance(const std::string& text, const std::string& name) {
  const size_t at = text.find(name + " (");
  if (at == std::string::npos) return "";
  const size_t begin = text.rfind("  covenant_", at);
  return text.substr(begin, text.find(");\n", at) - begin);
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(AxiMasters, EachPortHasItsOwnUnlessItShares) {
  const acg::Machine machine = mixed();
  const Plan made = *make_plan(machine);
  const std::vector<AxiMaster> own = axi_masters(made, AxiMasters::kPort);
  for (const AxiMaster& master : own) EXPECT_FALSE(master.is_shared()) << master.prefix;
  const std::vector<AxiMaster> one = axi_masters(made, AxiMasters::kOne);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].reads.size() + one[0].writes.size(), own.size());
  EXPECT_EQ(one[0].bytes, 32U) << "as wide as its widest port";
  EXPECT_EQ(one[0].reads[0].signal, "fetch");
  EXPECT_EQ(one[0].id_bits(), 3U);
}

TEST(AxiMasters, PortsOfABusShareOne) {
  const acg::Machine machine = mixed();
  const std::vector<AxiMaster> masters = axi_masters(*make_plan(machine), AxiMasters::kBus);
  const auto shared = std::ranges::find_if(masters, &AxiMaster::is_shared);
  ASSERT_NE(shared, masters.end());
  EXPECT_EQ(shared->prefix, "m_axi_bus_north");
  EXPECT_EQ(names(shared->reads), (std::vector<std::string>{"dram_to_wbuf", "dram_to_vmem1"}));
  EXPECT_EQ(names(shared->writes), (std::vector<std::string>{"vmem2_to_dram"}));
  EXPECT_EQ(shared->bytes, 32U);
  EXPECT_EQ(shared->id_bits(), 1U);
  EXPECT_EQ(std::ranges::count_if(masters, &AxiMaster::is_shared), 1);
}

TEST(AxiMasters, PortsThatShareHaveRoomForAnswers) {
  const acg::Machine machine = mixed();
  const std::string own = generate(machine, AxiMasters::kPort)->at("covenant_axi_top.sv");
  EXPECT_EQ(count(own, ".Shared "), 0U);
  const std::string bus = generate(machine, AxiMasters::kBus)->at("covenant_axi_top.sv");
  EXPECT_EQ(count(bus, ".Shared "), 2U);
  for (const char* name : {"u_dram_to_wbuf_master", "u_dram_to_vmem1_master"}) {
    const std::string text = instance(bus, name);
    EXPECT_EQ(count(text, ".Shared     (1'b1)"), 1U) << text;
    EXPECT_EQ(count(text, ".BurstBeats (16)"), 1U) << text;
  }
  const std::string one = generate(machine, AxiMasters::kOne)->at("covenant_axi_top.sv");
  EXPECT_EQ(count(instance(one, "u_fetch_master"), ".BurstBeats (1)"), 1U) << "it asks for single beats";
  EXPECT_EQ(count(one, ".Shared "), axi_masters(*make_plan(machine), AxiMasters::kOne)[0].reads.size());
}

TEST(AxiMasters, IdsArePlacesAmongPorts) {
  const acg::Machine machine = mixed();
  const auto files = generate(machine, AxiMasters::kBus);
  ASSERT_TRUE(files);
  const std::string& top = files->at("covenant_axi_top.sv");
  EXPECT_EQ(count(instance(top, "u_dram_to_wbuf_master"), "m_axi_bus_north_each_rvalid[0+:1]"), 1U);
  EXPECT_EQ(count(instance(top, "u_dram_to_vmem1_master"), "m_axi_bus_north_each_rvalid[1+:1]"), 1U);
  const std::string& ports = files->at("covenant_axi_ports.h");
  EXPECT_EQ(count(ports, "&top.m_axi_bus_north_arid_o, &top.m_axi_bus_north_rid_i"), 1U);
  EXPECT_EQ(count(ports, "&top.m_axi_bus_north_awid_o, &top.m_axi_bus_north_bid_i"), 1U);
  EXPECT_EQ(count(ports, "arid_o") + count(ports, "awid_o"), 2U) << "others have none";
}

}  // namespace
}  // namespace covenant::rtl
