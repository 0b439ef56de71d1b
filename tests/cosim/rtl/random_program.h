/// Random legal programs that use every engine, loop, token, stride, limit and type. On machines with a second array,
/// some blocks use it.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "acg/base/rounding.h"
#include "acg/graph/numerics.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "acg/operations/simd_operation.h"
#include "tests/support/sim/assembly.h"

namespace covenant::rtl::testing {

using namespace covenant::sim::testing;  // Assembly and its constants

class RandomProgram {
 public:
  RandomProgram(const acg::Machine& machine, uint64_t seed)
      : random_(seed),
        a_(machine, code_of(machine)),
        machine_(machine),
        lanes_(static_cast<uint64_t>(
            integer_attribute(machine.computes[find_compute(machine, "SIMD").value().value], "lanes"))),
        in_fixed_point_(is_fixed_point(machine)),
        element_bits_(gemm_bits(machine, machine.computes[find_compute(machine, "SA").value().value], 0)) {
    if (find_compute(machine, "SA2")) {
      const auto role = [&](const char* name) { return get(machine, acg::role(machine, compute("SA2"), name)).name; };
      nodes_.push_back({"SA2", "SIMD", role("input"), role("weight"), role("bias"), role("output"), "VMEM2", "VMEM1"});
    }
    if (find_compute(machine, "SIMD2")) {
      nodes_.push_back({"SA", "SIMD2", "IBUF", "WBUF", "BBUF", "OBUF", "VMEM5", "VMEM4"});
    }
    const uint32_t blocks = 1 + below(3);
    for (uint32_t block = 0; block < blocks; ++block) {
      if (below(8) != 0) emit_block();
      a_.end_block(block + 1 == blocks);
    }
  }

  /// True for machines with one scratchpad between off-chip memory and each operand, under the usual names, and with as
  /// many iterators for each channel as the nests need.
  static bool suits(const acg::Machine& machine) {
    const std::vector<acg::Engine> engines = acg::engines(machine);
    const auto all = [&](std::initializer_list<const char*> names) {
      return std::all_of(names.begin(), names.end(), [&](const char* name) { return find_engine(engines, name); });
    };
    const auto if_there = [&](const char* memory, const char* engine) {
      return !find_memory(machine, memory) || find_engine(engines, engine).has_value();
    };
    const bool has_iterators =
        std::all_of(machine.memories.begin(), machine.memories.end(), [](const acg::Memory& one) {
          const bool is_addressed = one.name.starts_with("VMEM") || one.name.starts_with("OBUF");
          return !is_addressed || one.channel_entries() >= 8;
        });
    return has_iterators &&
           all({"SA", "SIMD", "DRAM->IBUF", "DRAM->WBUF", "DRAM->BBUF", "DRAM->VMEM2", "VMEM1->DRAM"}) &&
           if_there("IBUF2", "DRAM->IBUF2") && if_there("WBUF2", "DRAM->WBUF2") && if_there("BBUF2", "DRAM->BBUF2") &&
           if_there("VMEM5", "DRAM->VMEM5") && if_there("VMEM4", "VMEM4->DRAM");
  }

  acg::Program program() { return a_.program(); }
  std::vector<uint8_t> image() {
    std::vector<uint8_t> data(kData);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(random_());
    return a_.image(data);
  }

 private:
  static constexpr uint32_t kData = 67200;
  /// Past the data, on a beat.
  static uint64_t code_of(const acg::Machine& machine) {
    for (const acg::Edge& edge : machine.edges) {
      const auto* to = std::get_if<acg::MemoryId>(&edge.to);
      if (to == nullptr || get(machine, *to).kind != acg::MemoryKind::kInstruction) continue;
      return round_up<uint64_t>(kData, edge.bandwidth / 8);
    }
    return kData;
  }
  static constexpr uint32_t kOut = 32768;

