/// Packets whose lines come from a memory that must be asked when it answers.
#include <deque>
#include <random>

#include "tests/timing/vliw/run.h"

namespace covenant::sim::vliw {
namespace {

using namespace testing;

/// Runs packets and answers each line after a given number of cycles; records requests.
class Asked {
 public:
  using Delay = std::function<uint64_t(const LineEdge::Request&)>;
  Asked(const std::vector<std::string>& packets, const Delay& delay,
        const std::vector<std::pair<int, uint32_t>>& scalars = {{1, kData}}, const Settings& settings = {})
      : machine_(*acg::load_machine("hvx", settings)), code_(bytes_of(machine_, packets)), data_(kDataBytes) {
    AddressSpace memory;
    memory.add("code", kCode, code_);
    memory.add("data", kData, data_);
    auto shared = shared_by(machine_, 1);
    MemoryPaths& paths = shared->memory;
    paths.ask_with([&](const LineEdge::Request& request) {
      requests.push_back(request);
      const uint64_t answer = request.begin + delay(request);
      answers_.push_back(std::max(answers_.empty() ? 0 : answers_.back(), answer));
    });
    Core core(machine_, std::move(memory), kCode, shared, AddressMapping());
    for (const auto& [number, value] : scalars) core.registers().scalars[static_cast<size_t>(number)] = value;
    core.watch([this](const Core::Watched& watched) { times.push_back(watched.times); });
    const auto end = kCode + static_cast<uint32_t>(code_.size());
    while (core.address() != end || !core.settle()) {
      if (core.address() != end) core.run(1, end);
      if (!core.is_waiting() && core.address() != end) continue;
      if (answers_.empty()) break;
      paths.edge().answered(answers_.front());
      answers_.pop_front();
    }
    EXPECT_TRUE(core.settle());
    cycles = core.pipeline().value().cycles();
    stalled = paths.edge().stalled();
  }

  std::vector<LineEdge::Request> requests;
  std::vector<PacketTimes> times;
  uint64_t cycles = 0;
  uint64_t stalled = 0;

