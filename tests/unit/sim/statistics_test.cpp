#include "sim/stats/statistics.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/sim/run.h"

namespace covenant::sim {
namespace {

using namespace covenant::sim::testing;

/// Two layers: a product (one pass of 6 steps) and a copy of 3 tiles.
Ran two_layers(Assembly& a, acg::Program& program) {
  a.group("DRAM->IBUF").wait("IBUF", kFree).load(0, 0, 18).post("IBUF", kFull);
  a.group("DRAM->WBUF").wait("WBUF", kFree).load(64, 0, 15).post("WBUF", kFull);
  a.group("DRAM->BBUF").wait("BBUF", kFree).load(128, 0, 20).post("BBUF", kFull);
  a.group("SA").op(Operation::kTrip, {13, 5, 0}).stride(kInput, 13, 1).stride(kOutput, 13, 1);
  a.wait("IBUF", kFull).wait("WBUF", kFull).wait("BBUF", kFull).op(Operation::kGemm, {0});
  a.post("IBUF", kFree).post("WBUF", kFree).post("BBUF", kFree).end_block(false);
  a.group("DRAM->VMEM1").stride(kOffchip, 0, 48).op(Operation::kLoop, {0, 2, 0}).wait("VMEM1", kFree);
  a.op(Operation::kLoad, {39}).post("VMEM1", kFull).op(Operation::kEnd, {0});
  a.group("VMEM1->DRAM").base(kOffchip, 4096).stride(kOffchip, 0, 48).op(Operation::kLoop, {0, 2, 0});
  a.wait("VMEM1", kFull).op(Operation::kStore, {39}).post("VMEM1", kFree).op(Operation::kEnd, {0}).end_block(true);
  program = a.program();
  program.blocks.resize(2);
  program.blocks[0].layer = "product";
  program.blocks[0].operation = "gemm";
  program.blocks[0].macs = 90;
  program.blocks[1].layer = "copy";
  Ran ran;
  ran.memory = a.image();
  SimulateOptions options;
  options.trace = true;
  auto result = simulate(program, ran.memory, options);
  if (!result) throw std::runtime_error(render(result.error()));
  ran.result = std::move(*result);
  return ran;
}

TEST(Statistics, CyclesAddUpExactly) {
  Assembly a(small_machine(3, 5));
  acg::Program program;
  const Statistics s = two_layers(a, program).result.statistics;
  ASSERT_EQ(s.blocks.size(), 2U);
  uint64_t total = 0;
  for (const BlockStatistics& block : s.blocks) {
    uint64_t parts = block.compute;
    for (const auto& [cause, cycles] : block.stalls) {
      EXPECT_GT(cycles, 0U) << cause;  // causes without stalls are not listed
      parts += cycles;
    }
    EXPECT_EQ(parts, block.cycles) << block.layer;
    total += block.cycles;
  }
  EXPECT_EQ(total, s.cycles);
  EXPECT_EQ(s.blocks[0].done + s.blocks[1].cycles, s.blocks[1].done);
  for (const EngineStatistics& engine : s.engines) {
    uint64_t parts = engine.busy + engine.control + engine.drain + engine.idle;
    for (const auto& [cause, cycles] : engine.stalls) {
      EXPECT_GT(cycles, 0U) << cause;
      parts += cycles;
    }
    EXPECT_EQ(parts, s.cycles) << engine.engine;
  }
  for (const BlockStatistics& block : s.blocks) {
    for (const auto& [cause, cycles] : block.stalls) EXPECT_GT(cycles, 0U) << cause;
  }
}

TEST(Statistics, SayWhatWasDone) {
  Assembly a(small_machine(3, 5));
  acg::Program program;
  const Statistics s = two_layers(a, program).result.statistics;
  EXPECT_EQ(s.blocks[0].layer, "product");
  EXPECT_EQ(s.blocks[0].engine, "SA");
  EXPECT_EQ(s.blocks[0].compute, 6U);
  EXPECT_GT(s.blocks[0].stalls.at("IBUF.full"), 40U);  // its first tile: the latency of the memory
  EXPECT_GT(s.blocks[0].stalls.at("fetch"), 40U);
  EXPECT_DOUBLE_EQ(s.blocks[0].utilisation, 90.0 / (15.0 * static_cast<double>(s.blocks[0].cycles)));
  const auto access = [&s](const std::string& operand, const std::string& engine) {
    for (const AccessStatistics& entry : s.accesses) {
      if (entry.operand == operand && entry.engine == engine) return std::pair{entry.reads, entry.writes};
    }
    return std::pair<uint64_t, uint64_t>{99, 99};
  };
  EXPECT_EQ(access("input", "SA"), (std::pair<uint64_t, uint64_t>{6, 0}));
  EXPECT_EQ(access("weight", "SA"), (std::pair<uint64_t, uint64_t>{6, 0}));
  EXPECT_EQ(access("bias", "SA"), (std::pair<uint64_t, uint64_t>{6, 0}));
  EXPECT_EQ(access("output", "SA"), (std::pair<uint64_t, uint64_t>{0, 6}));
  EXPECT_EQ(access("onchip", "DRAM->IBUF"), (std::pair<uint64_t, uint64_t>{0, 6}));
  EXPECT_EQ(access("onchip", "VMEM1->DRAM"), (std::pair<uint64_t, uint64_t>{24, 0}));
  for (const OffchipStatistics& entry : s.offchip) {
    if (entry.engine == "DRAM->IMEM") {
      EXPECT_EQ(entry.bytes_read % 4, 0U);
    }
    if (entry.engine == "DRAM->IBUF") {
      EXPECT_EQ(std::pair(entry.bytes_read, entry.beats), std::pair(uint64_t{18}, uint64_t{2}));
    }
    if (entry.engine == "VMEM1->DRAM") {
      EXPECT_EQ(std::pair(entry.bytes_written, entry.beats), std::pair(uint64_t{120}, uint64_t{9}));
    }
  }
  for (const AccessStatistics& whole : s.accesses) {
    uint64_t reads = 0;
    uint64_t writes = 0;
    for (const auto& [block, part] : s.block_accesses) {
      const bool is_same = part.engine == whole.engine && part.memory == whole.memory && part.operand == whole.operand;
      reads += is_same ? part.reads : 0;
      writes += is_same ? part.writes : 0;
    }
    EXPECT_EQ(std::pair(reads, writes), std::pair(whole.reads, whole.writes)) << whole.engine;
  }
  for (const OffchipStatistics& whole : s.offchip) {
    OffchipStatistics sum{whole.engine, whole.operand, 0, 0, 0, 0};
    for (const auto& [block, part] : s.block_offchip) {
      if (part.engine != whole.engine) continue;
      EXPECT_LT(block, 2U);
      sum.bytes_read += part.bytes_read;
      sum.bytes_written += part.bytes_written;
      sum.bytes_filled += part.bytes_filled;
      sum.beats += part.beats;
    }
    EXPECT_EQ(sum, whole);
  }
  for (const OperationStatistics& entry : s.operations) {
    if (entry.operation == "systolic_array.gemm") {
      EXPECT_EQ(entry.operations, 90U);
    }
    if (entry.operation == "control.block_end") {
      EXPECT_EQ(entry.words, 2U);
    }
    if (entry.operation == "sequencer.end") {
      EXPECT_EQ(entry.words, 6U);
    }
  }
}

/// An engine that does one command, and no word before it, spends no cycle on words without a port.
TEST(Statistics, NameNoCauseWithoutACycle) {
  Assembly a(small_machine(3, 5));
  a.group("DRAM->IBUF").op(Operation::kLoad, {17}).end_block(true);
  const Statistics s = run(a).result.statistics;
  ASSERT_EQ(s.blocks.size(), 1U);
  EXPECT_EQ(s.blocks[0].engine, "DRAM->IBUF");
  EXPECT_FALSE(s.blocks[0].stalls.contains("control"));
  EXPECT_TRUE(s.blocks[0].stalls.contains("fetch"));
}

/// Reads and writes of the destination by a sum over the inner one of two levels, in an outer tile loop.
std::pair<uint64_t, uint64_t> destination_of_a_sum(int32_t first_level, bool is_marked) {
  Assembly a(small_machine(4, 4));
  const int32_t v1 = a.memory("VMEM1");
  const int32_t v2 = a.memory("VMEM2");
  a.group("SIMD").op(Operation::kTypes, {kI32, kI8, kI8}).op(Operation::kSimdReduce, {first_level});
  a.iterator("VMEM1", 0, 0, 4).iterator("VMEM1", 1, 0, 12).iterator("VMEM2", 0, 0, 4);
  a.op(Operation::kSimdTrip, {1, 2}).op(Operation::kSimdIndex, {v1, 0, v2, 0, v2, 0});
  a.op(Operation::kSimdTrip, {2, 4}).op(Operation::kSimdIndex, {v1, 1, v2, 0, v2, 0});
  a.op(Operation::kLoop, {0, 1, is_marked ? 1 : 0}).op(Operation::kReduceSum, {v1, 0, v2, 0, v2, 0});
  a.op(Operation::kEnd, {0}).end_block(true);
  const Statistics s = run(a).result.statistics;
  for (const AccessStatistics& entry : s.accesses) {
    if (entry.operand == "dst") return {entry.reads, entry.writes};
  }
  return {99, 99};
}

/// A vector of sums is four addresses: three results, one result for each of 15 steps, or one for all.
TEST(Statistics, AReductionWritesOncePerResult) {
  EXPECT_EQ(destination_of_a_sum(2, false), (std::pair<uint64_t, uint64_t>{0, 2 * 3 * 4}));
  EXPECT_EQ(destination_of_a_sum(3, false), (std::pair<uint64_t, uint64_t>{0, 2 * 15 * 4}));
  EXPECT_EQ(destination_of_a_sum(1, false), (std::pair<uint64_t, uint64_t>{0, 2 * 4}));
  // A reduction that resumes over a marked loop reads its earlier result, from the second iteration on.
  EXPECT_EQ(destination_of_a_sum(2, true), (std::pair<uint64_t, uint64_t>{3 * 4, 2 * 3 * 4}));
}

TEST(Statistics, AreJsonWithTheDocumentedKeys) {
  Assembly a(small_machine(3, 5));
  acg::Program program;
  const Ran ran = two_layers(a, program);
  const auto json = nlohmann::json::parse(to_json(ran.result.statistics));
  EXPECT_EQ(json["cycles"], ran.result.cycles);
  EXPECT_EQ(json["blocks"][1]["layer"], "copy");
  for (const char* key :
       {"blocks", "engines", "accesses", "offchip", "operations", "block_accesses", "block_offchip"}) {
    EXPECT_TRUE(json[key].is_array());
    EXPECT_FALSE(json[key].empty());
  }
  const auto trace = nlohmann::json::parse(ran.result.trace);
  EXPECT_GT(trace["traceEvents"].size(), 20U);
  size_t arrows = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] != "f") continue;
    ++arrows;
    for (const auto& start : trace["traceEvents"]) {
      if (start["ph"] == "s" && start["id"] == event["id"]) {
        EXPECT_LT(start["ts"], event["ts"]);
      }
    }
  }
  EXPECT_GT(arrows, 0U);
}

}  // namespace
}  // namespace covenant::sim
