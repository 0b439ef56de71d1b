// The valid tilings of every benchmark layer on five machines are those of an independent brute force.
#include <algorithm>
#include <gtest/gtest.h>

#include "acg/lang/load.h"
#include "compiler/codelet/parse.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/map.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "tests/pass/valid_tiling/algorithm_1.h"
#include "tests/pass/valid_tiling/benchmark_codelet.h"
#include "tests/pass/valid_tiling/brute_force.h"
#include "tests/support/acg/taken.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using test::taken;

// The paper's HVX takes the matrix first, and unsigned bytes: its layers are written for it.
const char* const kHvxGemm = R"(cdlt gemm {
  G=param(); N=param(); K=param(); O=param();
  x=inp([G,N,K],u8,null); w=inp([G,O,K],u8,null); b=inp([G,O],i32,null); y=out([G,N,O],i32,null);
  loop g(G) { loop n(N) { loop o(O) { loop k(K) {
    y[g,n,o]=compute(null,"GEMM",w[g,o,k],x[g,n,k],b[g,o]);
  } } } }
})";

const char* const kHvxConv = R"(cdlt conv {
  N=param(); IH=param(); IW=param(); IC=param(); OH=param(); OW=param(); OC=param();
  KH=param(); KW=param(); SH=param(); SW=param(); DH=param(); DW=param(); PT=param(); PL=param(); ZX=param();
  x=inp([N,IH,IW,IC],u8,null,fill=ZX); w=inp([KH,KW,OC,IC],u8,null); b=inp([OC],i32,null); y=out([N,OH,OW,OC],i32,null);
  loop n(N) { loop oc(OC) { loop oh(OH) { loop ow(OW) { loop ic(IC) { loop kh(KH) { loop kw(KW) {
    y[n,oh,ow,oc]=compute(null,"GEMM",w[kh,kw,oc,ic],x[n,oh*SH+kh*DH-PT,ow*SW+kw*DW-PL,ic],b[oc]);
  } } } } } } }
})";

std::set<NamedTiling> by_the_pass(const BenchmarkLayer& layer, const acg::Machine& machine, bool is_hvx) {
  const bool is_gemm = layer.kind == BenchmarkKind::kGemm;
  const Codelet source = is_hvx ? taken(codelet::parse(is_gemm ? kHvxGemm : kHvxConv, "hvx.cdlt"))
                                : taken(library_codelet(is_gemm ? "gemm_sums" : "conv_sums"));
  const Codelet placed = taken(place(taken(bind(source, benchmark_params(layer, !is_hvx))), machine));
  const Codelet mapped = taken(map(taken(route(placed, machine)), machine));
  const TilingSpace space = taken(tiling_space(mapped, mapped, machine));
  std::set<NamedTiling> named;
  for (const Tiling& tiling : valid_tiling(space, machine)) {
    NamedTiling one;
    for (size_t i = 0; i < tiling.size(); ++i) one[space.loops[i].variable] = tiling[i];
    EXPECT_TRUE(named.insert(one).second) << "a tiling counts once";
  }
  return named;
}

/// An address selects one register of 1,024 bits instead of one of every bank.
void one_register_at_a_time(acg::Machine& machine) {
  for (acg::Memory& memory : machine.memories) {
    if (memory.name == "VRF") memory.granularity = memory.data_width / static_cast<uint32_t>(memory.banks);
  }
}

class EveryLayer : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryLayer, IsTiledAsByBruteForce) {
  const std::string name = GetParam();
  const bool is_hvx = name.starts_with("hvx_paper");
  acg::Machine machine = taken(acg::load_machine(name.substr(0, name.find('+'))));
  if (name == "hvx_paper+registers") one_register_at_a_time(machine);
  const std::vector<BenchmarkLayer> layers = benchmark_layers();
  ASSERT_EQ(layers.size(), 17U);
  size_t total = 0;
  for (const BenchmarkLayer& layer : layers) {
    const std::set<NamedTiling> made = by_the_pass(layer, machine, is_hvx);
    EXPECT_EQ(made, brute_force(layer, product_machine(name))) << layer.name;
    std::printf("%s %s: %zu tilings\n", name.c_str(), layer.name.c_str(), made.size());
    total += made.size();
  }
  // To the letter of the paper's Table 3, an element of VRF is 32 banks x 1,024 bits: 4 KiB, a whole number of which no
  // tile can be whose vectors and sums fit 512 bytes of GRF. As a file of registers it has tilings.
  EXPECT_EQ(total == 0, name == "hvx_paper");
}

INSTANTIATE_TEST_SUITE_P(Machines, EveryLayer,
                         ::testing::Values("dnnweaver", "genesys:03", "genesys:07", "genesys:09", "hvx_paper",
                                           "hvx_paper+registers"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace_if(name.begin(), name.end(), [](char c) { return c == ':' || c == '+'; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace covenant::compiler::testing
