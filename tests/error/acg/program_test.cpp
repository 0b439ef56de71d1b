// Invalid program files: PRG0001 to PRG0006.
#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "acg/graph/queries.h"
#include "acg/program/program_file.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg {
namespace {

using Json = nlohmann::json;
using testing::small_program;

Diagnostic refused(const std::vector<uint8_t>& bytes) {
  const Result<Program> program = read_program(bytes, "p.cprog");
  if (!program) {
    EXPECT_EQ(program.error().where.file, "p.cprog");
    EXPECT_FALSE(program.error().fix.empty());
    return program.error();
  }
  ADD_FAILURE() << "accepted";
  return {};
}

void put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t count) {
  for (size_t i = 0; i < count; ++i) bytes.at(at + i) = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t number_at(const std::vector<uint8_t>& bytes, size_t at) {
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t{bytes.at(at + i)} << (8 * i);
  return value;
}

/// Repairs sizes and the checksum of the header, written from the documented layout, not with the library's code.
void repair(std::vector<uint8_t>& bytes, size_t header_bytes) {
  put(bytes, 16, bytes.size(), 8);
  put(bytes, 24, header_bytes, 8);
  uint32_t sum = static_cast<uint32_t>(crc32(0, bytes.data(), 12));
  sum = static_cast<uint32_t>(crc32(sum, bytes.data() + 16, static_cast<uInt>(16 + header_bytes)));
  put(bytes, 12, sum, 4);
}

/// The file with another header and right checksums.
std::vector<uint8_t> with_header(const std::string& header) {
  const std::vector<uint8_t> good = write_program(small_program());
  const size_t old_end = 32 + static_cast<size_t>(number_at(good, 24));
  std::vector<uint8_t> bytes(32 + header.size());
  std::copy(good.begin(), good.begin() + 32, bytes.begin());
  std::copy(header.begin(), header.end(), bytes.begin() + 32);
  bytes.resize((bytes.size() + 7) / 8 * 8);
  bytes.insert(bytes.end(), good.begin() + static_cast<std::ptrdiff_t>((old_end + 7) / 8 * 8), good.end());
  repair(bytes, header.size());
  return bytes;
}

template <typename Change>
Diagnostic refused_after(Change change) {
  const std::vector<uint8_t> good = write_program(small_program());
  const auto begin = good.begin() + 32;
  Json json = Json::parse(begin, begin + static_cast<std::ptrdiff_t>(number_at(good, 24)));
  change(json);
  return refused(with_header(json.dump()));
}

TEST(ProgramErrors, TheHelperItselfIsRight) {
  const std::vector<uint8_t> good = write_program(small_program());
  const auto begin = good.begin() + 32;
  EXPECT_EQ(with_header(std::string(begin, begin + static_cast<std::ptrdiff_t>(number_at(good, 24)))), good);
}

TEST(ProgramErrors, NoProgram) {
  EXPECT_EQ(refused({}).code, "PRG0001");
  EXPECT_EQ(refused({'C', 'O', 'V'}).code, "PRG0001");
  EXPECT_EQ(refused(std::vector<uint8_t>(1000, 0)).code, "PRG0001");
  EXPECT_EQ(refused({}).fix, "give a file that `covenant compile` has written");
}

TEST(ProgramErrors, AnotherVersion) {
  std::vector<uint8_t> bytes = write_program(small_program());
  put(bytes, 8, kProgramFileVersion + 1, 4);
  const Diagnostic said = refused(bytes);
  EXPECT_EQ(said.code, "PRG0002");
  EXPECT_EQ(said.offending, std::to_string(kProgramFileVersion + 1));
  EXPECT_EQ(said.allowed, std::vector<std::string>{std::to_string(kProgramFileVersion)});
}

TEST(ProgramErrors, TruncatedAnywhere) {
  const std::vector<uint8_t> good = write_program(small_program());
  for (size_t size = 8; size < good.size(); size += size < 64 ? 1 : 37) {
    EXPECT_EQ(refused({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}).code, "PRG0003") << size;
  }
}

TEST(ProgramErrors, BytesPastTheEnd) {
  std::vector<uint8_t> bytes = write_program(small_program());
  bytes.push_back(0);
  EXPECT_EQ(refused(bytes).code, "PRG0003");
}

TEST(ProgramErrors, CorruptedPartsAreNamed) {
  const std::vector<uint8_t> good = write_program(small_program());
  const auto after_flip = [&](size_t at) {
    std::vector<uint8_t> bytes = good;
    bytes.at(at) ^= 0x10;
    return refused(bytes);
  };
  EXPECT_EQ(after_flip(40).code, "PRG0004");
  EXPECT_EQ(after_flip(40).offending, "header");
  EXPECT_EQ(after_flip(good.size() - 8).offending, "segment weights");
  EXPECT_EQ(after_flip(good.size() - 1).offending, "padding");
  EXPECT_EQ(after_flip(good.size() - 8 - 40).offending, "segment instructions");
}

TEST(ProgramErrors, CorruptedEndsAreNamed) {
  Program program = small_program();
  program.host_start = {1, 2, 3, 4, 5, 6, 7, 8};
  program.host_end = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<uint8_t> bytes = write_program(program);
  bytes.back() ^= 1;
  EXPECT_EQ(refused(bytes).code, "PRG0004");
  EXPECT_EQ(refused(bytes).offending, "what the host computes last");
  bytes[bytes.size() - 9] ^= 1;
  EXPECT_EQ(refused(bytes).offending, "what the host computes first");
}

TEST(ProgramErrors, HostileSizes) {
  std::vector<uint8_t> bytes = write_program(small_program());
  for (uint64_t size : {UINT64_MAX, UINT64_MAX - 31, uint64_t{1} << 63, uint64_t{bytes.size()}}) {
    put(bytes, 24, size, 8);
    EXPECT_EQ(refused(bytes).code, "PRG0004");
  }
  for (uint64_t size : {UINT64_MAX, uint64_t{1} << 40}) {
    EXPECT_EQ(refused_after([&](Json& json) { json["host_start"]["bytes"] = size; }).code, "PRG0004");
    EXPECT_EQ(refused_after([&](Json& json) { json["host_end"]["bytes"] = size; }).code, "PRG0004");
    EXPECT_EQ(refused_after([&](Json& json) { json["segments"][0]["bytes"] = size; }).code, "PRG0004");
    EXPECT_EQ(refused_after([&](Json& json) { json["segments"][0]["size"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["segments"][2]["address"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["memory_bytes"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["entry"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["blocks"][0]["words"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["blocks"][0]["first_word"] = size; }).code, "PRG0006");
    EXPECT_EQ(refused_after([&](Json& json) { json["inputs"][0]["shape"] = Json::array({size, 3, size, 4}); }).code,
              "PRG0006");
  }
}

TEST(ProgramErrors, HeadersOfAnotherForm) {
  EXPECT_EQ(refused(with_header("")).code, "PRG0005");
  EXPECT_EQ(refused(with_header("not json")).code, "PRG0005");
  EXPECT_EQ(refused(with_header(std::string(1'000'000, '['))).code, "PRG0005");
  EXPECT_EQ(refused(with_header(std::string(500'000, '[') + std::string(500'000, ']'))).code, "PRG0005");
  EXPECT_EQ(refused(with_header("{}")).code, "PRG0005");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["strides"][1][0] = Json::array({3}); }).code, "PRG0005");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["strides"].push_back(Json::array()); }).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["strides"][1] = Json::array(); }).code, "PRG0006");
  for (const uint64_t count : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
    EXPECT_EQ(refused_after([&](Json& json) { json["inputs"][0]["strides"][3][0][0] = count; }).code, "PRG0006");
  }
  for (const uint64_t stride : {uint64_t{17}, UINT64_MAX}) {
    EXPECT_EQ(refused_after([&](Json& json) { json["inputs"][0]["strides"][2][0][1] = stride; }).code, "PRG0006");
  }
  const Diagnostic said = refused_after([](Json& json) { json["blocks"][1].erase("layer"); });
  EXPECT_EQ(said.code, "PRG0005");
  EXPECT_EQ(said.subject, "/blocks/1");
  EXPECT_EQ(said.fix, "compile the model again");
  EXPECT_EQ(refused_after([](Json& json) { json["segments"][0]["kind"] = "stack"; }).code, "PRG0005");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["dtype"] = "i9"; }).code, "PRG0005");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["scale"] = nullptr; }).code, "PRG0005");
  EXPECT_EQ(refused_after([](Json& json) { json["extra"] = 1; }).code, "PRG0005");
}

