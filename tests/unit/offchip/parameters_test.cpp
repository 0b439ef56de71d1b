/// Parameter files: the builtin ones match their names, and mistakes get their diagnostics.
#include "offchip/parameters.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

#include "tests/support/folders.h"
#include "tests/unit/offchip/bench.h"

namespace covenant::offchip {
namespace {

std::string builtin_text(const std::string& name) {
  std::ifstream file(source_folder() + "/offchip/parameters/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The text of ddr4_2400 with one place changed.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = builtin_text("ddr4_2400");
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Parameters, PeaksAndSizesAreThoseOfTheNames) {
  const auto expect = [](const std::string& name, double gigabytes, uint64_t gibibytes) {
    const Result<Parameters> set = load_parameters(name);
    ASSERT_TRUE(set) << set.error().message << " " << set.error().subject;
    EXPECT_NEAR(set->peak_bytes_per_second() / 1e9, gigabytes, gigabytes * 0.002);  // tCK is rounded to picoseconds
    EXPECT_EQ(set->organization.bytes() >> 30, gibibytes);
  };
  expect("ddr4_2400", 19.2, 8);
  expect("ddr5_4800", 38.4, 16);
  expect("lpddr4_3200", 12.8, 2);
  expect("hbm2", 256, 4);
}

TEST(Parameters, AFileIsReadByItsPath) {
  const std::string path = source_folder() + "/offchip/parameters/hbm2.json";
  const Result<Parameters> by_path = load_parameters(path);
  ASSERT_TRUE(by_path);
  EXPECT_EQ(by_path->name, path);
  EXPECT_EQ(by_path->timing, load_parameters("hbm2")->timing);
}

TEST(Parameters, AnUnknownNameIsRefused) {
  const Diagnostic error = load_parameters("ddr4_2401").error();
  EXPECT_EQ(error.code, "MEM0001");
  EXPECT_EQ(error.offending, "ddr4_2401");
  EXPECT_EQ(error.allowed, (std::vector<std::string>{"fixed", "ddr4_2400", "ddr5_4800", "hbm2", "lpddr4_3200"}));
  EXPECT_EQ(error.fix, "did you mean \"ddr4_2400\"?");
}

TEST(Parameters, AFileThatCannotBeReadIsRefused) {
  EXPECT_EQ(load_parameters("no/such.json").error().code, "MEM0002");
  EXPECT_EQ(load_parameters(std::filesystem::temp_directory_path().string() + "/").error().code, "MEM0002");
}

TEST(Parameters, WhatIsNoJsonIsRefused) {
  for (const std::string& text : {std::string(), std::string("{"), std::string("\xff\xfe"), std::string("{} {}")}) {
    const Diagnostic error = parse_parameters(text, "own.json").error();
    EXPECT_EQ(error.code, "MEM0003");
    EXPECT_EQ(error.where.file, "own.json");
  }
}

struct Case {
  std::string from, to, code, subject, offending;
  std::vector<std::string> allowed;
};

TEST(Parameters, AWrongFileIsRefusedAtItsPlace) {
  const std::vector<Case> cases{
      Case{"\"RCD\": ", "\"TCD\": ", "MEM0004", "/timing", "TCD", {}},
      Case{"\"CL\": {\"value\": 17", "\"CL\": {\"value\": 0", "MEM0004", "/timing/CL/value", "0", {"1..1000000000"}},
      Case{"\"CL\": {\"value\": 17",
           "\"CL\": {\"value\": 17.5",
           "MEM0004",
           "/timing/CL/value",
           "17.5",
           {"1..1000000000"}},
      Case{"\"value\": 65536", "\"value\": 65535", "MEM0004", "/organization/rows/value", "65535", {"1..16777216"}},
      Case{"\"CL\": {\"value\": 17, \"source\": \"jedec\"",
           "\"CL\": {\"value\": 17, \"source\": \"me\"",
           "MEM0004",
           "/timing/CL/source",
           "me",
           {"jedec", "module", "published"}},
      Case{"\"fr_fcfs\"", "\"fifo\"", "MEM0004", "/controller/policy", "fifo", {"fcfs", "fr_fcfs"}},
      Case{"\"row:bank",
           "\"row:row",
           "MEM0004",
           "/controller/mapping",
           "row:row:column:group:channel",
           {"row", "bank", "group", "column", "channel"}},
      Case{":channel\"",
           ":channel:\"",
           "MEM0004",
           "/controller/mapping",
           "row:bank:column:group:channel:",
           {"row", "bank", "group", "column", "channel"}},
      Case{"\"queue\": 32", "\"queue\": 0", "MEM0004", "/controller/queue", "0", {"1..4096"}},
      Case{"\"CCD_S\": {\"value\": 4",
           "\"CCD_S\": {\"value\": 3",
           "MEM0005",
           "/timing/CCD_S",
           "3",
           {"4 (half the burst length) or more"}},
      Case{"\"RRD_L\": {\"value\": 6",
           "\"RRD_L\": {\"value\": 3",
           "MEM0005",
           "/timing/RRD_L",
           "3",
           {"4 (RRD_S) or more"}},
      Case{"\"REFI\": {\"value\": 9363",
           "\"REFI\": {\"value\": 400",
           "MEM0005",
           "/timing/REFI",
           "400",
           {"more than 699"}},
  };
  for (const Case& one : cases) {
    const Result<Parameters> set = parse_parameters(changed(one.from, one.to), "own.json");
    ASSERT_FALSE(set) << one.to;
    const Diagnostic& error = set.error();
    EXPECT_EQ(error.code, one.code);
    EXPECT_EQ(error.subject, one.subject);
    EXPECT_EQ(error.offending, one.offending);
    if (!one.allowed.empty()) {
      EXPECT_EQ(error.allowed, one.allowed);
    }
    EXPECT_EQ(error.fix, "change the file; docs/reference/memory-models.md has its form");
  }
}

TEST(Parameters, EveryMissingKeyIsNamed) {
  const std::string text = builtin_text("ddr4_2400");
  EXPECT_EQ(parse_parameters("{}", "own.json").error().code, "MEM0004");
  EXPECT_EQ(parse_parameters("[]", "own.json").error().code, "MEM0004");
  EXPECT_TRUE(parse_parameters("\xEF\xBB\xBF" + text, "own.json")) << "a byte-order mark counts for nothing";
}

// Whatever a file holds: a diagnostic, or a memory that answers.
TEST(Parameters, HostileFilesAreRefused) {
  EXPECT_EQ(parse_parameters(std::string(200'000, '['), "own.json").error().code, "MEM0003");
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(parse_parameters("{\"about\": " + deep + "}", "own.json").error().code, "MEM0004");
  std::mt19937_64 random(11);
  const std::string bytes = "\x01\xff\"{}[]:,-0123456789eE.nt\\";
  uint64_t read = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = builtin_text("lpddr4_3200");
    for (uint64_t n = 1 + random() % 3; n > 0; --n) text[random() % text.size()] = bytes[random() % bytes.size()];
    const Result<Parameters> set = parse_parameters(text, "own.json");
    if (!set) continue;
    ++read;
    Dram dram(*set, 1);
    std::vector<Burst> bursts;
    for (uint64_t k = 0; k < 20; ++k) bursts.push_back(test::read(0, random() % (uint64_t{1} << 40), 0, 64));
    EXPECT_EQ(test::answers_of(dram, bursts).size(), bursts.size()) << text;
  }
  std::printf("seed 11: %llu of 3000 were still a set\n", static_cast<unsigned long long>(read));
  EXPECT_LT(read, 3000U);
}

}  // namespace
}  // namespace covenant::offchip
