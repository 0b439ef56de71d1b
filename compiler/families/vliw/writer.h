/// Writes code instruction by instruction. Constants are set once, before the first code that uses them, or where they
/// are needed.
#pragma once

#include <initializer_list>
#include <map>

#include "acg/operations/operation.h"
#include "compiler/families/vliw/code.h"
#include "compiler/families/vliw/immediates.h"

namespace covenant::compiler::vliw {

/// An operand of an instruction: a virtual register, or a number.
struct CodeOperand {
  CodeOperand(const Name& name) : value(name.operand()) {}  // NOLINT(google-explicit-constructor)
  CodeOperand(int32_t number) : value(number) {}            // NOLINT(google-explicit-constructor)
  int32_t value;
};

class Writer {
 public:
  explicit Writer(const acg::Machine& machine) : immediates_(machine) {}

  const Immediates& immediates() const { return immediates_; }
  Name make(acg::RegisterFile file, bool is_pair = false) { return code_.make(file, is_pair); }
  Name vector() { return make(acg::RegisterFile::kVector); }

  /// Appends an instruction, extended if a number requires it.
  void add(std::vector<CodeStep>& to, acg::VliwOperation operation, std::initializer_list<CodeOperand> operands,
           uint32_t object = 0) const;

  /// A scalar register that always holds `value`.
  Name constant(int32_t value);
  /// A vector whose lanes of `bytes` bytes (1, 2 or 4) always hold `value`.
  Name splat(int32_t value, uint32_t bytes);
  /// A scalar register with the initial value `value`.
  Name scalar(int32_t value);

  /// Inserts new constants and pointers before step `at`, so that the code after it may use them.
  void begin(std::vector<CodeStep>& steps, size_t at);
  /// The remaining ones, followed by `steps`.
  Code take(std::vector<CodeStep> steps);

 private:
  Immediates immediates_;
  Code code_;
  std::vector<CodeStep> front_;
  std::map<int32_t, Name> constants_;
  std::map<std::pair<int32_t, uint32_t>, Name> splats_;
};

}  // namespace covenant::compiler::vliw
