// Random codelets on random machines: the interpreter gives the same bits before and after every pass.
// 2,000 of them, 20,000 with COVENANT_FULL=1; COVENANT_SEED chooses the first seed. So do the layers of the benchmark
// table, cropped to a few rows, columns and channels.
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "acg/lang/load.h"
#include "compiler/benchmarks/layers.h"
#include "compiler/codelet/indices.h"
#include "compiler/codelet/interpret.h"
#include "compiler/codelet/packing.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/verify.h"
#include "compiler/families/stream/double_buffer.h"
#include "compiler/library/library.h"
#include "compiler/passes/bind.h"
#include "compiler/passes/hoist.h"
#include "compiler/passes/insert_transfers.h"
#include "compiler/passes/map.h"
#include "compiler/passes/pack.h"
#include "compiler/passes/place.h"
#include "compiler/passes/route.h"
#include "compiler/passes/strip_mine.h"
#include "compiler/schedule/splits.h"
#include "tests/pass/valid_tiling/benchmark_codelet.h"
#include "tests/property/codelet/random_codelet.h"
#include "tests/support/codelet/unpadded.h"
#include "tests/support/pipeline/searched.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Bindings;
using codelet::Codelet;
using codelet::Surrogate;
using codelet::SurrogateKind;

Bindings random_inputs(const Codelet& bound, Random& random) {
  Bindings tensors;
  for (const Surrogate& surrogate : bound.surrogates) {
    if (surrogate.kind != SurrogateKind::kInp) continue;
    size_t size = bytes(surrogate.dtype.value());
    for (const int64_t extent : constants(surrogate.shape)) size *= static_cast<size_t>(extent);
    std::vector<uint8_t>& data = tensors[surrogate.name];
    data.resize(size);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random());
  }
  return tensors;
}

/// Statistics of the codelets: how often each pass ran, changed something, or refused, with which code.
struct Tally {
  std::map<std::string, int> ran;
  std::map<std::string, int> changed;
  std::map<std::string, int> refused;
};

/// One codelet on one machine.
class Case {
 public:
  Case(const Codelet& bound, const acg::Machine& machine, Random& random, Tally& tally)
      : bound_(bound), machine_(machine), tally_(tally), inputs_(random_inputs(bound, random)), expected_(inputs_) {
    const Status checked = codelet::check_indices(bound);
    EXPECT_TRUE(checked) << render(checked.error()) << print(bound);
    const Status run = codelet::interpret(bound, nullptr, expected_);
    EXPECT_TRUE(run) << render(run.error()) << print(bound);
  }

  /// Runs one pass and compares; nothing if it refuses, with a code that gives the reason.
  template <typename Pass>
  std::optional<Codelet> after(const char* name, const Codelet& before, Pass pass) {
    const Result<Codelet> made = pass(before);
    if (!made) {
      const std::set<std::string> expected{"CDL0041", "CDL0042", "CDL0050", "CDL0051",
                                           "CDL0052", "CDL0053", "CDL0060", "CDL0061"};
      EXPECT_TRUE(expected.contains(made.error().code)) << name << ": " << render(made.error()) << print(before);
      EXPECT_FALSE(made.error().fix.empty());
      ++tally_.refused[std::string(name) + " " + made.error().code];
      return std::nullopt;
    }
    ++tally_.ran[name];
    if (*made != before) ++tally_.changed[name];
    same(name, *made);
    return *made;
  }

 private:
  void same(const char* name, const Codelet& made) {
    const Status verified = codelet::verify(made, &machine_);
    ASSERT_TRUE(verified) << name << ": " << render(verified.error()) << print(bound_) << print(made);
    const Result<Codelet> again = codelet::parse(print(made), "again.cdlt");
    ASSERT_TRUE(again) << name << ": " << render(again.error()) << print(made);
    ASSERT_EQ(*again, made) << print(made);
    Bindings tensors;
    for (const Surrogate& surrogate : made.surrogates) {
      if (surrogate.kind == SurrogateKind::kInp) {
        tensors[surrogate.name] = codelet::to_packed(surrogate, inputs_.at(surrogate.name));
      }
    }
    const Status done = codelet::interpret(made, &machine_, tensors);
    ASSERT_TRUE(done) << name << ": " << render(done.error()) << print(made);
    for (const Surrogate& surrogate : made.surrogates) {
      if (surrogate.kind != SurrogateKind::kOut) continue;
      ASSERT_EQ(test::unpadded(surrogate, tensors.at(surrogate.name)), expected_.at(surrogate.name))
          << surrogate.name << " after " << name << "\n"
          << print(bound_) << print(made);
    }
  }

