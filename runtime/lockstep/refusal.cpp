#include "runtime/lockstep/refusal.h"

#include <array>
#include <exception>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "acg/lang/json.h"
#include "acg/lang/load.h"
#include "compiler/pipeline.h"
#include "compiler/srdfg/parse.h"

namespace covenant::runtime {
namespace {

constexpr std::array<const char*, 8> kNetworks{
    R"(srdfg "conv" {
  value %0 "x" u8 [1,3,5,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "w" i8 [2,3,2,1] param scales=[0x1p-7,0x1p-8] zero_points=[0,0] axis=0 data="02fe03010405fb07f809010b";
  value %2 "b" i32 [2] param data="0a000000f0ffffff";
  value %3 "y" u8 [1,2,4,4] output scales=[0x1p-5] zero_points=[5];
  inputs %0; outputs %3;
  node "n" conv(%0, %1, %2) -> (%3) { highest=255; lowest=5; pads=[0,0,0,0]; strides=[1,1]; }
})",
    R"(srdfg "gemm" {
  value %0 "x" i8 [2,3] input scales=[0x1p-5] zero_points=[1];
  value %1 "w" i8 [3,2] param scales=[0x1p-7] zero_points=[0] data="02fe03010405";
  value %2 "b" i32 [2] param data="0a000000f0ffffff";
  value %3 "y" i8 [2,2] output scales=[0x1p-5] zero_points=[5];
  inputs %0; outputs %3;
  node "n" gemm(%0, %1, %2) -> (%3) { highest=127; lowest=-128; }
})",
    R"(srdfg "add" {
  value %0 "x" u8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "z" u8 [1,3,4,4] input scales=[0x1p-6] zero_points=[9];
  value %2 "y" u8 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0, %1; outputs %2;
  node "n" add(%0, %1) -> (%2) { highest=255; lowest=0; }
})",
    R"(srdfg "mul" {
  value %0 "x" u8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "z" u8 [1,3,1,1] input scales=[0x1p-6] zero_points=[9];
  value %2 "y" u8 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0, %1; outputs %2;
  node "n" mul(%0, %1) -> (%2) { highest=255; lowest=0; }
})",
    R"(srdfg "max_pool" {
  value %0 "x" u8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" u8 [1,3,2,2] output scales=[0x1p-5] zero_points=[7];
  inputs %0; outputs %1;
  node "n" max_pool(%0) -> (%1) { kernel=[2,2]; pads=[0,0,0,0]; strides=[2,2]; }
})",
    R"(srdfg "global_average_pool" {
  value %0 "x" i8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" i8 [1,3,1,1] output scales=[0x1p-5] zero_points=[7];
  inputs %0; outputs %1;
  node "n" global_average_pool(%0) -> (%1) { highest=127; lowest=-128; }
})",
    R"(srdfg "average_pool" {
  value %0 "x" u8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" u8 [1,3,4,4] output scales=[0x1p-5] zero_points=[9];
  inputs %0; outputs %1;
  node "n" average_pool(%0) -> (%1) { highest=255; kernel=[3,3]; lowest=0; pads=[1,1,1,1]; strides=[1,1]; }
})",
    R"(srdfg "softmax" {
  value %0 "x" i8 [3,5] input scales=[0x1p-5] zero_points=[7];
  value %1 "y" i8 [3,5] output scales=[0x1p-8] zero_points=[-128];
  inputs %0; outputs %1;
  node "n" softmax(%0) -> (%1) { axis=1; highest=127; lowest=-128; }
})"};

/// A lookup of each byte's opposite.
std::string lookup_network() {
  std::string table;
  for (int entry = 255; entry >= 0; --entry) table += fmt::format("{:02x}", entry);
  return R"(srdfg "lookup" {
  value %0 "x" i8 [1,3,4,4] input scales=[0x1p-5] zero_points=[7];
  value %1 "t" i8 [256] param data=")" +
         table + R"(";
  value %2 "y" i8 [1,3,4,4] output scales=[0x1p-4] zero_points=[5];
  inputs %0; outputs %2;
  node "n" lookup(%0, %1) -> (%2) { }
})";
}

Refusal refused(Fate fate, const Diagnostic& diagnostic) { return {fate, diagnostic.code, render(diagnostic)}; }

Refusal read_and_compile(const std::string& text) {
  const Result<acg::Machine> machine =
      text.starts_with('{') ? acg::from_json(text) : acg::parse_machine(text, "broken.acg");
  if (!machine) return refused(Fate::kRead, machine.error());
  for (const compiler::srdfg::Graph& graph : probe_networks()) {
    const Result<acg::Program> program = compiler::compile_graph(graph, *machine, graph.name);
    if (!program) return refused(Fate::kCompiled, program.error());
  }
  return {};
}

}  // namespace

std::vector<compiler::srdfg::Graph> probe_networks() {
  std::vector<std::string> texts(kNetworks.begin(), kNetworks.end());
  texts.push_back(lookup_network());
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
