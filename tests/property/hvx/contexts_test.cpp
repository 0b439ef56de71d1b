// Random programs on several contexts at once: each ends with the registers and memory that it has alone, which are
// those of QEMU; all together take at least as long as the longest, and at most as long as one after the other.
#include "sim/vliw/contexts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <map>

#include "tests/property/hvx/random_code.h"

namespace covenant::acg {
namespace {

using namespace testing;
using sim::vliw::Contexts;
using sim::vliw::Core;
using sim::vliw::Registers;

constexpr size_t kGroups = 9, kPackets = 300;
constexpr size_t kCallNumber = 6;
constexpr uint32_t kWrite = 64;

Machine machine_of(RandomSource& random) {
  const auto some = [&](int64_t least) { return std::to_string(random.between(least, 4)); };
  return *load_machine("hvx", {{"issues", some(1)}, {"vector_units", some(1)}, {"l2_kib", "16"}});
}

/// Files on contexts of their own, which they change.
class Group {
 public:
  Group(const Machine& machine, std::vector<ElfFile> files, bool counts_cycles = true)
      : files_(std::move(files)), contexts_(machine, starts(), counts_cycles) {}

  Group& run() {
    while (!contexts_.are_finished()) {
      const std::optional<size_t> context = contexts_.run(1 << 20);
      if (context) serve(*context);
    }
    return *this;
  }

  Contexts& contexts() { return contexts_; }
  const Registers& registers(size_t context) const { return contexts_.at(context).registers(); }
  const std::vector<uint8_t>& data(size_t context) const { return files_[context].segments[1].content; }
  uint64_t cycles() const { return contexts_.cycles(); }
  /// Until prefetched data has arrived, too: nothing may wait for it here, but other contexts can.
  uint64_t all_cycles() const {
    return std::max(cycles(), contexts_.at(0).pipeline().value().shared().memory.edge().free());
  }

 private:
  std::vector<Contexts::Start> starts() {
    std::vector<Contexts::Start> starts;
    for (ElfFile& file : files_) {
      Contexts::Start start{{}, file.entry};
      for (ElfSegment& segment : file.segments) start.memory.add("segment", segment.address, segment.content);
      starts.push_back(std::move(start));
    }
    return starts;
  }
  /// Its output is checked in its memory.
  void serve(size_t context) {
    Core& core = contexts_.at(context);
    core.take_service();
    if (core.registers().scalars[kCallNumber] != kWrite) contexts_.finish(context);
  }

  std::vector<ElfFile> files_;
  Contexts contexts_;
};

std::vector<ElfFile> random_files(const Machine& machine, RandomSource& random, size_t count, size_t packets) {
  std::vector<ElfFile> files;
  for (size_t i = 0; i < count; ++i) files.push_back(RandomCode(machine, random).program(packets));
  return files;
}

bool are_equal(const Registers& left, const Registers& right) {
  return left.vectors == right.vectors && left.vector_predicates == right.vector_predicates &&
         left.scalars == right.scalars && left.predicates == right.predicates && left.controls == right.controls;
}

TEST(HvxContexts, EndAsTheyDoAlone) {
  RandomSource random(31);
  uint64_t packets = 0, shorter = 0;
  for (size_t drawn = 0; drawn < kGroups; ++drawn) {
    const Machine machine = machine_of(random);
    const std::vector<ElfFile> files = random_files(machine, random, 2 + drawn % 3, kPackets);
    Group together(machine, files), values(machine, files, false);
    together.run();
    values.run();
    uint64_t longest = 0, sum = 0;
    for (size_t i = 0; i < files.size(); ++i) {
      Group alone(machine, {files[i]});
      alone.run();
      for (Group* group : {&together, &values}) {
        ASSERT_TRUE(are_equal(group->registers(i), alone.registers(0))) << "context " << i << " of group " << drawn;
        ASSERT_EQ(group->data(i), alone.data(0)) << "context " << i << " of group " << drawn;
        EXPECT_EQ(group->contexts().at(i).packets(), alone.contexts().packets());
      }
      longest = std::max(longest, alone.cycles());
      sum += alone.all_cycles();
    }
    packets += together.contexts().packets();
    EXPECT_GE(together.cycles(), longest) << "group " << drawn;
    EXPECT_LE(together.cycles(), sum) << "group " << drawn;
    EXPECT_EQ(Group(machine, files).run().cycles(), together.cycles()) << "as before";
    shorter += sum - together.cycles();
  }
  std::cout << packets << " packets in " << kGroups << " groups, " << shorter
            << " cycles less than one after the other\n";
}

/// As many packets issue in a clock as the machine allows, a context leaves an interval between its packets, and no
/// more vector parts run than there are units.
TEST(HvxContexts, ShareNoMoreThanThereIs) {
  RandomSource random(32);
  for (size_t drawn = 0; drawn < kGroups; ++drawn) {
    const uint64_t issues = drawn % 3 + 1, units = drawn % 4 + 1;
    const Machine machine =
        *load_machine("hvx", {{"issues", std::to_string(issues)}, {"vector_units", std::to_string(units)}});
    Group group(machine, random_files(machine, random, 4, 60));
    std::map<uint64_t, uint64_t> issued, running;
    uint64_t last = 0;
    for (size_t i = 0; i < 4; ++i) {
      group.contexts().at(i).watch([&, next = uint64_t{0}](const Core::Watched& watched) mutable {
        EXPECT_GE(watched.times.issued, last) << "in the order of time";
        EXPECT_GE(watched.times.issued, next) << "an interval apart";
        last = watched.times.issued;
        next = last + machine.packet.interval;
        ++issued[last];
        if (!watched.packet.timing.has_vector_part) return;
        for (uint64_t k = 0; k < machine.packet.interval; ++k) ++running[watched.times.ran + k];
      });
    }
    group.run();
    for (const auto& [clock, count] : issued) ASSERT_LE(count, issues) << "clock " << clock;
    for (const auto& [clock, count] : running) ASSERT_LE(count, units) << "clock " << clock;
  }
}

}  // namespace
}  // namespace covenant::acg