  const Codelet& bound_;
  const acg::Machine& machine_;
  Tally& tally_;
  Bindings inputs_;
  Bindings expected_;
};

/// The codelet with one of its best schedules.
void run_schedule(Case& one, const Codelet& packed, const acg::Machine& machine, const std::vector<Part>& parts) {
  const auto mined = one.after("strip_mine", packed,
                               [&](const Codelet& c) -> Result<Codelet> { return strip_mine(c, machine, parts); });
  const auto moved = one.after("insert_transfers", *mined,
                               [&](const Codelet& c) -> Result<Codelet> { return insert_transfers(c, machine); });
  const auto hoisted = one.after("hoist", *moved, [](const Codelet& c) -> Result<Codelet> { return hoist(c); });
  one.after("double_buffer", *hoisted, [&](const Codelet& c) { return stream::double_buffer(c, machine); });
}

/// Tiles of a second level: of loops that index every result, any factor of the first. A sum that is continued from
/// tile to tile cannot leave the second level in between.
Part with_a_second_level(Part part, Random& random) {
  part.inner = {part.tiling};
  for (size_t loop = part.problem.shared; loop < part.tiling.size(); ++loop) {
    if (part.problem.loops[loop].tiles(part.tiling[loop]) > 1) return part;
  }
  for (size_t loop = 0; loop < part.problem.shared; ++loop) {
    int64_t& size = part.inner.front()[loop];
    const int64_t wanted = std::uniform_int_distribution<int64_t>(1, size)(random);
    while (size > wanted || part.tiling[loop] % size != 0) --size;
  }
  return part;
}

/// From a bound codelet to a scheduled one.
void run_passes(const Codelet& bound, const acg::Machine& machine, Random& random, Tally& tally) {
  Case one(bound, machine, random, tally);
  const auto placed = one.after("place", bound, [&](const Codelet& c) { return place(c, machine); });
  const auto routed = one.after("route", placed.value(), [&](const Codelet& c) { return route(c, machine); });
  const auto mapped = one.after("map", routed.value(), [&](const Codelet& c) { return map(c, machine); });
  if (!mapped) return;
  const auto packed = one.after("pack", *mapped, [&](const Codelet& c) { return pack(c, machine); });
  if (!packed) return;
  std::vector<Schedule> best;
  TileProblem problem;
  one.after("schedules", *packed, [&](const Codelet& c) -> Result<Codelet> {
    const Result<ScheduleSearch> found = test::schedules(c, machine);
    if (!found) return found.error();
    problem = found->problem;
    best = found->simulated;
    return c;
  });
  if (best.empty()) return;
  run_schedule(one, *packed, machine, parts_of(problem, best.front()));
  std::vector<Part> parts = parts_of(problem, best[std::uniform_int_distribution<size_t>(0, best.size() - 1)(random)]);
  for (Part& part : parts) part = with_a_second_level(std::move(part), random);
  run_schedule(one, *packed, machine, parts);
}

