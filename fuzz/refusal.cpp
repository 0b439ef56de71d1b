#include "fuzz/refusal.h"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/graph/numerics.h"
#include "acg/lang/json.h"
#include "acg/lang/load.h"
#include "compiler/driver/pipeline.h"
#include "compiler/srdfg/parse.h"

namespace covenant::runtime {
namespace {

/// Networks with the narrowest elements, which machines with wider ones accept, too.
constexpr std::array<const char*, 7> kNetworks{
    R"(srdfg "conv" {
  value %0 "x" u4 [1,3,5,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "w" i4 [2,3,2,1] param scales=[0x1p-7,0x1p-8] zero_points=[0,0] axis=0 data="02fe03010405fb07f8060103";
  value %2 "b" i32 [2] param data="0a000000f0ffffff";
  value %3 "y" u4 [1,2,4,4] output scales=[0x1p-5] zero_points=[5];
  inputs %0; outputs %3;
  node "n" conv(%0, %1, %2) -> (%3) { highest=15; lowest=5; pads=[0,0,0,0]; strides=[1,1]; }
})",
    R"(srdfg "gemm" {
  value %0 "x" i4 [2,3] input scales=[0x1p-5] zero_points=[1];
  value %1 "w" i4 [3,2] param scales=[0x1p-7] zero_points=[0] data="02fe03010405";
  value %2 "b" i32 [2] param data="0a000000f0ffffff";
  value %3 "y" i4 [2,2] output scales=[0x1p-5] zero_points=[5];
  inputs %0; outputs %3;
  node "n" gemm(%0, %1, %2) -> (%3) { highest=7; lowest=-8; }
})",
    R"(srdfg "add" {
  value %0 "x" u4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "z" u4 [1,3,4,4] input scales=[0x1p-6] zero_points=[9];
  value %2 "y" u4 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0, %1; outputs %2;
  node "n" add(%0, %1) -> (%2) { highest=15; lowest=0; }
})",
    R"(srdfg "mul" {
  value %0 "x" u4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "z" u4 [1,3,1,1] input scales=[0x1p-6] zero_points=[9];
  value %2 "y" u4 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0, %1; outputs %2;
  node "n" mul(%0, %1) -> (%2) { highest=15; lowest=0; }
})",
    R"(srdfg "max_pool" {
  value %0 "x" u4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" u4 [1,3,2,2] output scales=[0x1p-5] zero_points=[7];
  inputs %0; outputs %1;
  node "n" max_pool(%0) -> (%1) { kernel=[2,2]; pads=[0,0,0,0]; strides=[2,2]; }
})",
    R"(srdfg "global_average_pool" {
  value %0 "x" i4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" i4 [1,3,1,1] output scales=[0x1p-5] zero_points=[7];
  inputs %0; outputs %1;
  node "n" global_average_pool(%0) -> (%1) { highest=7; lowest=-8; }
})",
    R"(srdfg "average_pool" {
  value %0 "x" u4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" u4 [1,3,4,4] output scales=[0x1p-5] zero_points=[9];
  inputs %0; outputs %1;
  node "n" average_pool(%0) -> (%1) { highest=15; kernel=[3,3]; lowest=0; pads=[1,1,1,1]; strides=[1,1]; }
})"};

/// Those that go by a table of all values of an element.
constexpr std::array<const char*, 2> kTableNetworks{
    R"(srdfg "softmax" {
  value %0 "x" i4 [3,5] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" i4 [3,5] output scales=[0x1p-4] zero_points=[-8];
  inputs %0; outputs %1;
  node "n" softmax(%0) -> (%1) { axis=1; highest=7; lowest=-8; }
})",
    R"(srdfg "lookup" {
  value %0 "x" i4 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "t" i4 [16] param data="fffefdfcfbfaf9f80706050403020100";
  value %2 "y" i4 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0; outputs %2;
  node "n" lookup(%0, %1) -> (%2) { }
})"};
constexpr uint32_t kMostTableBits = 8;  // most bits of the elements of a machine that holds such a table

Refusal refused(Fate fate, const Diagnostic& diagnostic) { return {fate, diagnostic.code, render(diagnostic)}; }

Refusal read_and_compile(const std::string& text) {
  const Result<acg::Machine> machine =
      text.starts_with('{') ? acg::from_json(text) : acg::parse_machine(text, "broken.acg");
  if (!machine) return refused(Fate::kRead, machine.error());
  for (const compiler::srdfg::Graph& graph : probe_networks(*machine)) {
    const Result<acg::Program> program = compiler::compile_graph(graph, *machine, graph.name);
    if (!program) return refused(Fate::kCompiled, program.error());
  }
  return {};
}

}  // namespace

std::vector<compiler::srdfg::Graph> probe_networks(const acg::Machine& machine) {
  std::vector<std::string> texts(kNetworks.begin(), kNetworks.end());
  const std::vector<DType> elements = acg::element_dtypes(machine);
  const bool is_wide =
      !elements.empty() && std::ranges::all_of(elements, [](DType dtype) { return bits(dtype) > kMostTableBits; });
  if (!is_wide) texts.insert(texts.end(), kTableNetworks.begin(), kTableNetworks.end());
  std::vector<compiler::srdfg::Graph> networks;
  for (const std::string& text : texts) {
    Result<compiler::srdfg::Graph> graph = compiler::srdfg::parse(text);
    check(static_cast<bool>(graph), graph ? "" : "a probe network is wrong: " + render(graph.error()));
    networks.push_back(*std::move(graph));
  }
  return networks;
}

const char* name(Fate fate) {
  switch (fate) {
    case Fate::kRead:
      return "read";
    case Fate::kCompiled:
      return "compiled";
    case Fate::kAccepted:
      return "accepted";
    case Fate::kInternal:
      break;
  }
  return "internal";
}

Refusal refusal_of(const std::string& text) {
  try {
    return read_and_compile(text);
  } catch (const std::exception& error) {  // whatever it is: no machine may cause one
    return {Fate::kInternal, "", error.what()};
  }
}

}  // namespace covenant::runtime
