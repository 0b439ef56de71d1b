// A compiled machine is the evaluator: replies, diagnostics, cycles and all state after every command of drawn streams.
// COVENANT_FULL=1 draws 10,000 streams for each machine.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/check.h"
#include "acg/behaviour/evaluator.h"
#include "acg/behaviour/load.h"
#include "runtime/commands/adaptive_engine.h"
#include "runtime/commands/native_engine.h"
#include "tests/property/behaviour/drawn_machine.h"
#include "tests/property/behaviour/streams.h"
#include "tests/support/folders.h"
#include "tests/support/seed.h"

namespace covenant::acg {
namespace {

using behaviour::Behaviour;
using behaviour::Evaluator;
using testing::Action;
using Settings = std::vector<std::pair<std::string, std::string>>;

/// Actions in a row that are refused, after which a stream ends.
constexpr int kMostRefused = 5;

/// Bytes of states that are compared after each action; larger ones are after some, and in the end.
constexpr int64_t kSmall = 1 << 16;
constexpr int64_t kAll = std::numeric_limits<int64_t>::max();

int streams_of(int quick) { return std::getenv("COVENANT_FULL") == nullptr ? quick : 10'000; }

std::string cache() { return rtl_models_folder() + "/../machines"; }

runtime::NativeLibrary compiled(const Behaviour& behaviour) {
  Result<runtime::NativeLibrary> library = runtime::build_native(behaviour, {.cache = cache()});
  check(static_cast<bool>(library), library ? "" : render(library.error()));
  return *std::move(library);
}

/// Diagnostics that streams have met, and how often.
using Met = std::map<std::string, int>;

void count(const std::string& answer, Met& met) {
  const size_t code = answer.find("error[");
  if (code != std::string::npos) ++met[answer.substr(code + 6, 7)];
}

/// Both engines answer all actions of a stream alike; whether they have.
bool agree(const Behaviour& behaviour, behaviour::Engine& native, uint64_t seed, Met& met) {
  std::mt19937_64 random(seed);
  Evaluator evaluator(behaviour);
  int number = 0, refused = 0;
  for (const Action& action : testing::drawn_stream(behaviour, random, 20)) {
    const std::string expected = testing::answer(evaluator, action), said = testing::answer(native, action);
    count(expected, met);
    const std::string place =
        fmt::format("{}, seed {}, action {}: {}", behaviour.machine, seed, ++number, testing::text_of(action));
    EXPECT_EQ(said, expected) << place;
    const std::string differs = testing::difference(evaluator, native, number % 64 == 0 ? kAll : kSmall);
    EXPECT_EQ(differs, "") << place;
    if (said != expected || !differs.empty()) return false;
    refused = expected.find("error[") == std::string::npos ? 0 : refused + 1;
    if (refused == kMostRefused) break;  // the machine has stopped
  }
  const std::string differs = testing::difference(evaluator, native, kAll);
  EXPECT_EQ(differs, "") << behaviour.machine << ", seed " << seed;
  return differs.empty();
}

/// Streams that meet each of these diagnostics are answered alike.
void expect_agreement(const std::string& machine, const Settings& set, int quick,
                      const std::vector<std::string>& codes) {
  const Result<Behaviour> behaviour = behaviour::load_behaviour(machine, set);
  ASSERT_TRUE(behaviour) << render(behaviour.error());
  const runtime::NativeLibrary library = compiled(*behaviour);
  Met met;
  const uint64_t first = 1'000'000 * test::seed();
  for (int i = 0; i < streams_of(quick); ++i) {
    runtime::NativeEngine native(*behaviour, library);
    if (!agree(*behaviour, native, first + static_cast<uint64_t>(i), met)) return;
  }
  for (const std::string& code : codes) EXPECT_GT(met[code], 0) << code << ", seed " << first;
}

/// Machines that are drawn: few, as each of them is compiled.
TEST(CompiledMachine, Drawn) {
  const int machines = std::getenv("COVENANT_FULL") == nullptr ? 10 : 300;
  int refused = 0;
  Met met;
  for (int i = 0; i < machines + refused; ++i) {
    const uint64_t seed = 1000 * test::seed() + static_cast<uint64_t>(i);
    const Result<Behaviour> behaviour = behaviour::parse_behaviour(testing::drawn_machine(seed), "drawn.acg");
    if (!behaviour) {
      ASSERT_LT(++refused, 10 * machines + 100) << render(behaviour.error());
      continue;
    }
    const runtime::NativeLibrary library = compiled(*behaviour);
    for (uint64_t stream = 0; stream < 40; ++stream) {
      runtime::NativeEngine native(*behaviour, library);
      ASSERT_TRUE(agree(*behaviour, native, stream, met)) << "machine " << seed;
    }
  }
  for (const std::string code : {"BEH0030", "BEH0032", "BEH0033", "BEH0034"}) EXPECT_GT(met[code], 0) << code;
}

const Settings kSmallVta{{"dram_bytes", "4K"}, {"uop_depth", "16"}, {"inp_depth", "16"},
                         {"wgt_depth", "8"},   {"acc_depth", "16"}, {"queue_depth", "2"}};

TEST(CompiledMachine, Vta) {
  expect_agreement("vta", kSmallVta, 300, {"BEH0030", "BEH0031", "BEH0032", "BEH0033", "BEH0036"});
}

TEST(CompiledMachine, Flexasr) { expect_agreement("flexasr", {}, 100, {"BEH0030", "BEH0031", "BEH0033", "BEH0035"}); }

TEST(CompiledMachine, Hlscnn) {
  expect_agreement("hlscnn", {{"dram_bytes", "4K"}, {"spad_vectors", "64"}}, 300,
                   {"BEH0030", "BEH0031", "BEH0033", "BEH0035"});
}

/// A machine that is compiled somewhere within a stream goes on as if it had not been.
TEST(CompiledMachine, FromSomewhereOn) {
  const Result<Behaviour> behaviour = behaviour::load_behaviour("vta", kSmallVta);
  ASSERT_TRUE(behaviour) << render(behaviour.error());
  Met met;
  int compiled = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    runtime::AdaptiveEngine adaptive(*behaviour, {.cache = cache()}, {.work = 1 + 37 * seed});
    ASSERT_TRUE(agree(*behaviour, adaptive, seed, met)) << "from " << 1 + 37 * seed << " on";
    compiled += adaptive.is_compiled() ? 1 : 0;
  }
  EXPECT_GT(compiled, 50);
  EXPECT_LT(compiled, 200);
}

}  // namespace
}  // namespace covenant::acg
