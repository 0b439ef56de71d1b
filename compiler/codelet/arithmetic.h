/// What each capability computes, lane by lane: docs/reference/units/simd_array.md and systolic_array.md.
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
  // The forms with f32 results of functions that have others, too.
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
  bool accumulates;  ///< over its reduction loops
  bool quantizes;    ///< needs the attributes lowest and highest
  bool orders;       ///< takes integers for signed ones: none of u32
  size_t constants;  ///< the last operands, which must be constants
};

std::optional<FunctionInfo> function_named(std::string_view name);
/// Does what a capability of this name makes add up over reduction loops? Not if the name is unknown.
bool accumulates(std::string_view name);
/// The form of `function` whose operands and result are f32; nothing if there is none, or no other.
std::optional<Function> real_form(Function function);
std::vector<std::string> function_names();

struct Quantization {
  int32_t zero_point = 0;
  int32_t lowest = 0;
  int32_t highest = 0;
  int32_t shift = 0;       ///< of REQUANT_FIXED and REQUANT_MUL_FIXED
  bool half_away = false;  ///< in fixed point, halves of shifts to the right are rounded away from zero
};

/// Shifts that these can have: to the right, or less than none, to the left.
inline constexpr int32_t kLeastFixedShift = -16, kMostFixedShift = 15;

/// The inner extent of a product of `x` elements [rows, inner] and `w` elements [inner, columns] with `result` elements
/// [rows, columns]; 0 if there is none.
size_t inner_extent(size_t x, size_t w, size_t result);

/// Whether operands of so many elements and a result of so many fit each other. Products (GEMM, MMUL): matrices
/// [rows, inner], [inner, columns] and a result [rows, columns], of which the sizes are enough to tell the extents; the
/// third operand of GEMM is as large as the result. LOOKUP: the second operand has an entry for every byte. MAC: a and
/// b of as many vectors as the result has lanes, whose elements are multiplied pairwise. Others: an operand has as many
/// lanes as the result, or one that is broadcast.
bool fit_together(Function function, std::span<const size_t> operands, size_t result);

/// One application. `result` holds the destination's lanes: read first by functions that accumulate, unless `first`.
/// Precondition: fit_together. Integer arithmetic wraps at 32 bits; a quotient is cut towards 0, by 0 it is -1 (as
/// RISC-V has it). Floating point is IEEE single precision, each step rounded; SIGMOID and TANH are taken in double
/// precision and rounded once.
void apply(Function function, std::span<const std::span<const int32_t>> operands, const Quantization& quantization,
           bool first, std::span<int32_t> result);

/// The same for functions that add products up (GEMM, MMUL, MAC), in a node whose sums have so many bits and saturate:
/// the products of one application are added exactly, then the sum before, and what leaves the range stays at its end.
void apply_saturating(Function function, std::span<const std::span<const int32_t>> operands, bool first, uint32_t bits,
                      std::span<int32_t> result);

}  // namespace covenant::compiler::codelet
