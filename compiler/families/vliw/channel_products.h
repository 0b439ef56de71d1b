/// Instructions for depthwise convolutions, in which each channel has a kernel of its own.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "compiler/families/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Collects lane-by-lane products (MAC) until there are four for the same sums, since instructions multiply and add the
/// four bytes of a word. Sums are therefore complete only after `flush`, and must not be read before.
class ChannelProducts {
 public:
  explicit ChannelProducts(Writer& writer) : writer_(writer) {}

  /// False if there are no instructions for the types and sizes of `wanted`, a MAC.
  bool add(const SelectedCompute& wanted, std::vector<CodeStep>& to);

  /// Emits the collected products and begins a new block: registers of the last one may hold something else.
  void flush(std::vector<CodeStep>& to);

 private:
  static constexpr size_t kTaps = 4;  // bytes of a word
  using Registers = std::array<Name, kTaps>;

  void write(std::vector<CodeStep>& to);
  Registers interleaved(const Registers& vectors, std::vector<CodeStep>& to);

  Writer& writer_;
  DType inputs_ = DType::kU8;
  std::vector<Name> sums_;
  std::vector<std::pair<Name, Name>> waiting_;  ///< inputs and weights
  std::map<Registers, Registers> weights_;      ///< weights that are already interleaved
};

}  // namespace covenant::compiler::vliw
