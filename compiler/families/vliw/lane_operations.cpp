#include "compiler/families/vliw/lane_operations.h"

#include <algorithm>
#include <array>

#include "compiler/codelet/element.h"

namespace covenant::compiler::vliw {
namespace {

using acg::VliwOperation;
using enum acg::VliwOperation;

/// An instruction for lanes of one dtype: result and operands have the same one.
struct LaneInstruction {
  std::string_view capability;
  DType dtype;
  VliwOperation operation;
};
constexpr std::array kLaneInstructions{
    LaneInstruction{"ADD", DType::kI32, kVaddw},        LaneInstruction{"SUB", DType::kI32, kVsubw},
    LaneInstruction{"ADD", DType::kI16, kVaddh},        LaneInstruction{"MAX", DType::kI32, kVmaxw},
    LaneInstruction{"MAX", DType::kI8, kVmaxb},         LaneInstruction{"MAX", DType::kU8, kVmaxub},
    LaneInstruction{"MIN", DType::kI32, kVminw},        LaneInstruction{"MIN", DType::kI8, kVminb},
    LaneInstruction{"MIN", DType::kU8, kVminub},        LaneInstruction{"REDUCE_MAX", DType::kI8, kVmaxb},
    LaneInstruction{"REDUCE_MAX", DType::kU8, kVmaxub}, LaneInstruction{"REDUCE_SUM", DType::kI32, kVaddw},
};

bool has_one_dtype(const SelectedCompute& wanted) {
  return std::all_of(wanted.operands.begin(), wanted.operands.end(), [&](const SelectedOperand& operand) {
    return operand.dtype == wanted.dtype || std::holds_alternative<codelet::Constant>(operand.value);
  });
}

void write(const SelectedCompute& wanted, VliwOperation operation, Writer& writer, std::vector<CodeStep>& to) {
  const bool is_sum = wanted.operands.size() == 1;
  const std::vector<Name> first = registers_of(wanted, 0, writer);
  const std::vector<Name> second = is_sum ? wanted.result : registers_of(wanted, 1, writer);
  for (size_t i = 0; i < wanted.result.size(); ++i) {
    writer.add(to, operation, {wanted.result[i], first[i], second[i]});
  }
}

constexpr uint32_t kBytesOfWord = 4;

bool sums_bytes(const SelectedCompute& wanted) {
  return wanted.compute.capability == "REDUCE_SUM" && wanted.dtype == DType::kI32 &&
         bytes(wanted.operands.at(0).dtype) == 1;
}

/// Two shuffles put byte m of quarter q before word m, q bytes further; multiplying by 1 there adds a quarter to the
/// sums of 32 lanes.
bool sum_bytes(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  const DType dtype = wanted.operands.at(0).dtype;
  const std::vector<Name> from = registers_of(wanted, 0, writer);
  if (bytes(dtype) != 1 || kBytesOfWord * from.size() != wanted.result.size()) return false;
  for (size_t i = 0; i < from.size(); ++i) {
    const Name once = writer.vector(), shuffled = writer.vector();
    writer.add(to, kVshuffb, {once, from[i]});
    writer.add(to, kVshuffb, {shuffled, once});
    for (uint32_t quarter = 0; quarter < kBytesOfWord; ++quarter) {
      const Name sum = wanted.result[kBytesOfWord * i + quarter];
      const int32_t one = 1 << (8 * quarter);
      if (info(dtype).is_signed) {
        writer.add(to, kVrmpybvAcc, {sum, shuffled, writer.splat(one, kBytesOfWord)});
      } else {
        writer.add(to, kVrmpyubAcc, {sum, shuffled, writer.constant(one)});
      }
    }
  }
  return true;
}

}  // namespace

bool select_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  if (sums_bytes(wanted)) return sum_bytes(wanted, writer, to);
  if (!has_one_dtype(wanted)) return false;
  if (wanted.compute.capability == "MOVE") {
    move_into(wanted, registers_of(wanted, 0, writer), writer, to);
    return true;
  }
  const auto known = std::find_if(kLaneInstructions.begin(), kLaneInstructions.end(), [&](const LaneInstruction& one) {
    return one.capability == wanted.compute.capability && one.dtype == wanted.dtype;
  });
  if (known == kLaneInstructions.end()) return false;
  write(wanted, known->operation, writer, to);
  return true;
}

bool start_lanes(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  const bool is_max = wanted.compute.capability == "REDUCE_MAX" && bytes(wanted.dtype) == 1;
  const bool is_sum = wanted.compute.capability == "REDUCE_SUM" && wanted.dtype == DType::kI32;
  if (!is_max && !is_sum) return false;
  const auto first = is_max ? static_cast<int32_t>(codelet::integer_range(wanted.dtype).first) : 0;
  move_into(wanted, std::vector(wanted.result.size(), writer.splat(first, bytes(wanted.dtype))), writer, to);
  return true;
}

}  // namespace covenant::compiler::vliw