  uint32_t below(uint32_t count) { return static_cast<uint32_t>(random_() % count); }
  int32_t pick(std::initializer_list<int32_t> values) {
    return *(values.begin() + below(static_cast<uint32_t>(values.size())));
  }
  /// The nodes and memories that the stages of a block use.
  struct Nodes {
    std::string array, simd, input, weight, bias, output, source, result;
  };
  const acg::Compute& compute(std::string_view name) const {
    return machine_.computes[find_compute(machine_, name).value().value];
  }
  /// Addresses that a vector of biases or sums takes.
  int32_t sums(std::string_view name) const {
    return static_cast<int32_t>(static_cast<uint64_t>(4 * integer_attribute(compute(on_.array), "columns")) /
                                memory(name).unit_bytes());
  }
  /// Addresses that a vector of the SIMD array takes.
  int32_t units(std::string_view name, bool wide) const {
    return static_cast<int32_t>((wide ? 32U : element_bits_) * lanes_ / 8 / memory(name).unit_bytes());
  }
  const acg::Memory& memory(std::string_view name) const {
    return machine_.memories[find_memory(machine_, name).value().value];
  }

  /// One block: `tiles_` tiles, each loaded, multiplied, worked on by the SIMD array, stored. Any stage may be missing
  /// its work.
  void emit_block() {
    on_ = nodes_.at(nodes_.size() > 1 ? below(static_cast<uint32_t>(nodes_.size())) : 0);
    tiles_ = 1 + static_cast<int32_t>(below(4));
    level_ = static_cast<int32_t>(below(6));
    slot_ = static_cast<int32_t>(below(4));
    load("DRAM->" + on_.input, on_.input, 2048);
    load("DRAM->" + on_.weight, on_.weight, 4096);
    load("DRAM->" + on_.bias, on_.bias, 512);
    array();
    load("DRAM->" + on_.source, on_.source, 1024);
    simd();
    store();
  }

  void open() { a_.op(Operation::kLoop, {level_, tiles_ - 1, static_cast<int32_t>(below(2))}); }
  void close() { a_.op(Operation::kEnd, {level_}); }
  /// Sometimes strides are set while the loop runs.
  void maybe_stride(int32_t operand, int32_t level, int32_t span) {
    if (below(2) == 0) a_.stride(operand, level, static_cast<int32_t>(below(static_cast<uint32_t>(span))));
  }

  void load(const std::string& engine, const std::string& name, int32_t room) {
    const auto unit = static_cast<int32_t>(memory(name).unit_bytes());
    a_.group(engine);
    const int32_t rows = 1 + static_cast<int32_t>(below(3));
    const int32_t columns = 1 + static_cast<int32_t>(below(3));
    const int32_t at_once = std::max(unit, 16);  // addresses of random machines may be bytes
    const int32_t run = std::max<int32_t>(
        1, std::min<int32_t>(room / (rows * columns * 2),
                             at_once * (1 + static_cast<int32_t>(below(5))) - static_cast<int32_t>(below(2))));
    const int32_t units = (run + unit - 1) / unit;
    a_.op(Operation::kTrip, {15, rows - 1, 0}).op(Operation::kTrip, {16, columns - 1, 0});
    if (below(4) == 0) a_.op(Operation::kTrip, {14, 1, 0}).stride(kOffchip, 14, static_cast<int32_t>(below(400)));
    a_.base(kOffchip, below(4096)).base(kOnchip, below(3), slot_);
    a_.stride(kOffchip, 15, static_cast<int32_t>(below(300))).stride(kOffchip, 16, static_cast<int32_t>(below(90)));
    a_.stride(kOnchip, 15, units * columns).stride(kOnchip, 16, units);
    if (below(2) == 0) {
      a_.base(kRow, below(3) - 1U)
          .base(kColumn, below(3) - 1U)
          .op(Operation::kFill, {static_cast<int32_t>(below(1U << 8 * acg::fill_bytes(machine_)))});
      a_.op(Operation::kLimit, {0, static_cast<int32_t>(below(4))})
          .op(Operation::kLimit, {1, static_cast<int32_t>(below(4))});
    }
    maybe_stride(kOffchip, level_, 200);
    open();
    maybe_stride(kOffchip, level_, 500);
    if (below(3) == 0) a_.stride(kRow, level_, static_cast<int32_t>(below(3)) - 1);
    a_.wait(name, kFree, slot_);
    a_.op(Operation::kLoad, {run - 1});
    if (below(3) == 0) a_.op(Operation::kLoad, {static_cast<int32_t>(below(static_cast<uint32_t>(run)))});
    a_.post(name, kFull, slot_);
    close();
  }

