/// Ranges in messages are the real ones: the numbers that they name are accepted, their neighbours outside are not, in
/// text and in JSON.
#include "acg/graph/limits.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

#include "acg/lang/json.h"
#include "tests/error/acg/refused.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::kSmallMachine;
using testing::with;

using Strings = std::vector<std::string>;

/// The diagnostic of the small machine with `from` replaced; none if it is a machine.
std::optional<Diagnostic> said(const std::string& from, const std::string& to) {
  const Result<Machine> machine = parse_machine(with(from, to), "small.acg");
  if (machine) return std::nullopt;
  return machine.error();
}

struct Range {
  std::string from;  ///< of the small machine; what stands in its place has `@` for the number
  std::string to;
  uint64_t lowest;
  uint64_t highest;
};

std::string filled(const Range& range, const std::string& number) {
  std::string text = range.to;
  return text.replace(text.find('@'), 1, number);
}

class Ranges : public ::testing::TestWithParam<Range> {};

TEST_P(Ranges, AreTakenToTheirEnds) {
  const Range& range = GetParam();
  for (const uint64_t end : {range.lowest, range.highest}) {
    const auto refused = said(range.from, filled(range, fmt::format("{}", end)));
    EXPECT_FALSE(refused && refused->message.find("out of range") != std::string::npos) << render(*refused);
  }
  Strings beside{fmt::format("{}", range.highest + 1), "-1", "1024 * 1G"};
  if (range.lowest > 0) beside.push_back(fmt::format("{}", range.lowest - 1));
  for (const std::string& number : beside) {
    const auto refused = said(range.from, filled(range, number));
    ASSERT_TRUE(refused) << number;
    EXPECT_EQ(refused->code, "ACG0013") << render(*refused);
    EXPECT_EQ(refused->allowed, Strings{text_of({range.lowest, range.highest})}) << render(*refused);
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheText, Ranges,
                         ::testing::Values(Range{"banks = M;", "banks = @;", 1, 1 << 20},
                                           Range{"depth = 16", "depth = @", 1, uint64_t{1} << 32},
                                           Range{"depth = 1M", "depth = @", 1, uint64_t{1} << 32},
                                           Range{"depth = 64; buffers = 2", "depth = @; buffers = 2", 1,
                                                 kMaxInstructionDepth},
                                           Range{"buffers = 2;", "buffers = @;", 2, 2},
                                           Range{"depth = 32; buffers = 2", "depth = 32; buffers = @", 1, 16}));

TEST(Limits, AnInstructionMemoryHasAsManyWordsAsAGroupCounts) {
  const auto refused = said("depth = 64; buffers = 2", "depth = 4G; buffers = 2");
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code, "ACG0013");
  EXPECT_EQ(refused->offending, "4294967296");
  EXPECT_EQ(refused->allowed, Strings{"1..65536"});
  EXPECT_EQ(refused->fix, "groups count their words in 16 bits: give fewer words");
}

TEST(Limits, NumbersThatAreNoRangeAreListed) {
  EXPECT_EQ(channel_counts(), (Strings{"1", "2", "4", "8", "16", "32"}));
  EXPECT_EQ(granularities(48), (Strings{"8", "16", "24", "48"}));
  EXPECT_EQ(granularities(4), Strings{"4"});
  EXPECT_EQ(data_widths(MemoryKind::kOffchip), Strings{"8"});
  EXPECT_EQ(bandwidths(), Strings{"multiples of 8 up to 65536"});
  EXPECT_EQ(text_of(scale_limits(8)), "1..16777216");
  EXPECT_EQ(text_of(constant_limits(32)), "0..4294967295");
}

/// A number of the JSON form that its type cannot hold shows the limits as well.
TEST(Limits, AreTheSameInJson) {
  const auto machine = nlohmann::json::parse(to_json(*parse_machine(kSmallMachine, "small.acg")));
  const std::vector<std::tuple<std::string, std::string, Strings>> cases{
      {"/memories/0/latency", "-1", {"1..100000"}},
      {"/memories/1/depth", "-1", {"1..65536"}},
      {"/memories/2/buffers", "4294967296", {"1..16"}},
      {"/memories/2/data_width", "-8", data_widths(MemoryKind::kScratchpad)},
      {"/edges/0/bandwidth", "-8", bandwidths()},
      {"/opcode_bits", "-1", {"1..16"}},
      {"/word_bits", "-1", word_widths()}};
  for (const auto& [pointer, number, allowed] : cases) {
    nlohmann::json edited = machine;
    edited[nlohmann::json::json_pointer(pointer)] = nlohmann::json::parse(number);
    const Result<Machine> read = from_json(edited.dump(), "small.json");
    ASSERT_FALSE(read) << pointer;
    EXPECT_EQ(read.error().allowed, allowed) << pointer << render(read.error());
  }
}

}  // namespace
}  // namespace covenant::acg
