// Drawn streams to the machines that come with the SDK, legal, illegal and out of order: a device does in each cycle
// what the evaluator does, every other one with its off-chip states in memories of the platform. COVENANT_FULL=1 draws
// 10,000 streams for each machine.
#include "tests/property/behaviour/streams.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/memory.h"
#include "tests/support/seed.h"
#include "tests/unit/command_device/platform.h"
#include "tests/unit/command_device/reference.h"

namespace covenant::sc::testing {
namespace {

using acg::behaviour::Behaviour;
using acg::testing::Action;
using Kind = Action::Kind;

constexpr int64_t kSmall = 1 << 16;  ///< bytes of states that are compared after each action

/// A device and its reference, which are given the same actions.
class Pair {
 public:
  explicit Pair(const Behaviour& behaviour) : bench_(behaviour, {.initiators = 2}), reference_(behaviour) {
    for (const acg::behaviour::Port& port : behaviour.ports) {
      if (!port.is_stream) ports_.push_back(port);
    }
  }
  /// Has off-chip states lie in memories with drawn bytes.
  void use_memories(const Behaviour& behaviour, std::mt19937_64& random) {
    for (size_t i = 0; i < behaviour.states.size(); ++i) {
      const acg::behaviour::State& state = behaviour.states[i];
      if (!state.is_off_chip) continue;
      const auto bytes = static_cast<size_t>(state.type.elements());
      memories_.push_back(
          std::make_unique<Memory>(sc_core::sc_gen_unique_name("memory"), Storage(bytes), sc_core::SC_ZERO_TIME));
      std::vector<uint8_t>& same = references_.emplace_back(bytes);
      for (uint8_t& byte : same) byte = static_cast<uint8_t>(random());
      std::copy(same.begin(), same.end(), memories_.back()->bytes().begin());
      bench_.npu.memory(state.name).bind(memories_.back()->in);
      reference_.machine.use_memory(i, same.data());
    }
  }

  void run(const std::vector<Action>& stream, const std::string& what) {
    bench_.run([&] {
      size_t number = 0;
      for (const Action& action : stream) {
        const std::string place = fmt::format("{}, action {}: {}", what, ++number, acg::testing::text_of(action));
        act(action, place);
        compare(place, kSmall);
        if (::testing::Test::HasFailure() || (reference_.is_stopped() && ++refused_ > 3)) break;
      }
      settle(what);
      compare(what, std::numeric_limits<int64_t>::max());
      sc_core::sc_stop();  // some machines run for ever
    });
  }
  size_t done() const { return done_; }
  bool is_stopped() const { return reference_.is_stopped(); }

 private:
  struct UnderWay {
    Access access;
    Status begun = Done{};
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  };

  void act(const Action& action, const std::string& place) {
    if (action.kind == Kind::kTick || action.kind == Kind::kRun) {
      wait_cycles(action.kind == Kind::kTick ? 1 : action.cycles);
      return;
    }
    const auto port =
        std::find_if(ports_.begin(), ports_.end(), [&](const auto& one) { return one.name == action.port; });
    if (port == ports_.end()) return;  // there is no such socket
    const auto host = static_cast<size_t>(port - ports_.begin()) * 2;
    Access access{.writes = action.command.writes, .address = action.command.address, .data = action.command.data};
    if (access.data.size() != static_cast<size_t>(port->data_bits / 8)) {
      if (access.data.empty() || access.data.size() % static_cast<size_t>(port->data_bits / 8) != 0) {
        EXPECT_EQ(bench_.send(access, host), tlm::TLM_BURST_ERROR_RESPONSE) << place;
      }
      return;
    }
    if (action.kind == Kind::kBegin && !under_way_) return begin(action, host, std::move(access));
    const uint64_t came = edge_from(sc_core::sc_time_stamp());
    const tlm::tlm_response_status status = bench_.send(access, host);
    settle(place);  // the one before has ended before
    const Result<std::vector<uint8_t>> wanted =
        reference_.command(action.port, action.command, std::max(came, reference_.edge()));
    EXPECT_EQ(status == tlm::TLM_OK_RESPONSE, static_cast<bool>(wanted)) << place;
    if (wanted && !access.writes) {
      EXPECT_EQ(access.data, *wanted) << place;
    }
    if (!wanted) {
      const std::optional<Diagnostic>& told = bench_.npu.error();
      EXPECT_EQ(told ? told->code : "none", wanted.error().code) << place;
    }
    EXPECT_EQ(sc_core::sc_time_stamp(), bench_.cycles(reference_.edge())) << place;
    done_ += wanted ? 1 : 0;
  }