TEST(ProgramErrors, PartsThatContradictEachOther) {
  EXPECT_EQ(refused_after([](Json& json) { json["segments"][1]["name"] = "instructions"; }).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) { json["segments"][1]["kind"] = "instructions"; }).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) { json["segments"][1]["size"] = 6; }).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) { json["blocks"][0]["bindings"]["a"] = "z"; }).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) { json["inputs"][0]["elements"] = 62; }).code, "PRG0006");
  const Diagnostic said = refused_after([](Json& json) { json["blocks"][1]["words"] = 5; });
  EXPECT_EQ(said.code, "PRG0006");
  EXPECT_EQ(said.offending, "5 words from word 6 on");
}

TEST(ProgramErrors, WhatMayNotBeEnteredOrIsNotWhole) {
  const auto stream_of = [](Program& program) -> Segment& {
    for (Segment& segment : program.segments) {
      if (segment.kind == SegmentKind::kInstructions) return segment;
    }
    throw std::runtime_error("no instructions");
  };
  Program program = small_program();
  const Segment& stream = stream_of(program);
  program.entry = stream.address + stream.size - 4;
  EXPECT_TRUE(read_program(write_program(program), "good.cprog"));
  program.entry = stream.address + stream.size;
  EXPECT_EQ(refused(write_program(program)).subject, "entry");

  program = small_program();
  Segment& cut = stream_of(program);
  cut.data.resize(cut.data.size() - 2);
  cut.size -= 2;
  EXPECT_EQ(refused(write_program(program)).message, "instructions are not whole words");
}

