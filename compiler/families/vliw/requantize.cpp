#include "compiler/families/vliw/requantize.h"

#include <algorithm>
#include <array>

#include "compiler/codelet/element.h"
#include "compiler/families/fixed_scales.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwOperation;
using enum acg::VliwOperation;

constexpr size_t kWords = 4;  // registers of sums that become one register of bytes
constexpr int32_t kSumBits = 31;

Name upper(Name pair) { return {pair.number, true}; }

class Requantization {
 public:
  Requantization(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to)
      : wanted_(wanted),
        writer_(writer),
        to_(to),
        is_signed_(info(wanted.dtype).is_signed),
        shift_(attribute_of(wanted, "shift")) {}

  /// Turns words into halves with the zero point, then into bytes. Narrowing interleaves the words of two registers,
  /// first and third, second and fourth; a single deal of the bytes then restores their order.
  bool scale_sums() {
    const std::vector<Name> sums = registers_of(wanted_, 0, writer_);
    if (sums.size() != kWords * wanted_.result.size() || bytes(wanted_.dtype) != 1) return false;
    const Name zero_point = writer_.splat(attribute_of(wanted_, "zero_point"), 2);
    const Name right = writer_.constant(std::max(0, shift_));
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      std::array<Name, 2> halves{};
      for (size_t j = 0; j < halves.size(); ++j) {
        const size_t at = kWords * i + j;
        const Name low = scaled(sums[at], fraction(1, at)), high = scaled(sums[at + 2], fraction(1, at + 2));
        halves.at(j) = made(kVaddhsat, made(kVasrwhrndsat, high, low, right), zero_point);
      }
      finish(wanted_.result[i], kVdealb, made(is_signed_ ? kVpackhbSat : kVpackhubSat, halves[1], halves[0]));
    }
    return true;
  }

  /// Bytes are widened to even and odd halves, and products of these to words. Narrowing interleaves the lanes of two
  /// registers, which restores their order.
  bool add_scaled() {
    const DType a = wanted_.operands[0].dtype, b = wanted_.operands[1].dtype;
    if (bytes(a) != 1 || bytes(b) != 1 || bytes(wanted_.dtype) != 1) return false;
    const FixedSum sum = fixed_sum(real(2), real(3), real(4));
    const Name scale_a = writer_.splat(sum.scale_a, 2), scale_b = writer_.splat(sum.scale_b, 2);
    const Name offset = writer_.splat(sum.offset, 4), shift = writer_.constant(sum.shift), none = writer_.constant(0);
    const std::vector<Name> from_a = registers_of(wanted_, 0, writer_), from_b = registers_of(wanted_, 1, writer_);
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      const Name wide_a = made_pair(widening(a), from_a[i]), wide_b = made_pair(widening(b), from_b[i]);
      std::array<Name, 2> halves{};
      for (size_t j = 0; j < halves.size(); ++j) {
        const Name words = made_pair(kVcombine, offset, offset);
        writer_.add(to_, kVmpyhvAcc, {words, j == 0 ? wide_a : upper(wide_a), scale_a});
        writer_.add(to_, kVmpyhvAcc, {words, j == 0 ? wide_b : upper(wide_b), scale_b});
        halves.at(j) = made(kVasrwhsat, upper(words), words, shift);
      }
      finish(wanted_.result[i], is_signed_ ? kVasrhbrndsat : kVasrhubsat, halves[1], halves[0], none);
    }
    return true;
  }

  /// The same widening and narrowing, for products of even and of odd halves.
  bool multiply_scaled() {
    const DType a = wanted_.operands[0].dtype, b = wanted_.operands[1].dtype;
    if (bytes(a) != 1 || bytes(b) != 1 || bytes(wanted_.dtype) != 1 || !is_byte(3) || !is_byte(4)) return false;
    const Name zero_point = writer_.splat(attribute_of(wanted_, "zero_point"), 2);
    const Name right = writer_.constant(std::max(0, shift_)), none = writer_.constant(0);
    const std::vector<Name> from_a = registers_of(wanted_, 0, writer_), from_b = registers_of(wanted_, 1, writer_);
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      const Name wide_a = made_pair(widening(a), from_a[i]), wide_b = made_pair(widening(b), from_b[i]);
      std::array<Name, 2> halves{};
      for (size_t j = 0; j < halves.size(); ++j) {
        const Name factor_a = j == 0 ? wide_a : upper(wide_a), factor_b = j == 0 ? wide_b : upper(wide_b);
        const Name words = made_pair(kVmpyhv, less(factor_a, integer(3)), less(factor_b, integer(4)));
        const Name low = scaled(words, fraction(2, 0)), high = scaled(upper(words), fraction(2, 0));
        halves.at(j) = made(kVaddhsat, made(kVasrwhrndsat, high, low, right), zero_point);
      }
      finish(wanted_.result[i], is_signed_ ? kVasrhbrndsat : kVasrhubsat, halves[1], halves[0], none);
    }
    return true;
  }

 private:
  template <typename... Operands>
  Name made(VliwOperation operation, Operands... operands) {
    const Name result = writer_.vector();
    writer_.add(to_, operation, {result, operands...});
    return result;
  }
  template <typename... Operands>
  Name made_pair(VliwOperation operation, Operands... operands) {
    const Name result = writer_.make(acg::RegisterFile::kVector, true);
    writer_.add(to_, operation, {result, operands...});
    return result;
  }

  static VliwOperation widening(DType dtype) { return info(dtype).is_signed ? kVsb : kVzb; }

  float real(size_t operand) const { return std::get<codelet::Constant>(wanted_.operands.at(operand).value).real; }

  int64_t integer(size_t operand) const {
    return std::get<codelet::Constant>(wanted_.operands.at(operand).value).integer;
  }
  /// True if the operand is a constant that a byte can hold, signed or unsigned.
  bool is_byte(size_t operand) const { return integer(operand) >= INT8_MIN && integer(operand) <= UINT8_MAX; }

  /// Halves less a number.
  Name less(Name halves, int64_t number) {
    return number == 0 ? halves : made(kVsubh, halves, writer_.splat(static_cast<int32_t>(number), 2));
  }

  /// round(word * by / 2^31).
  Name scaled(Name word, Name by) {
    const Name factor = shift_ < 0 ? shifted_left(word) : word;
    const Name result = made(kVmpyewuh, factor, by);
    writer_.add(to_, kVmpyowhRndSacc, {result, factor, by});
    return result;
  }

  /// The scales in operand `operand`, vector `i`.
  Name fraction(size_t operand, size_t i) {
    const auto* held = std::get_if<std::vector<Name>>(&wanted_.operands.at(operand).value);
    return held != nullptr ? held->at(i) : writer_.splat(fraction_of(real(operand), shift_), 4);
  }

  /// Clamps to what fits 32 bits after the shift.
  Name shifted_left(Name sum) {
    const int32_t least = -(1 << (kSumBits + shift_));
    const Name above = made(kVmaxw, sum, writer_.splat(least, 4));
    return made(kVaslw, made(kVminw, above, writer_.splat(-1 - least, 4)), writer_.constant(-shift_));
  }

  /// Emits the last instruction and the clamping that it leaves.
  template <typename... Operands>
  void finish(Name result, VliwOperation operation, Operands... operands) {
    const auto [least, most] = codelet::integer_range(wanted_.dtype);
    const int32_t lowest = attribute_of(wanted_, "lowest"), highest = attribute_of(wanted_, "highest");
    const bool cuts_low = lowest > least, cuts_high = highest < most;
    Name bytes = cuts_low || cuts_high ? writer_.vector() : result;
    writer_.add(to_, operation, {bytes, operands...});
    if (cuts_low) {
      const Name raised = cuts_high ? writer_.vector() : result;
      writer_.add(to_, is_signed_ ? kVmaxb : kVmaxub, {raised, bytes, writer_.splat(lowest, 1)});
      bytes = raised;
    }
    if (cuts_high) writer_.add(to_, is_signed_ ? kVminb : kVminub, {result, bytes, writer_.splat(highest, 1)});
  }

  const SelectedCompute& wanted_;
  Writer& writer_;
  std::vector<CodeStep>& to_;
  const bool is_signed_;
  const int32_t shift_;
};

}  // namespace

bool select_requantization(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  Requantization made(wanted, writer, to);
  const std::string& name = wanted.compute.capability;
  if (name == "REQUANT_FIXED") return made.scale_sums();
  return name == "REQUANT_ADD_FIXED" ? made.add_scaled() : made.multiply_scaled();
}

}  // namespace covenant::compiler::vliw