  void array() {
    a_.group(on_.array);
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t level = 7 + static_cast<int32_t>(below(7));
      a_.op(Operation::kTrip, {level, static_cast<int32_t>(below(5)), static_cast<int32_t>(below(2))});
      a_.stride(kInput, level, static_cast<int32_t>(below(3))).stride(kWeight, level, static_cast<int32_t>(below(2)));
      a_.stride(kOutput, level, static_cast<int32_t>(below(4)) * sums(on_.output));
      if (below(2) == 0) a_.stride(kBias, level, static_cast<int32_t>(below(2)) * sums(on_.bias));
    }
    a_.base(kInput, below(3), slot_)
        .base(kWeight, below(3), slot_)
        .base(kBias, below(3) * static_cast<uint32_t>(sums(on_.bias)), slot_)
        .base(kOutput, below(8) * static_cast<uint32_t>(sums(on_.output)), slot_);
    if (below(2) == 0) a_.stride(kOutput, level_, static_cast<int32_t>(below(4)) * sums(on_.output));
    open();
    maybe_stride(kInput, level_, 3);
    for (const std::string& name : {on_.input, on_.weight, on_.bias}) a_.wait(name, kFull, slot_);
    a_.wait(on_.output, kFree, slot_);
    const uint32_t passes = 1 + below(2);
    for (uint32_t pass = 0; pass < passes; ++pass) a_.op(Operation::kGemm, {input_type(below(2) != 0)});
    for (const std::string& name : {on_.bias, on_.input, on_.weight}) a_.post(name, kFree, slot_);
    a_.post(on_.output, kFull, slot_);
    close();
  }

  struct Compute {
    Operation operation;
    int32_t dst, src1, src2;
  };
  Compute any_compute() {
    static constexpr std::array<Compute, 43> kAll{
        {{Operation::kAdd, kI32, kI32, kI32},        {Operation::kSub, kI32, kI32, kI32},
         {Operation::kMul, kI32, kI32, kI32},        {Operation::kMax, kI32, kI32, kI32},
         {Operation::kMin, kI32, kI32, kI32},        {Operation::kMove, kI32, kI32, kI32},
         {Operation::kMax, kI8, kI8, kI32},          {Operation::kMax, kU8, kU8, kI32},
         {Operation::kMin, kI8, kI8, kI32},          {Operation::kMin, kU8, kU8, kI32},
         {Operation::kReduceMax, kI8, kI8, kI8},     {Operation::kReduceMax, kU8, kU8, kI8},
         {Operation::kReduceSum, kI32, kI8, kI8},    {Operation::kReduceSum, kI32, kU8, kI8},
         {Operation::kRequant, kI8, kI32, kF32},     {Operation::kRequant, kU8, kI32, kF32},
         {Operation::kRequant, kU8, kI32, kF32},     {Operation::kRequantAdd, kI8, kI8, kI8},
         {Operation::kRequantAdd, kU8, kU8, kU8},    {Operation::kRequantAdd, kU8, kU8, kU8},
         {Operation::kRequant, kI8, kI32, kF32},     {Operation::kRequantMul, kI8, kI8, kI8},
         {Operation::kRequantMul, kU8, kU8, kU8},    {Operation::kLookup, kI8, kI8, kI8},
         {Operation::kLookup, kU8, kU8, kI8},        {Operation::kSub, kI8, kI8, kI8},
         {Operation::kSub, kU8, kU8, kU8},           {Operation::kAdd, kF32, kF32, kF32},
         {Operation::kSub, kF32, kF32, kF32},        {Operation::kMul, kF32, kF32, kF32},
         {Operation::kDiv, kF32, kF32, kF32},        {Operation::kMax, kF32, kF32, kF32},
         {Operation::kMin, kF32, kF32, kF32},        {Operation::kSqrt, kF32, kF32, kF32},
         {Operation::kMove, kF32, kI32, kI32},       {Operation::kDequantize, kF32, kI8, kI8},
         {Operation::kDequantize, kF32, kU8, kI8},   {Operation::kQuantize, kI8, kF32, kF32},
         {Operation::kQuantize, kU8, kF32, kF32},    {Operation::kLookup, kF32, kU8, kI8},
         {Operation::kReduceSum, kF32, kF32, kI8},   {Operation::kDequantizeSum, kF32, kI8, kI8},
         {Operation::kDequantizeSum, kF32, kU8, kI8}}};
    Compute one = kAll[below(kAll.size())];
    if (one.operation == Operation::kLookup && element_bits_ > 8) one = kAll[0];  // no table has so many entries
    if (in_fixed_point_) one = in_fixed_point(one);
    for (int32_t* type : {&one.dst, &one.src1, &one.src2}) *type = element_type(*type);
    return one;
  }

