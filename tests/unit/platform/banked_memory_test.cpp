// A memory of banked DRAM on a platform answers when its model, asked directly, does.
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "offchip/make_model.h"
#include "platform/memory.h"
#include "platform/report.h"
#include "platform/router.h"
#include "sim/sc/common/kernel.h"
#include "tests/unit/platform/initiators.h"
#include "tests/unit/platform/protocol_checker.h"

namespace covenant::sc::testing {
namespace {

constexpr uint64_t kBytes = 1 << 20;
constexpr size_t kPorts = 3;

std::unique_ptr<offchip::Model> model_of(const std::string& name) {
  const offchip::Connection connection{.clock = {}, .ports = std::vector<offchip::FixedPort>(kPorts)};
  auto model = offchip::make_model(name, connection);
  check(static_cast<bool>(model), "there is such a model");
  return std::move(*model);
}

std::vector<Access> random_accesses(std::mt19937_64& random) {
  std::vector<Access> accesses;
  sc_core::sc_time at;
  for (int i = 0; i < 200; ++i) {
    const uint64_t length = uint64_t{16} << random() % 5;
    at += ns(static_cast<double>(random() % 3 * (random() % 60)));
    accesses.push_back(read(random() % (kBytes / length) * length, length, at));
    accesses.back().writes = random() % 3 == 0;
  }
  return accesses;
}

/// When the model answers the accesses, port by port, asked at the times at which they were asked on the platform.
std::vector<std::vector<uint64_t>> direct_answers(offchip::Model& model, const std::vector<std::vector<Access>>& all) {
  std::vector<offchip::Burst> bursts;
  for (uint32_t port = 0; port < all.size(); ++port) {
    for (const Access& access : all[port]) {
      const auto bytes = static_cast<uint32_t>(access.data.size());
      bursts.push_back({port, picoseconds(access.asked), access.address, bytes, access.writes});
    }
  }
  std::stable_sort(bursts.begin(), bursts.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  std::vector<offchip::Answer> answers;
  for (auto next = bursts.begin(); next != bursts.end() || model.next() != UINT64_MAX;) {
    const uint64_t now = std::min(next == bursts.end() ? UINT64_MAX : next->time, model.next());
    for (; next != bursts.end() && next->time == now; ++next) model.request(*next);
    model.advance(now, answers);
  }
  std::vector<std::vector<uint64_t>> times(all.size());
  for (const offchip::Answer& answer : answers) times[answer.port].push_back(answer.time);
  return times;
}

void expect_as_direct(const std::string& name, uint32_t seed) {
  SCOPED_TRACE(name + ", seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(kBytes), model_of(name));
  std::vector<std::unique_ptr<ProtocolChecker>> checkers;
  std::vector<std::unique_ptr<ApproximatelyTimed>> initiators;
  for (size_t i = 0; i < kPorts; ++i) {
    checkers.push_back(std::make_unique<ProtocolChecker>(sc_core::sc_gen_unique_name("checker")));
    initiators.push_back(std::make_unique<ApproximatelyTimed>(sc_core::sc_gen_unique_name("initiator")));
    initiators.back()->accesses = random_accesses(random);
    initiators.back()->out.bind(checkers.back()->in);
    checkers.back()->out.bind(memory.in);
  }
  sc_core::sc_start();
  std::vector<std::vector<Access>> all;
  for (const auto& initiator : initiators) all.push_back(initiator->accesses);
  const auto alone = model_of(name);
  const std::vector<std::vector<uint64_t>> expected = direct_answers(*alone, all);
  for (size_t i = 0; i < kPorts; ++i) {
    ASSERT_EQ(expected[i].size(), all[i].size());
    std::vector<uint64_t> answered;
    for (const Access& access : all[i]) answered.push_back(picoseconds(access.answered));
    EXPECT_EQ(answered, expected[i]) << "port " << i;
    EXPECT_EQ(initiators[i]->under_way(), 0U);
  }
}

TEST(BankedMemory, AnswersWhenItsModelDoes) {
  for (const std::string& name : offchip::memory_names()) {
    for (uint32_t seed = 1; seed <= 5; ++seed) expect_as_direct(name, seed);
  }
}

TEST(BankedMemory, ARouterKeepsInitiatorsApart) {
  const sim::sc::Kernel kernel;
  Memory memory("memory", Storage(kBytes), model_of("ddr4_2400"));
  Router router("router", *AddressMap::of({{"memory", 0, kBytes}}));
  LooselyTimed first("first");
  LooselyTimed second("second");
  first.out.bind(router.in);
  second.out.bind(router.in);
  router.to("memory").bind(memory.in);
  first.accesses = {write(0, {1, 2, 3, 4}), read(4096, 64), read(0, 4)};
  second.accesses = {read(8192, 128)};
  sc_core::sc_start();
  EXPECT_EQ(first.accesses[2].data, (std::vector<uint8_t>{1, 2, 3, 4}));
  EXPECT_EQ(second.accesses[0].status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(memory.statistics().ports[0].bursts, 3U);
  EXPECT_EQ(memory.statistics().ports[1].bursts, 1U);
  EXPECT_GT(memory.statistics().row_misses, 0U);
}

}  // namespace
}  // namespace covenant::sc::testing
