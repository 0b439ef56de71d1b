#include "compiler/families/vliw/channel_products.h"

#include "acg/base/check.h"

namespace covenant::compiler::vliw {
namespace {

using enum acg::VliwOperation;

// Arguments of vshuffvdd: interleave elements of two vectors by bytes, or by halves.
constexpr int32_t kBytes = -1, kHalves = -2;

Name upper(Name pair) { return {pair.number, true}; }

}  // namespace

bool ChannelProducts::add(const SelectedCompute& wanted, std::vector<CodeStep>& to) {
  const DType inputs = wanted.operands.at(0).dtype;
  if (bytes(inputs) != 1 || wanted.operands.at(1).dtype != DType::kI8 || wanted.result.size() != kTaps) return false;
  if (!waiting_.empty() && (wanted.result != sums_ || inputs != inputs_)) write(to);
  sums_ = wanted.result;
  inputs_ = inputs;
  waiting_.emplace_back(registers_of(wanted, 0, writer_).at(0), registers_of(wanted, 1, writer_).at(0));
  if (waiting_.size() == kTaps) write(to);
  return true;
}

void ChannelProducts::flush(std::vector<CodeStep>& to) {
  if (!waiting_.empty()) write(to);
  weights_.clear();
}

/// Word i of vector q holds the four taps of channel 32 q + i.
void ChannelProducts::write(std::vector<CodeStep>& to) {
  const Name zero = waiting_.size() < kTaps ? writer_.splat(0, 4) : Name{};
  Registers inputs{}, weights{};
  for (size_t i = 0; i < kTaps; ++i) {
    inputs.at(i) = i < waiting_.size() ? waiting_[i].first : zero;
    weights.at(i) = i < waiting_.size() ? waiting_[i].second : zero;
  }
  waiting_.clear();
  const auto known = weights_.find(weights);
  const Registers by = known != weights_.end() ? known->second : interleaved(weights, to);
  weights_[weights] = by;
  const Registers from = interleaved(inputs, to);
  for (size_t q = 0; q < kTaps; ++q) {
    writer_.add(to, info(inputs_).is_signed ? kVrmpybvAcc : kVrmpybusvAcc, {sums_[q], from.at(q), by.at(q)});
  }
}

ChannelProducts::Registers ChannelProducts::interleaved(const Registers& vectors, std::vector<CodeStep>& to) {
  const auto shuffled = [&](Name even, Name odd, int32_t by) {
    const Name pair = writer_.make(acg::RegisterFile::kVector, true);
    writer_.add(to, kVshuffvdd, {pair, odd, even, writer_.constant(by)});
    return pair;
  };
  const Name first = shuffled(vectors[0], vectors[1], kBytes), second = shuffled(vectors[2], vectors[3], kBytes);
  const Name low = shuffled(first, second, kHalves), high = shuffled(upper(first), upper(second), kHalves);
  return {low, upper(low), high, upper(high)};
}

}  // namespace covenant::compiler::vliw