  static Compute in_fixed_point(const Compute& one) {
    switch (one.operation) {
      case Operation::kRequant:
        return {Operation::kRequantFixed, one.dst, kI32, kI32};
      case Operation::kRequantAdd:
        return {Operation::kRequantAddFixed, one.dst, one.src1, one.src2};
      case Operation::kRequantMul:
        return {Operation::kRequantMulFixed, one.dst, one.src1, one.src2};
      default:
        return one;
    }
  }

  /// The machine's own elements in the place of bytes.
  int32_t element_type(int32_t type) const {
    if (element_bits_ == 8 || (type != kI8 && type != kU8)) return type;
    const acg::SimdType first = element_bits_ == 4 ? acg::SimdType::kI4 : acg::SimdType::kI16;
    return static_cast<int32_t>(first) + (type == kU8 ? 1 : 0);
  }
  int32_t input_type(bool is_unsigned) const {
    const acg::InputType first = element_bits_ == 8   ? acg::InputType::kI8
                                 : element_bits_ == 4 ? acg::InputType::kI4
                                                      : acg::InputType::kI16;
    return static_cast<int32_t>(first) + (is_unsigned ? 1 : 0);
  }

  /// Zero point, lowest and highest value, in one part or in two.
  void set_quantization(bool is_unsigned) {
    const uint32_t range = 1U << element_bits_;
    const uint32_t low = is_unsigned ? below(20) % (range / 2) : range / 2;
    const uint32_t zero_point = below(std::max(256U, range));
    const uint32_t high = is_unsigned ? range - 1 - below(9) % (range / 2) : range / 2 - 1;
    const auto part = [](uint32_t value, uint32_t k) { return static_cast<int32_t>(value >> (8 * k) & 0xFFU); };
    a_.op(Operation::kQuantization, {part(zero_point, 0), part(low, 0), part(high, 0)});
    if (element_bits_ <= 8) return;
    a_.op(Operation::kQuantizationHigh, {part(zero_point, 1), part(low, 1), part(high, 1)});
  }

  static bool is_wide(int32_t type) { return type == kI32 || type == kF32; }

  void simd() {
    a_.group(on_.simd);
    open();
    a_.wait(on_.output, kFull, slot_).wait(on_.source, kFull, slot_).wait(on_.result, kFree, slot_);
    const uint32_t nests = 1 + below(4);
    for (uint32_t nest = 0; nest < nests; ++nest) emit_nest(static_cast<int32_t>(nest));
    a_.post(on_.result, kFull, slot_).post(on_.source, kFree, slot_).post(on_.output, kFree, slot_);
    close();
  }

  uint32_t scale() {
    const float value =
        std::ldexp(1.0F + static_cast<float>(below(1U << 23U)) * 0x1p-23F, -static_cast<int>(below(40)));
    switch (below(12)) {
      case 0:
        return static_cast<uint32_t>(random_());  // any bits: subnormals, infinities, NaN
      case 1:
        return std::bit_cast<uint32_t>(-value);
      default:
        return std::bit_cast<uint32_t>(value);
    }
  }

  /// Numbers of any magnitude, most of them such that not all results lie at their limits.
  void set_fixed_point(Operation operation) {
    const auto number = [&] { return static_cast<uint32_t>(static_cast<int32_t>(random_()) >> below(32)); };
    const auto shift = [&] { return below(4) == 0 ? static_cast<uint32_t>(random_()) : below(16); };
    const auto zero = [&] { return below(8) == 0 ? number() : below(512) - 256U; };
    const bool adds = operation == Operation::kRequantAddFixed, multiplies = operation == Operation::kRequantMulFixed;
    a_.immediate(0, adds || multiplies ? number() : shift());
    a_.immediate(1, multiplies ? shift() : number());
    a_.immediate(2, multiplies ? zero() : number());
    a_.immediate(3, multiplies ? zero() : adds ? shift() : number());  // also for requant_fixed: one fraction for all
  }

