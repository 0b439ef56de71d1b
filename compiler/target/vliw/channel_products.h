/// Instructions for convolutions of which each channel has a kernel of its own.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "compiler/target/vliw/selected_compute.h"

namespace covenant::compiler::vliw {

/// Products lane by lane, MAC, that wait until there are four for the same sums: instructions multiply and add four
/// bytes of a word. Sums of bytes are therefore right when `flush` has been called, and must not be looked at before.
class ChannelProducts {
 public:
  explicit ChannelProducts(Writer& writer) : writer_(writer) {}

  /// False if no instructions are known for the types and sizes of `wanted`, a MAC.
  bool add(const SelectedCompute& wanted, std::vector<Step>& to);

  /// Writes what waits. What begins now is another block: registers of the last one may hold something else.
  void flush(std::vector<Step>& to);

 private:
  static constexpr size_t kTaps = 4;  // bytes of a word
  using Registers = std::array<Name, kTaps>;

  void write(std::vector<Step>& to);
  Registers interleaved(const Registers& vectors, std::vector<Step>& to);

  Writer& writer_;
  DType inputs_ = DType::kU8;
  std::vector<Name> sums_;
  std::vector<std::pair<Name, Name>> waiting_;  ///< inputs and weights
  std::map<Registers, Registers> weights_;      ///< interleaved already
};

}  // namespace covenant::compiler::vliw
