#include "compiler/target/vliw/requantize.h"

#include <array>

#include "compiler/codelet/element.h"
#include "compiler/target/vliw/scales.h"

namespace covenant::compiler::vliw {
namespace {

using enum acg::VliwOperation;

class Requantization {
 public:
  Requantization(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to)
      : wanted_(wanted), writer_(writer), to_(to), is_signed_(info(wanted.dtype).is_signed) {}

  /// Words, halves with the zero point, bytes; then what is left of the limits.
  bool run() {
    const std::vector<Name> sums = registers_of(wanted_, 0, writer_);
    if (sums.size() != 4 * wanted_.result.size() || bytes(wanted_.dtype) != 1) return false;
    const Name zero_point = writer_.splat(attribute_of(wanted_, "zero_point"), 2);
    for (size_t i = 0; i < wanted_.result.size(); ++i) {
      std::array<Name, 2> halves{};
      for (size_t j = 0; j < halves.size(); ++j) {
        const Name low = scaled(sums[4 * i + 2 * j], scale(4 * i + 2 * j));
        const Name high = scaled(sums[4 * i + 2 * j + 1], scale(4 * i + 2 * j + 1));
        const Name packed = writer_.vector();
        halves.at(j) = writer_.vector();
        writer_.add(to_, kVpackwhSat, {packed, high, low});
        writer_.add(to_, kVaddhsat, {halves.at(j), packed, zero_point});
      }
      limited(halves, wanted_.result[i]);
    }
    return true;
  }

 private:
  /// Fractions and shifts of the scale of vector `i`.
  std::pair<Name, Name> scale(size_t i) {
    if (const auto* held = std::get_if<std::vector<Name>>(&wanted_.operands[1].value)) {
      return {held->at(2 * i), held->at(2 * i + 1)};
    }
    const FixedScale fixed = fixed_scale(std::get<codelet::Constant>(wanted_.operands[1].value).real);
    return {writer_.splat(fixed.fraction, 4), writer_.splat(fixed.shift, 4)};
  }

  /// round(sum * fraction / 2^31), shifted so that one bit is left, which rounds.
  Name scaled(Name sum, const std::pair<Name, Name>& scale) {
    const Name product = writer_.vector(), shifted = writer_.vector(), up = writer_.vector(),
               rounded = writer_.vector();
    writer_.add(to_, kVmpyewuh, {product, sum, scale.first});
    writer_.add(to_, kVmpyowhRndSacc, {product, sum, scale.first});
    writer_.add(to_, kVasrwv, {shifted, product, scale.second});
    writer_.add(to_, kVaddw, {up, shifted, writer_.splat(1, 4)});
    writer_.add(to_, kVasrw, {rounded, up, writer_.constant(1)});
    return rounded;
  }

  /// Bytes within the limits of the compute.
  void limited(const std::array<Name, 2>& halves, Name result) {
    const auto [lowest, highest] = codelet::integer_range(wanted_.dtype);
    const bool cuts_low = attribute_of(wanted_, "lowest") > lowest,
               cuts_high = attribute_of(wanted_, "highest") < highest;
    Name bytes = cuts_low || cuts_high ? writer_.vector() : result;
    writer_.add(to_, is_signed_ ? kVpackhbSat : kVpackhubSat, {bytes, halves[1], halves[0]});
    if (cuts_low) {
      const Name cut = cuts_high ? writer_.vector() : result;
      writer_.add(to_, is_signed_ ? kVmaxb : kVmaxub, {cut, bytes, writer_.splat(attribute_of(wanted_, "lowest"), 1)});
      bytes = cut;
    }
    if (cuts_high) {
      writer_.add(to_, is_signed_ ? kVminb : kVminub,
                  {result, bytes, writer_.splat(attribute_of(wanted_, "highest"), 1)});
    }
  }

  const SelectedCompute& wanted_;
  Writer& writer_;
  std::vector<Step>& to_;
  const bool is_signed_;
};

}  // namespace

bool select_requantization(const SelectedCompute& wanted, Writer& writer, std::vector<Step>& to) {
  return Requantization(wanted, writer, to).run();
}

}  // namespace covenant::compiler::vliw
