// Instructions that are selected for computes of codelets: their results are those of the interpreter of codelets, on
// our core and in QEMU; loops of them reach the bound of their multiplications.
#include "compiler/families/vliw/selection.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>

#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/element.h"
#include "compiler/families/fixed_scales.h"
#include "compiler/families/vliw/lookup_tables.h"
#include "tests/property/acg/random_source.h"
#include "tests/property/vliw/run.h"
#include "tests/unit/vliw/build.h"

namespace covenant::compiler::vliw {
namespace {

using namespace testing;
using acg::testing::RandomSource;
using codelet::Constant;

constexpr uint32_t kData = 0x1000000, kRoom = 0x10000;  // address and room of each operand, the result last
constexpr uint32_t kVector = 128, kTrips = 20;

/// An operand: bytes that are loaded in each trip, or once in front of the loop, or a constant.
struct Operand {
  DType dtype = DType::kI32;
  std::vector<uint8_t> data{};
  Constant constant{};
  bool is_kept = false;
  bool is_table = false;  ///< the table of LOOKUP: 256 bytes, kept

  /// Registers of an operand in a compute of `lanes` lanes.
  uint32_t registers(uint32_t lanes) const {
    return (is_table ? static_cast<uint32_t>(data.size()) : lanes * bytes(dtype)) / kVector;
  }
};

struct Case {
  codelet::Compute compute;
  DType dtype = DType::kU8;
  uint32_t lanes = 128;
  std::vector<Operand> operands;

  uint32_t stored() const { return lanes * bytes(dtype) / kVector; }
  uint32_t place(size_t operand) const { return kData + static_cast<uint32_t>(operand) * kRoom; }
};

class CaseCode {
 public:
  explicit CaseCode(const Case& wanted) : case_(wanted), writer_(hvx()) {}

  Code write() {
    std::vector<CodeStep> front;
    SelectedCompute selected{case_.compute, case_.dtype, {}, {}};
    CodeLoop loop{kTrips, {}};
    for (size_t i = 0; i < case_.operands.size(); ++i) {
      const Operand& operand = case_.operands[i];
      if (operand.data.empty()) {
        selected.operands.push_back({operand.dtype, operand.constant});
      } else {
        selected.operands.push_back({operand.dtype, load(i, operand.is_kept ? front : loop.body)});
      }
    }
    for (uint32_t i = 0; i < case_.stored(); ++i) selected.result.push_back(writer_.vector());
    if (codelet::function_named(case_.compute.capability).value().accumulates) {
      EXPECT_TRUE(start_sum(selected, writer_, loop.body));
    }
    BroadcastCache broadcasts;
    const Status done = select(selected, writer_, broadcasts, loop.body);
    EXPECT_TRUE(done) << (done ? "" : render(done.error()));
    const Name to = pointer(case_.operands.size());
    for (uint32_t i = 0; i < selected.result.size(); ++i) {
      writer_.add(loop.body, kVs32bAi, {to, static_cast<int32_t>(i), selected.result[i]}, kResult);
    }
    steps_.insert(steps_.begin(), std::make_move_iterator(front.begin()), std::make_move_iterator(front.end()));
    writer_.add(loop.body, kA2Addi, {to, to, static_cast<int32_t>(kVector * selected.result.size())});
    steps_.emplace_back(std::move(loop));
    return writer_.take(std::move(steps_));
  }

 private:
  static constexpr uint32_t kResult = 100;

  Name pointer(size_t operand) { return writer_.scalar(static_cast<int32_t>(case_.place(operand))); }

  std::vector<Name> load(size_t operand, std::vector<CodeStep>& to) {
    const Name from = pointer(operand);
    std::vector<Name> loaded;
    for (uint32_t i = 0; i < case_.operands[operand].registers(case_.lanes); ++i) {
      loaded.push_back(writer_.vector());
      writer_.add(to, kVl32bAi, {loaded.back(), from, static_cast<int32_t>(i)}, static_cast<uint32_t>(operand + 1));
    }
    writer_.add(to, kA2Addi, {from, from, static_cast<int32_t>(kVector * loaded.size())});
    return loaded;
  }