  void emit_nest(int32_t nest) {
    const Compute c = any_compute();
    a_.op(Operation::kTypes, {c.dst, c.src1, c.src2});
    set_quantization(c.dst == element_type(kU8));
    for (int32_t slot = 0; slot < 4; ++slot) a_.immediate(slot, scale());
    if (acg::is_simd_fixed(c.operation)) set_fixed_point(c.operation);
    if (c.operation == Operation::kRequantMul) {
      for (const uint32_t slot : {acg::kZeroA, acg::kZeroB})
        a_.immediate(static_cast<int32_t>(slot), below(512) - 256U);
    }
    // Not all parts of the table: the others are 0, or stay as they were. Past its end nothing is set.
    for (uint32_t count = below(160); c.operation == Operation::kLookup && count > 0; --count) {
      a_.table(below(acg::word_parts(machine_).table.count), static_cast<uint32_t>(random_()));
    }
    const bool reduces = acg::is_simd_reduction(c.operation);
    const int32_t outer = 1 + static_cast<int32_t>(below(3));
    const int32_t inner = 1 + static_cast<int32_t>(below(4));
    a_.op(Operation::kSimdReduce, {reduces ? static_cast<int32_t>(below(3)) : 8});
    // Destination: VMEM1, packed one after the other. Sources: OBUF or VMEM2 (or the destination's own place).
    const int32_t d = units(on_.result, is_wide(c.dst));
    const int32_t entry = 8 * slot_;
    const auto at = [&](const std::string& name, int32_t index, uint32_t base, int32_t step_inner, int32_t step_outer) {
      a_.iterator(name, entry + index, base, step_inner).advance(name, entry + index + 4, step_outer);
    };
    at(on_.result, 0, static_cast<uint32_t>(nest * 12 * units(on_.result, true)), d, d * inner);
    const std::string& first = is_wide(c.src1) && below(2) == 0 ? on_.output : on_.source;
    const int32_t step = units(first, is_wide(c.src1));
    at(first, 1, 0, step, static_cast<int32_t>(below(4)) * step);
    const int32_t step2 = units(on_.source, is_wide(c.src2));
    const bool scalar = below(2) == 0;
    if (!scalar) at(on_.source, 2, below(3) * static_cast<uint32_t>(units(on_.source, true)), step2, step2);
    const int32_t v1 = a_.memory(on_.result);
    const int32_t f = a_.memory(first);
    const int32_t s = scalar ? a_.memory("IMM") : a_.memory(on_.source);
    const int32_t s_entry = scalar ? 3 : entry + 2;
    const int32_t outer_level = static_cast<int32_t>(below(2));
    a_.op(Operation::kSimdTrip, {outer_level, outer - 1});
    a_.op(Operation::kSimdIndex, {v1, entry + 4, f, entry + 5, s, scalar ? 0 : entry + 6});
    a_.op(Operation::kSimdTrip, {outer_level + 1 + static_cast<int32_t>(below(3)), inner - 1});
    a_.op(Operation::kSimdIndex, {v1, entry, f, entry + 1, s, scalar ? 0 : entry + 2});
    a_.op(c.operation, {v1, entry, f, entry + 1, s, s_entry});
    // No other level may run in the next nest.
    for (int32_t level = 0; level < 8; ++level) a_.op(Operation::kSimdTrip, {level, 0});
  }

  void store() {
    a_.group(on_.result + "->DRAM").base(kOffchip, kOut + below(64)).base(kOnchip, below(4), slot_);
    a_.stride(kOffchip, level_, 2048).op(Operation::kTrip, {16, static_cast<int32_t>(below(3)), 0});
    a_.stride(kOffchip, 16, 300 + static_cast<int32_t>(below(100)))
        .stride(kOnchip, 16, static_cast<int32_t>(below(30)));
    if (below(3) == 0) a_.op(Operation::kLimit, {1, 1 + static_cast<int32_t>(below(3))});
    open();
    a_.wait(on_.result, kFull, slot_)
        .op(Operation::kStore, {static_cast<int32_t>(below(290))})
        .post(on_.result, kFree, slot_);
    close();
  }

  std::mt19937_64 random_;
  Assembly a_;
  acg::Machine machine_;
  uint64_t lanes_ = 1;
  bool in_fixed_point_ = false;
  uint32_t element_bits_ = 8;
  std::vector<Nodes> nodes_{{"SA", "SIMD", "IBUF", "WBUF", "BBUF", "OBUF", "VMEM2", "VMEM1"}};
  Nodes on_;  ///< one of them, of this block
  int32_t tiles_ = 1;
  int32_t level_ = 0;
  int32_t slot_ = 0;
};

}  // namespace covenant::rtl::testing
