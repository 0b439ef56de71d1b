/// The arithmetic of each capability, lane by lane: docs/reference/units/simd_array.md and systolic_array.md.
///
/// Operands are arrays of 32-bit lanes: integers sign- or zero-extended from their dtype, f32 as their bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::compiler::codelet {

enum class Function : uint8_t {
  kGemm,
  kAdd,
  kSub,
  kMul,
  kMax,
  kMin,
  kMove,
  kRequant,
  kRequantFixed,
  kRequantAdd,
  kRequantAddFixed,
  kRequantMul,
  kRequantMulFixed,
  kLookup,
  kReduceMax,
  kReduceSum,
  kRelu,
  kMmul,
  kMac,
  kDiv,
  kSigmoid,
  kTanh,
  kSqrt,
  kDequantize,
  kDequantizeSum,
  kQuantize,
  // Variants with f32 results of functions that also have integer ones.
  kAddReal,
  kSubReal,
  kMulReal,
  kDivReal,
  kMaxReal,
  kMinReal,
  kReduceSumReal,
  kConvert,  ///< MOVE of an integer to f32
};

struct FunctionInfo {
  Function function;
  std::string_view name;
  size_t operands;
  bool accumulates;  ///< accumulates over its reduction loops
  bool quantizes;    ///< needs the attributes lowest and highest
  bool orders;       ///< orders its operands as signed integers: u32 is not allowed
  size_t constants;  ///< number of trailing operands that must be constants
};

std::optional<FunctionInfo> function_named(std::string_view name);
/// True if a capability of this name accumulates over reduction loops. False if the name is unknown.
bool accumulates(std::string_view name);
/// The variant of `function` whose operands and result are f32. Nothing if there is none, or if `function` has only
/// f32.
std::optional<Function> real_form(Function function);
std::vector<std::string> function_names();

struct Quantization {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
  int32_t shift = 0;       ///< for REQUANT_FIXED and REQUANT_MUL_FIXED
  bool half_away = false;  ///< in fixed point: shifts to the right round halves away from zero
};

/// Range of these shifts: positive to the right, negative to the left.
inline constexpr int32_t kLeastFixedShift = -16, kMostFixedShift = 15;

/// The inner extent of a matrix product with `x` elements [rows, inner], `w` elements [inner, columns] and `result`
/// elements [rows, columns]; 0 if the numbers do not fit together.
size_t inner_extent(size_t x, size_t w, size_t result);

/// True if operands with these numbers of elements fit together and fit the result. Products (GEMM, MMUL): matrices
/// [rows, inner], [inner, columns] and a result [rows, columns], whose sizes determine the extents; the third operand
/// of GEMM is as large as the result. LOOKUP: the second operand has an entry for every byte. MAC: a and b have as many
/// vectors as the result has lanes, and their elements are multiplied pairwise. Others: an operand has as many lanes as
/// the result, or one that is broadcast.
bool fit_together(Function function, std::span<const size_t> operands, size_t result);

/// Applies `function` once. `result` holds the lanes of the destination; functions that accumulate read it first,
/// unless `first`. Precondition: fit_together. Integer arithmetic wraps at 32 bits; a quotient is truncated towards 0,
/// and dividing by 0 gives -1 (as in RISC-V). Floating point is IEEE single precision, rounded after each step; SIGMOID
/// and TANH are computed in double precision and rounded once.
void apply(Function function, std::span<const std::span<const int32_t>> operands, const Quantization& quantization,
           bool first, std::span<int32_t> result);

/// The same for functions that add up products (GEMM, MMUL, MAC) on a node whose sums have `bits` bits and saturate:
/// the products of one application are added exactly, then the previous sum, and the result is clamped to the range.
void apply_saturating(Function function, std::span<const std::span<const int32_t>> operands, bool first, uint32_t bits,
                      std::span<int32_t> result);

}  // namespace covenant::compiler::codelet