  const Case& case_;
  Writer writer_;
  std::vector<CodeStep> steps_;
};

int32_t lane(const Operand& operand, size_t i) {
  if (operand.data.empty()) {
    return info(operand.dtype).is_float ? std::bit_cast<int32_t>(operand.constant.real)
                                        : static_cast<int32_t>(operand.constant.integer);
  }
  if (operand.dtype == DType::kU8) return operand.data[i];
  if (operand.dtype == DType::kI8) return static_cast<int8_t>(operand.data[i]);
  int32_t word = 0;
  std::memcpy(&word, &operand.data[4 * i], 4);
  return word;
}

/// The elements that the compute takes for its result `i`, with `at_once` of them at once.
std::vector<int32_t> lanes_at(const Operand& operand, size_t i, uint32_t at_once) {
  if (!operand.is_table) return {lane(operand, operand.is_kept ? i % at_once : i)};
  std::vector<int32_t> entries;
  for (size_t k = 0; k < operand.data.size(); ++k) entries.push_back(lane(operand, k));
  return entries;
}

int32_t attribute(const Case& wanted, const char* name) {
  const auto found = wanted.compute.attributes.find(name);
  return found == wanted.compute.attributes.end() ? 0 : static_cast<int32_t>(found->second.constant().value());
}

/// The bytes of an operand as the core reads them.
std::vector<uint8_t> as_it_lies(const Case& wanted, const Operand& operand) {
  if (operand.is_table) return lanes_of_table(operand.data);
  const bool is_scale = operand.dtype == DType::kF32 && !operand.data.empty();
  return is_scale ? fractions_of(operand.data, attribute(wanted, "shift"), 32) : operand.data;
}

std::vector<uint8_t> expected(const Case& wanted) {
  std::vector<uint8_t> result;
  const codelet::Function function = codelet::function_named(wanted.compute.capability).value().function;
  const codelet::Quantization quantization{attribute(wanted, "zero_point"), attribute(wanted, "lowest"),
                                           attribute(wanted, "highest"), attribute(wanted, "shift")};
  for (size_t i = 0; i < size_t{kTrips} * wanted.lanes; ++i) {
    std::vector<std::vector<int32_t>> lanes;
    for (const Operand& operand : wanted.operands) lanes.push_back(lanes_at(operand, i, wanted.lanes));
    const std::vector<std::span<const int32_t>> operands(lanes.begin(), lanes.end());
    int32_t made = 0;
    codelet::apply(function, operands, quantization, true, {&made, 1});
    for (uint32_t byte = 0; byte < bytes(wanted.dtype); ++byte) {
      result.push_back(static_cast<uint8_t>(static_cast<uint32_t>(made) >> 8 * byte));
    }
  }
  return result;
}

/// Packets per trip of the single loop, which stores `stored` registers per trip: pipelined code may hold several
/// trips.
double packets_of_trip(const std::vector<PacketStep>& steps, uint32_t stored) {
  size_t packets = 0, stores = 0;
  for (const PacketStep& step : steps) {
    const auto* loop = std::get_if<PacketLoop>(&step);
    if (loop == nullptr) continue;
    for (const PacketStep& within : loop->body) {
      ++packets;
      for (const CodeInstruction& one : std::get<CodePacket>(within).instructions) {
        if (one.instruction.operation == operation_of(kVs32bAi)) ++stores;
      }
    }
  }
  EXPECT_GT(stores, 0U);
  return static_cast<double>(packets) * stored / static_cast<double>(stores);
}

/// Runs a case, compares, and returns the packets of a trip.
double check(const Case& wanted, bool is_in_qemu) {
  const Code code = CaseCode(wanted).write();
  PacketCode packets = packetize(code, hvx());
  auto steps = allocated(packets, hvx());
  if (!steps) {  // as the compiler does it: what does not fit is made slower
    packets = packetize(code, hvx(), {.pipeline = false});
    steps = allocated(packets, hvx());
  }
  if (!steps) {
    ADD_FAILURE() << render(steps.error());
    return 0;
  }
  std::vector<uint8_t> data(kRoom * (wanted.operands.size() + 1));
  for (size_t i = 0; i < wanted.operands.size(); ++i) {
    const std::vector<uint8_t> lies = as_it_lies(wanted, wanted.operands[i]);
    std::copy(lies.begin(), lies.end(), data.begin() + static_cast<std::ptrdiff_t>(i * kRoom));
  }
  const std::vector<uint8_t> result = expected(wanted);
  const uint32_t at = wanted.place(wanted.operands.size());
  const std::vector<uint8_t> program = program_of(hvx(), {}, {}, *steps, {at, static_cast<uint32_t>(result.size())});
  uint64_t executed = 0;
  const std::vector<uint8_t> after = on_our_core(hvx(), program, data, kData, executed);
  const auto begin = after.begin() + static_cast<std::ptrdiff_t>(at - kData);
  EXPECT_TRUE(std::equal(result.begin(), result.end(), begin)) << wanted.compute.capability;
  if (is_in_qemu) {
    EXPECT_TRUE(in_qemu(program, data, kData) == result) << wanted.compute.capability;
  }
  return packets_of_trip(packets.steps, wanted.stored());
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : random(seed) {}

  Operand bytes_of(DType dtype) {
    Operand operand{dtype};
    operand.data.resize(size_t{kTrips} * 128);
    for (uint8_t& byte : operand.data) byte = static_cast<uint8_t>(random.between(0, 255));
    return operand;
  }
  Operand sums() {
    Operand operand{DType::kI32};
    operand.data.resize(size_t{kTrips} * 512);
    for (size_t i = 0; i < operand.data.size(); i += 4) {
      const auto sum = static_cast<int32_t>(random.between(INT32_MIN, INT32_MAX)) >> random.between(0, 31);
      std::memcpy(&operand.data[i], &sum, 4);
    }
    return operand;
  }
  float scale(int least, int most) {
    return std::ldexp(0.5F + static_cast<float>(random.between(0, (1 << 23) - 1)) * 0x1p-24F,
                      static_cast<int>(random.between(least, most)));
  }
  /// Up to 2^most.
  Operand scales(int most) {
    Operand operand{DType::kF32};
    operand.data.resize(size_t{kTrips} * 512);
    for (size_t i = 0; i < operand.data.size(); i += 4) {
      const float real = scale(most - 8, most);
      std::memcpy(&operand.data[i], &real, 4);
    }
    return operand;
  }
  void limits(Case& wanted) {
    const auto [least, most] = codelet::integer_range(wanted.dtype);
    const int64_t lowest = random.between(0, 2) == 0 ? random.between(least, most) : least;
    wanted.compute.attributes["lowest"] = lowest;
    wanted.compute.attributes["highest"] = random.between(0, 2) == 0 ? random.between(lowest, most) : most;
  }

  RandomSource random;
};

Operand constant(float real) { return {DType::kF32, {}, Constant{DType::kF32, 0, real}}; }

TEST(Selection, SumsAreScaled) {
  Draw draw(41);
  for (int i = 0; i < 60; ++i) {
    Case wanted{{{}, "HVX", "REQUANT_FIXED", {}, {}}, i % 2 == 0 ? DType::kU8 : DType::kI8, 128, {draw.sums()}};
    const auto shift = static_cast<int32_t>(draw.random.between(i < 40 ? 0 : -16, 15));
    wanted.operands.push_back(i % 3 == 0 ? constant(draw.scale(-shift - 4, -shift)) : draw.scales(-shift));
    wanted.operands.back().is_kept = i % 3 == 1;
    wanted.compute.attributes["shift"] = int64_t{shift};
    const auto [least, most] = codelet::integer_range(wanted.dtype);
    wanted.compute.attributes["zero_point"] = draw.random.between(least, most);
    draw.limits(wanted);
    check(wanted, i % 10 == 0);
  }
}

TEST(Selection, ScaledSumsTakeNoMorePacketsThanMultiplications) {
  Draw draw(42);
  for (const DType dtype : {DType::kU8, DType::kI8}) {
    for (const bool is_kept : {false, true}) {
      Case wanted{{{}, "HVX", "REQUANT_FIXED", {}, {}}, dtype, 128, {draw.sums(), draw.scales(-7)}};
      wanted.operands.back().is_kept = is_kept;
      const auto [least, most] = codelet::integer_range(dtype);
      wanted.compute.attributes = {{"shift", 7}, {"zero_point", 3}, {"lowest", least}, {"highest", most}};
      const double packets = check(wanted, true);
      std::cout << name(dtype) << (is_kept ? ", scales kept: " : ", scales loaded: ") << packets << " packets\n";
      EXPECT_EQ(packets, 8.0);
    }
  }
}

TEST(Selection, BytesAreScaledAndAdded) {
  Draw draw(43);
  for (int i = 0; i < 48; ++i) {
    const auto type = [&](int bit) { return (i >> bit & 1) == 0 ? DType::kU8 : DType::kI8; };
    Case wanted{
        {{}, "HVX", "REQUANT_ADD_FIXED", {}, {}}, type(0), 128, {draw.bytes_of(type(1)), draw.bytes_of(type(2))}};
    for (int k = 0; k < 2; ++k) wanted.operands.push_back(constant(draw.scale(-5, i < 40 ? 2 : 16)));
    wanted.operands.push_back(constant(static_cast<float>(draw.random.between(-300, 300)) * draw.scale(-2, 1)));
    draw.limits(wanted);
    EXPECT_LE(check(wanted, i < 8), 7.0) << "with all limits; six without";
  }
}

TEST(Selection, BytesAreMultipliedAndScaled) {
  Draw draw(47);
  for (int i = 0; i < 64; ++i) {
    const auto type = [&](int bit) { return (i >> bit & 1) == 0 ? DType::kU8 : DType::kI8; };
    Case wanted{
        {{}, "HVX", "REQUANT_MUL_FIXED", {}, {}}, type(0), 128, {draw.bytes_of(type(1)), draw.bytes_of(type(2))}};
    const auto shift = static_cast<int32_t>(i < 48 ? draw.random.between(0, 15) : draw.random.between(-16, -1));
    wanted.operands.push_back(constant(draw.scale(-shift - 2, -shift)));
    for (int k = 1; k < 3; ++k) {
      const auto [least, most] = codelet::integer_range(type(k));
      const int64_t zero_point = i % 5 == k ? 0 : i % 7 == k ? least : draw.random.between(least, most);
      wanted.operands.push_back({DType::kI32, {}, {DType::kI32, zero_point, 0}});
    }
    const auto [least, most] = codelet::integer_range(wanted.dtype);
    wanted.compute.attributes = {{"shift", int64_t{shift}}, {"zero_point", draw.random.between(least, most)}};
    draw.limits(wanted);
    const double packets = check(wanted, i < 16 || i >= 56);
    if (shift >= 0) {
      EXPECT_EQ(packets, 10.0) << "eight multiplications by the scale, two of the bytes";
    }
  }
}

TEST(Selection, BytesAreLookedUp) {
  Draw draw(46);
  for (const DType from : {DType::kU8, DType::kI8}) {
    for (const DType dtype : {DType::kU8, DType::kI8}) {
      Case wanted{{{}, "HVX", "LOOKUP", {}, {}}, dtype, 128, {draw.bytes_of(from), draw.bytes_of(dtype)}};
      Operand& table = wanted.operands.back();
      table.data.resize(256);
      table.is_kept = table.is_table = true;
      const double packets = check(wanted, true);
      std::cout << name(from) << " to " << name(dtype) << ": " << packets << " packets\n";
      EXPECT_EQ(packets, 8.0) << "a permutation for each slice of 32 entries";
    }
  }
}

TEST(Selection, BytesAreSummedUp) {
  Draw draw(44);
  for (const DType dtype : {DType::kU8, DType::kI8}) {
    const Case wanted{{{}, "HVX", "REDUCE_SUM", {}, {}}, DType::kI32, 128, {draw.bytes_of(dtype)}};
    check(wanted, true);
  }
}

TEST(Selection, LanesMeetConstants) {
  Draw draw(45);
  for (const DType dtype : {DType::kU8, DType::kI8}) {
    for (const char* name : {"MAX", "MIN"}) {
      const auto [least, most] = codelet::integer_range(dtype);
      const Constant limit{DType::kI32, draw.random.between(least, most), 0};
      check({{{}, "HVX", name, {}, {}}, dtype, 128, {draw.bytes_of(dtype), {DType::kI32, {}, limit}}}, true);
    }
  }
}

}  // namespace
}  // namespace covenant::compiler::vliw
