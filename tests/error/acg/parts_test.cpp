// Invalid files of several parts: PRG0001 to PRG0005, PRG0007, PRG0008.
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <zlib.h>

#include "acg/program/parts_file.h"
#include "acg/program/program_file.h"
#include "tests/unit/acg/small_parts.h"

namespace covenant::acg {
namespace {

using testing::small_parts;
using testing::small_program;
using Bytes = std::vector<uint8_t>;

std::string code_of(const Bytes& bytes) {
  const Result<ProgramParts> parts = read_parts(bytes, "p.cprog");
  if (parts) return "";
  EXPECT_EQ(parts.error().where.file, "p.cprog");
  EXPECT_FALSE(parts.error().fix.empty());
  return parts.error().code;
}

TEST(PartsErrors, NoProgramOfParts) {
  EXPECT_EQ(code_of({}), "PRG0001");
  EXPECT_EQ(code_of({'C', 'O', 'V', 'P', 'A', 'R', 'T'}), "PRG0001");
  EXPECT_EQ(code_of({'C', 'O', 'V', 'P', 'A', 'R', 'T', 'S'}), "PRG0003");
  Bytes other = write_parts(small_parts());
  other[8] = 9;
  EXPECT_EQ(code_of(other), "PRG0002");
}

TEST(PartsErrors, EachKindOfFileNamesTheOther) {
  EXPECT_EQ(code_of(write_program(small_program())), "PRG0007");
  const Result<Program> program = read_program(write_parts(small_parts()), "p.cprog");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().code, "PRG0007");
  EXPECT_EQ(program.error().where.file, "p.cprog");
  EXPECT_NE(program.error().fix.find("ProgramParts"), std::string::npos);
}

TEST(PartsErrors, EveryLengthIsRefused) {
  const Bytes good = write_parts(small_parts());
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string code = code_of(Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_EQ(code, size < 8 ? "PRG0001" : "PRG0003") << size;
  }
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_EQ(code_of(longer), "PRG0003");
}

TEST(PartsErrors, EveryFlippedBitIsRefused) {
  Bytes bytes = write_parts(small_parts());
  const size_t header_bits = 8 * (32 + bytes[24] + 256U * bytes[25]);
  for (size_t bit = 0; bit < 8 * bytes.size(); bit += bit < header_bits ? 1 : 107) {
    const auto mask = static_cast<uint8_t>(1U << (bit % 8));
    bytes[bit / 8] ^= mask;
    ASSERT_NE(code_of(bytes), "") << "bit " << bit;
    bytes[bit / 8] ^= mask;
  }
}

/// Changed headers whose checksum is right, as a hostile file has them: refused or read, but the reader does not fall.
TEST(PartsErrors, NoHeaderIsTrusted) {
  const Bytes good = write_parts(small_parts());
  const size_t header_bytes = good[24] + 256U * good[25];
  const std::string_view replacements = "0189-.e\"{}[],:x";
  std::mt19937 random(1);
  size_t refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Bytes bytes = good;
    for (int change = 0; change < 1 + round % 3; ++change) {
      bytes[32 + random() % header_bytes] = static_cast<uint8_t>(replacements[random() % replacements.size()]);
    }
    uLong sum = crc32(0, bytes.data(), 12);
    sum = crc32(sum, bytes.data() + 16, static_cast<uInt>(16 + header_bytes));
    for (size_t i = 0; i < 4; ++i) bytes[12 + i] = static_cast<uint8_t>(sum >> (8 * i));
    refused += code_of(bytes).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 3000U);
  EXPECT_LT(refused, 4000U) << "some change nothing";
}

/// The diagnostic of parts after a change: subject, message, offending value.
std::string said_of(const std::function<void(ProgramParts&)>& change, std::string_view code = "PRG0008") {
  ProgramParts parts = small_parts();
  change(parts);
  const Status fit = check_parts(parts, "p.cprog");
  if (fit) return "";
  EXPECT_EQ(fit.error().code, code);
  EXPECT_EQ(fit.error().where.file, "p.cprog");
  EXPECT_FALSE(fit.error().fix.empty());
  return fit.error().subject + ": " + fit.error().message + ": " + fit.error().offending;
}

TEST(PartsErrors, PartsAreProgramsAlone) {
  EXPECT_EQ(said_of([](ProgramParts& p) { p = {}; }), "parts: there is none: ");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[1].name = "1"; }), "part 1: two parts have one name: 1");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[0].program.host_end = {1}; }),
            "part 1: it has state or work of the host, which belong to the whole: tiny.onnx");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[1].program.state = {{"c_next", "c"}}; }),
            "part 2: it has state or work of the host, which belong to the whole: tiny.onnx");
}

TEST(PartsErrors, LinksLeadForward) {
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links[0].output.part = 7; }), "tensor y: there is no such part: 7");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links[0].output.tensor = "q"; }), "part 1: it has no such output: q");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links[0].input.tensor = "q"; }), "part 2: it has no such input: q");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links[0].output = {1, "z"}; }),
            "link to h of 2: it comes from no earlier part: z of 2");
}

TEST(PartsErrors, LinkedTensorsAreStoredAlike) {
  const std::string differs = "link to h of 2: it differs from the output that it is: y of 1";
  const std::vector<std::function<void(TensorBinding&)>> changes{
      [](TensorBinding& h) { h.dtype = DType::kU8; },     [](TensorBinding& h) { h.shape = {5, 1}; },
      [](TensorBinding& h) { h.pad_value += 1; },         [](TensorBinding& h) { h.host_quantizes = true; },
      [](TensorBinding& h) { h.quantization.scale = 2; }, [](TensorBinding& h) { h.quantization.zero_point = 2; }};
  for (const auto& change : changes) {
    EXPECT_EQ(said_of([&](ProgramParts& p) { change(p.parts[1].program.inputs[0]); }), differs);
  }
}

TEST(PartsErrors, EachInputIsGivenOnce) {
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links.push_back(p.links[0]); }), "input h of 2: it is given twice: h");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.inputs.push_back({"h", {1, "h"}}); }),
            "input h of 2: it is given twice: h");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.links.clear(); }), "part 2: nothing gives this input: h");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.inputs.erase(p.inputs.begin()); }), "part 1: nothing gives this input: x");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.inputs[2].tensor.part = 0; }), "part 1: it has no such input: c");
}

TEST(PartsErrors, PartsTakeAnInputInOneForm) {
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[1].program.inputs[1].shape = {1, 3, 2, 8}; }),
            "input image: parts take it in several forms: x of 2");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[1].program.inputs[1].host_quantizes = false; }),
            "input image: parts take it in several forms: x of 2");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.parts[1].program.inputs[1].quantization.scale = 3; }), "")
      << "real numbers can be quantised in several ways";
}

TEST(PartsErrors, OutputsAndState) {
  EXPECT_EQ(said_of([](ProgramParts& p) { p.outputs[1].name = "z"; }), "output z: it is two tensors: c_next");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.outputs[0].tensor.tensor = "q"; }), "part 2: it has no such output: q");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.state[0].output = "q"; }, "PRG0006"),
            "state: an input or output that the program has not: q");
  EXPECT_EQ(said_of([](ProgramParts& p) { p.state[0].input = "image"; }, "PRG0006"),
            "state image: it differs from its output: after");
}

}  // namespace
}  // namespace covenant::acg
