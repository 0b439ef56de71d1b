#include "rtl/gen/operation_names.h"

#include <algorithm>
#include <array>

namespace covenant::rtl {

using acg::Operation;
using acg::OperationInfo;

std::string plain_enumerator(Operation operation) {
  static constexpr std::array<Operation, 7> kPrefixed{
      Operation::kSimdTrip,     Operation::kSimdIndex,  Operation::kSimdReduce,    Operation::kSimdBase,
      Operation::kSimdBaseHigh, Operation::kSimdStride, Operation::kSimdStrideHigh};
  std::string name = "Op";
  if (std::find(kPrefixed.begin(), kPrefixed.end(), operation) != kPrefixed.end()) name += "Simd";
  bool upper = true;
  for (const char character : acg::info(operation).name) {
    if (character == '_') {
      upper = true;
      continue;
    }
    name += upper ? static_cast<char>(character - 'a' + 'A') : character;
    upper = false;
  }
  return name;
}

std::string enumerator(Operation operation) { return "covenant_pkg::" + plain_enumerator(operation); }

std::span<const OperationInfo> built_operations() { return acg::operations().first(acg::kFirstVliwOperation); }

}  // namespace covenant::rtl