TEST(ProgramErrors, ItsMachineIsValidated) {
  EXPECT_EQ(refused_after([](Json& json) { json["machine"]["memories"][2]["banks"] = 5; }).code, "ACG0017");
}

/// The small program on a machine whose words lie in a memory of their own, after all else.
Program program_apart() {
  Program program = small_program();
  const std::string text =
      testing::with("DRAM -> IMEM", "ROM -> IMEM",
                    testing::with("memory IMEM", "memory ROM { kind = offchip; depth = 128; }\n  memory IMEM"));
  program.machine = testing::parsed(text);
  const auto memory = [&](const char* name) { return find_memory(program.machine, name).value(); };
  program.ranges = {{memory("DRAM"), 0, 1024}, {memory("ROM"), 1024, 128}};
  program.memory_bytes = 1152;
  program.segments[0].address = 1024;
  program.entry = 1024;
  return program;
}

Diagnostic refused_apart(const std::function<void(Program&)>& change) {
  Program program = program_apart();
  change(program);
  return refused(write_program(program));
}

TEST(ProgramErrors, RangesOfSeveralMemories) {
  const Program good = program_apart();
  const Result<Program> read = read_program(write_program(good), "p.cprog");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, good);
  EXPECT_EQ(entry_address(good), 0U);

  const auto message = [](const std::function<void(Program&)>& change) {
    const Diagnostic said = refused_apart(change);
    EXPECT_EQ(said.code, "PRG0006");
    return said.subject + ": " + said.message;
  };
  EXPECT_EQ(message([](Program& p) { p.ranges.pop_back(); }), "ranges: not one for each of several off-chip memories");
  EXPECT_EQ(message([](Program& p) { std::swap(p.ranges[0], p.ranges[1]); }),
            "ranges: not one for each of several off-chip memories");
  EXPECT_EQ(message([](Program& p) { p.ranges[1].first = 1000; }),
            "range of ROM: it does not lie after the one before it, within the program's memory");
  EXPECT_EQ(message([](Program& p) { p.ranges[1].bytes = 129; }),
            "range of ROM: it does not lie after the one before it, within the program's memory");
  EXPECT_EQ(message([](Program& p) {
              p.ranges[1].bytes = 129;
              p.memory_bytes = 1153;
            }),
            "range of ROM: more than the off-chip memory holds");
  EXPECT_EQ(message([](Program& p) { p.segments[1].address = 1022; }),
            "segment weights: it does not lie in one of the off-chip memories");
  EXPECT_EQ(message([](Program& p) { p.inputs[0].address = 980; }),
            "tensor x: it does not lie in one of the off-chip memories");
  EXPECT_EQ(message([](Program& p) {
              p.segments[0].address = 64;
              p.entry = 64;
            }),
            "segment instructions: instructions lie in another memory than they are fetched from");
}

TEST(ProgramErrors, StateIsOfInputsAndOutputsOfOneKind) {
  Program program = small_program();
  program.outputs = program.inputs;
  program.outputs[0].name = "next";
  program.state = {{"next", program.inputs[0].name}};
  const Result<Program> read = read_program(write_program(program), "small.cprog");
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(*read, program);
  const auto refused_with = [&](auto change) {
    Program changed = program;
    change(changed);
    const Diagnostic error = refused(write_program(changed));
    EXPECT_EQ(error.code, "PRG0006");
    return error.subject + ": " + error.message;
  };
  EXPECT_EQ(refused_with([](Program& p) { p.state[0].output = "last"; }),
            "state: an input or output that the program has not");
  EXPECT_EQ(refused_with([](Program& p) { p.outputs[0].pad_value += 1; }), "state x: it differs from its output");
  EXPECT_EQ(refused_with([](Program& p) { p.state.push_back(p.state[0]); }), "state x: a tensor is in two pairs");
  EXPECT_EQ(refused_after([](Json& json) { json["state"] = Json::array({{{"output", "y"}}}); }).code, "PRG0005");
}

TEST(ProgramErrors, RangesAreForSeveralMemories) {
  Program program = small_program();
  program.ranges = {{MemoryId{0}, 0, 4096}};
  EXPECT_EQ(refused(write_program(program)).code, "PRG0006");
  EXPECT_EQ(refused_after([](Json& json) {
              json["ranges"] = Json::array({{{"memory", "ROM"}, {"first", 0}, {"bytes", 1}}});
            }).code,
            "PRG0005");
}

}  // namespace
}  // namespace covenant::acg