 private:
  acg::Machine machine_;
  std::vector<uint8_t> code_;
  std::vector<uint8_t> data_;
  std::deque<uint64_t> answers_;
};

constexpr uint64_t on_grid(uint64_t cycle) { return (cycle + kInterval - 1) / kInterval * kInterval; }
uint64_t as_stated(const LineEdge::Request& /*request*/) { return kDram; }

TEST(AskedMemory, AnswersWithinTheLatencyChangeNothing) {
  const std::vector<std::string> packets{"{ v1 = vmem(r1+#0) }", "{ v2 = vmem(r1+#1) }", "{ v3.w = vadd(v1.w,v2.w) }",
                                         "{ vmem(r1+#2) = v3 }", "{ r2 = memw(r1+#0) }", "{ r3 = add(r2,r2) }"};
  const Ran ran(packets, 0, {}, {{1, kData}});
  for (const uint64_t delay : {uint64_t{0}, uint64_t{1}, kDram}) {
    const Asked asked(packets, [&](const auto&) { return delay; });
    ASSERT_EQ(asked.times.size(), packets.size());
    for (size_t i = 0; i < packets.size(); ++i) {
      EXPECT_EQ(asked.times[i].issued, ran.issued(i)) << i;
      EXPECT_EQ(asked.times[i].ran, ran.ran(i)) << i;
      EXPECT_EQ(asked.times[i].retired, ran.retired(i)) << i;
    }
    EXPECT_EQ(asked.stalled, 0U);
  }
}

TEST(AskedMemory, ALineComesItsBeatsAfterTheAnswer) {
  for (const uint64_t late : {1U, 2U, 77U}) {
    const Asked asked({"{ v1 = vmem(r1+#0) }"}, [&](const auto&) { return kDram + late; });
    EXPECT_EQ(asked.requests.at(0).begin, kL2 - 1);
    EXPECT_EQ(asked.requests.at(0).address, kData);
    EXPECT_EQ(asked.requests.at(0).bytes, 128U);
    EXPECT_EQ(asked.times.at(0).ran, on_grid(kL2 - 1 + kDram + late + kLine));
    EXPECT_EQ(asked.stalled, late);
  }
}

TEST(AskedMemory, NobodyWaitsForWhatIsPrefetched) {
  const Asked asked({"{ l2fetch(r1,r3:2) }", "{ v1 = vmem(r4+#0) }"}, as_stated,
                    {{1, kData}, {2, 1U | 128U << 16}, {3, 128}, {4, kData + 0x1000}});
  ASSERT_EQ(asked.requests.size(), 2U);
  EXPECT_FALSE(asked.requests[0].is_wanted);
  EXPECT_TRUE(asked.requests[1].is_wanted);
}

/// Both answers at once: their beats follow one another.
TEST(AskedMemory, LinesCrossTheEdgeOneAfterTheOther) {
  uint64_t first = 0;
  const Asked asked({"{ v1 = vmem(r1+#0) }", "{ v2 = vmem(r1+#1) }"}, [&](const LineEdge::Request& request) {
    if (first == 0) first = request.begin + 500;
    return first - request.begin;
  });
  EXPECT_EQ(asked.requests.at(1).begin, asked.requests.at(0).begin + kLine);
  EXPECT_EQ(asked.times.at(0).ran, on_grid(first + kLine));
  EXPECT_EQ(asked.times.at(1).ran, on_grid(first + 2 * kLine));
}

/// The scalar side continues until something is missing: a register, or a place in the queue.
TEST(AskedMemory, PacketsIssueUntilTheyNeedWhatHasNotCome) {
  const Asked words({"{ r2 = memw(r1+#0) }", "{ r4 = #1 }", "{ r3 = add(r2,r4) }"},
                    [](const auto&) { return uint64_t{1000}; });
  EXPECT_EQ(words.times.at(1).issued, kInterval);
  EXPECT_EQ(words.times.at(2).issued, on_grid(kL2 - 1 + 1000 + kLine + 4 - 2));
  EXPECT_EQ(words.times.at(2).waits.scalar_registers, words.times.at(2).issued - 2 * kInterval);
  const Asked vectors({"{ v1 = vmem(r1+#0) }", "{ v2 = vxor(v2,v2) }", "{ v3 = vxor(v3,v3) }", "{ v4 = vxor(v4,v4) }"},
                      [](const auto&) { return uint64_t{1000}; }, {{1, kData}}, {{"queue", "2"}});
  EXPECT_EQ(vectors.times.at(1).issued, kInterval);
  EXPECT_EQ(vectors.times.at(2).issued, vectors.times.at(0).ran) << "its place";
  EXPECT_EQ(vectors.times.at(3).issued, vectors.times.at(1).ran);
  EXPECT_EQ(vectors.times.at(1).ran, vectors.times.at(0).ran + kInterval);
}

/// A store of a part of a line requests the line when its value is available; later requests wait for their turn.
TEST(AskedMemory, StoresAskWhenTheirVectorPartRuns) {
  const Asked asked({"{ v1 = vmem(r1+#0) }", "{ vmemu(r2+#0) = v1 }", "{ r3 = memw(r4+#0) }"},
                    [](const auto&) { return uint64_t{600}; }, {{1, kData}, {2, kData + 4100}, {4, kData + 0x8000}});
  ASSERT_EQ(asked.requests.size(), 4U);
  EXPECT_EQ(asked.requests[1].begin, asked.times.at(1).ran);
  EXPECT_EQ(asked.requests[1].address, kData + 4096);
  EXPECT_EQ(asked.requests[2].begin, asked.times.at(1).ran + kLine);
  EXPECT_EQ(asked.requests[3].begin, asked.times.at(1).ran + 2 * kLine) << "in the order in which packets issue";
  EXPECT_EQ(asked.times.at(2).issued, 2 * kInterval);
}

/// The write-back of a replaced line follows the line that takes its place, and names its own address.
TEST(AskedMemory, ALineThatIsReplacedIsWrittenWhereItLies) {
  std::vector<std::string> packets{"{ vmem(r1++#1) = v0 }"};
  for (int k = 0; k < 8; ++k) packets.emplace_back("{ v1 = vmem(r1++#1) }");
  const Asked asked(packets, as_stated, {{1, kData}}, {{"l2_kib", "1"}});  // one set of eight lines
  ASSERT_EQ(asked.requests.size(), 9U);
  const LineEdge::Request& fetched = asked.requests[7];
  const LineEdge::Request& written = asked.requests[8];
  EXPECT_FALSE(fetched.is_store);
  EXPECT_EQ(fetched.address, kData + 8 * 128);
  EXPECT_TRUE(written.is_store);
  EXPECT_EQ(written.address, kData);
  EXPECT_EQ(written.bytes, 128U);
  EXPECT_EQ(written.begin, fetched.begin + kLine);
}

/// A cycle counter must be known when it is read.
TEST(AskedMemory, TheCounterOfCyclesIsReadWhenAllBeforeIsDone) {
  const Asked asked({"{ r2 = memw(r1+#0) }", "{ r3 = upcyclelo }"}, [](const auto&) { return uint64_t{700}; });
  EXPECT_EQ(asked.times.at(1).issued, on_grid(asked.times.at(0).retired));
}

/// Whatever memory answers when, nothing gets faster by a later answer, and as stated it is as fast as computed.
TEST(AskedMemory, LaterAnswersGiveLaterPackets) {
  std::mt19937_64 random(5);
  const std::vector<std::string> body{"{ v1 = vmem(r1++#1) }",      "{ v2 = vmem(r5++#1) }", "{ r2 = memw(r6++#4) }",
                                      "{ v3.w = vadd(v1.w,v2.w) }", "{ vmem(r7++#1) = v3 }", "{ r8 = add(r2,r8) }"};
  std::vector<std::string> packets;
  for (int k = 0; k < 300; ++k) packets.push_back(body[random() % body.size()]);
  const std::vector<std::pair<int, uint32_t>> scalars{
      {1, kData}, {5, kData + 0x10000}, {6, kData + 0x20000}, {7, kData + 0x30000}};
  const Ran ran(packets, 0, {}, scalars);
  EXPECT_EQ(Asked(packets, as_stated, scalars).cycles, ran.pipeline().cycles());
  uint64_t before = ran.pipeline().cycles();
  for (const uint64_t more : {1U, 20U, 300U}) {
    const uint64_t now = Asked(packets, [&](const auto&) { return kDram + more; }, scalars).cycles;
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GT(before, ran.pipeline().cycles());
}

}  // namespace
}  // namespace covenant::sim::vliw