uint64_t first_seed() {
  const char* given = std::getenv("COVENANT_SEED");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

void print_tally(Tally& tally) {
  for (const auto& [pass, times] : tally.ran) {
    std::printf("  %s: %d, changed %d\n", pass.c_str(), times, tally.changed[pass]);
  }
  for (const auto& [code, times] : tally.refused) std::printf("  refused by %s: %d\n", code.c_str(), times);
}

void run_all(RandomMachine (*draw)(Random&), const std::vector<std::string>& must_change) {
  const uint64_t count = std::getenv("COVENANT_FULL") == nullptr ? 1000 : 10000;
  const uint64_t first = first_seed();
  Tally tally;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("COVENANT_SEED=" + std::to_string(seed));
    Random random(seed);
    const RandomMachine drawn = draw(random);
    const Codelet bound = random_codelet(random, drawn.abilities);
    run_passes(bound, drawn.machine, random, tally);
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("COVENANT_SEED=%llu to %llu\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1));
  print_tally(tally);
  // A test in which a pass never does anything proves nothing about it.
  for (const std::string& pass : must_change) EXPECT_GT(tally.changed[pass], static_cast<int>(count / 100)) << pass;
}

Codelet benchmark_codelet(const BenchmarkLayer& layer) {
  const bool is_gemm = layer.kind == BenchmarkKind::kGemm;
  const Result<Codelet> source = library_codelet(is_gemm ? "gemm_sums" : "conv_sums");
  const Result<Codelet> bound = source ? bind(*source, benchmark_params(layer, true)) : source;
  if (!bound) throw std::runtime_error(render(bound.error()));
  return *bound;
}

TEST(BenchmarkLayers, KeepTheirMeaning) {
  const uint64_t first = first_seed();
  const std::vector<BenchmarkLayer> layers = benchmark_layers();
  ASSERT_EQ(layers.size(), 17U);
  const Crop crop{.heads = 2,
                  .m = 3,
                  .k = 37,
                  .n = 19,
                  .output_rows = 3,
                  .output_columns = 4,
                  .in_channels = 11,
                  .out_channels = 13};
  Tally tally;
  for (const BenchmarkLayer& layer : layers) {
    const Codelet bound = benchmark_codelet(cropped(layer, crop));
    for (uint64_t seed = first; seed < first + 6; ++seed) {
      SCOPED_TRACE(layer.name + ", COVENANT_SEED=" + std::to_string(seed));
      Random random(seed);
      run_passes(bound, random_described_machine(random).machine, random, tally);
      run_passes(bound, random_genesys_machine(random).machine, random, tally);
      if (HasFailure()) return;
    }
  }
  print_tally(tally);
  const int runs = 17 * 6 * 2;
  EXPECT_GT(tally.ran["insert_transfers"], runs / 2);
  EXPECT_GT(tally.ran["hoist"], runs / 2);
}

/// Three nodes at one scratchpad; what the first two of them can do.
acg::Machine machine_of_nodes(const std::string& first, const std::string& second) {
  const std::string text =
      "acg nodes {\n  memory D { kind = offchip; depth = 1M; }\n  memory S { data_width = 8; depth = 2K; }\n"
      "  edge D <-> S { bandwidth = 64; }\n  compute A { unit = described; " +
      first + " }\n  compute B { unit = described; " + second +
      " }\n  compute C { unit = described; (i16,1) = SUB((i16,1),(i16,1)); (i16,1) = MIN((i16,1),(i16,1)); }\n"
      "  edge S <-> A;\n  edge S <-> B;\n  edge S <-> C;\n}\n";
  const Result<acg::Machine> machine = acg::parse_machine(text, "nodes.acg");
  if (!machine) throw std::runtime_error(render(machine.error()) + text);
  return *machine;
}

TEST(Codelets, KeepTheirMeaningWithTilesThatSeveralNodesUse) {
  const std::string move = "(i16,1) = MOVE((i16,1)); ";
  const std::string relu = "(i16,1) = RELU((i16,1)); ";
  const std::string add = "(i16,1) = ADD((i16,1),(i16,1)); ";
  const std::string text =
      "cdlt several {\n  x=inp([6,40],i16,null);\n  a=local([6,40],i16,null);\n  b=local([6,40],i16,null);\n"
      "  c=local([6,40],i16,null);\n  y=out([6,40],i16,null);\n  loop i(6) {\n    loop j(40) {\n"
      "      a[i,j]=compute(null,\"MOVE\",x[i,j]);\n      b[i,j]=compute(null,\"RELU\",a[i,j]);\n"
      "      c[i,j]=compute(null,\"ADD\",x[i,j],b[i,j]);\n      y[i,j]=compute(null,\"SUB\",c[i,j],a[i,j]);\n"
      "    }\n  }\n}\n";
  const Result<Codelet> bound = codelet::parse(text, "several.cdlt");
  ASSERT_TRUE(bound) << render(bound.error());
  Random random(first_seed());
  Tally tally;
  run_passes(*bound, machine_of_nodes(move + add, relu), random, tally);  // A reads again what B reads too
  run_passes(*bound, machine_of_nodes(move, relu + add), random, tally);  // x and a go to two nodes
  run_passes(*bound, machine_of_nodes(move + relu, add), random, tally);
  print_tally(tally);
  EXPECT_EQ(tally.ran["hoist"], 6);
}

TEST(RandomCodelets, KeepTheirMeaningOnDescribedMachines) {
  run_all(random_described_machine, {"map", "strip_mine", "insert_transfers", "hoist", "double_buffer"});
}

TEST(RandomCodelets, KeepTheirMeaningOnGenesys) {
  run_all(random_genesys_machine, {"map", "route", "strip_mine", "insert_transfers", "hoist", "double_buffer"});
}

}  // namespace
}  // namespace covenant::compiler::testing