  /// A command of another initiator, for which this one does not wait.
  void begin(const Action& action, size_t host, Access access) {
    under_way_ = std::make_unique<UnderWay>(UnderWay{std::move(access)});
    under_way_->begun = reference_.begin(action.port, action.command, edge_from(sc_core::sc_time_stamp()));
    sc_core::sc_spawn([this, host, one = under_way_.get()] {
      one->status = bench_.send(one->access, host + 1);
      ended_.notify(sc_core::SC_ZERO_TIME);
    });
    wait_cycles(2);
  }

  /// Waits for the end of the command under way, and compares what it gives.
  void settle(const std::string& place) {
    if (!under_way_) return;
    const std::unique_ptr<UnderWay> one = std::move(under_way_);
    while (one->status == tlm::TLM_INCOMPLETE_RESPONSE) sc_core::wait(ended_);
    const bool is_refused = !one->begun;
    const Result<std::vector<uint8_t>> wanted =
        is_refused ? Result<std::vector<uint8_t>>(one->begun.error()) : reference_.end();
    EXPECT_EQ(one->status == tlm::TLM_OK_RESPONSE, static_cast<bool>(wanted)) << place;
    if (wanted && !one->access.writes) {
      EXPECT_EQ(one->access.data, *wanted) << place;
    }
  }

  /// To the middle of a cycle.
  void wait_cycles(uint64_t count) {
    const uint64_t edge = edge_from(sc_core::sc_time_stamp()) + count;
    sc_core::wait(bench_.cycles(edge) + sc_core::sc_time::from_value(bench_.npu.period().value() / 2) -
                  sc_core::sc_time_stamp());
    reference_.advance(edge);
  }

  void compare(const std::string& place, int64_t most_bytes) const {
    EXPECT_EQ(bench_.npu.engine().cycles(), reference_.machine.cycles()) << place;
    EXPECT_EQ(acg::testing::difference(bench_.npu.engine(), reference_.machine, most_bytes), "") << place;
  }

  uint64_t edge_from(const sc_core::sc_time& time) const {
    return (time.value() + bench_.npu.period().value() - 1) / bench_.npu.period().value();
  }

  Bench bench_;
  Reference reference_;
  std::vector<std::unique_ptr<Memory>> memories_;
  std::deque<std::vector<uint8_t>> references_;  ///< bytes of the reference's off-chip states
  std::vector<acg::behaviour::Port> ports_;
  std::unique_ptr<UnderWay> under_way_;
  sc_core::sc_event ended_;
  size_t done_ = 0;
  int refused_ = 0;
};

void expect_agreement(const std::string& machine, const std::vector<std::pair<std::string, std::string>>& set,
                      int quick) {
  const Result<Behaviour> behaviour = acg::behaviour::load_behaviour(machine, set);
  ASSERT_TRUE(behaviour) << render(behaviour.error());
  const int streams = std::getenv("COVENANT_FULL") == nullptr ? quick : 10'000;
  size_t done = 0, stopped = 0;
  for (int i = 0; i < streams; ++i) {
    const uint64_t seed = 1'000'000 * test::seed() + static_cast<uint64_t>(i);
    std::mt19937_64 random(seed);
    Pair pair(*behaviour);
    if (i % 2 == 1) pair.use_memories(*behaviour, random);
    pair.run(acg::testing::drawn_stream(*behaviour, random, 20), fmt::format("{}, seed {}", machine, seed));
    if (::testing::Test::HasFailure()) return;
    done += pair.done();
    stopped += pair.is_stopped() ? 1 : 0;
  }
  EXPECT_GT(done, static_cast<size_t>(streams)) << machine;
  EXPECT_GT(stopped, 0U) << machine;
}

TEST(DrawnStreams, Vta) {
  expect_agreement("vta",
                   {{"dram_bytes", "4K"},
                    {"uop_depth", "16"},
                    {"inp_depth", "16"},
                    {"wgt_depth", "8"},
                    {"acc_depth", "16"},
                    {"queue_depth", "2"}},
                   60);
}

TEST(DrawnStreams, Flexasr) { expect_agreement("flexasr", {}, 20); }

TEST(DrawnStreams, Hlscnn) { expect_agreement("hlscnn", {{"dram_bytes", "4K"}, {"spad_vectors", "64"}}, 60); }

}  // namespace
}  // namespace covenant::sc::testing
