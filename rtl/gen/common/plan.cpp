#include "rtl/gen/common/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acg/base/failure.h"

namespace covenant::rtl {

uint32_t data_bytes_of(const acg::Memory& memory) { return std::max(1U, memory.data_width / 8); }

uint32_t elements_for(uint64_t bytes, uint32_t data_bytes, uint64_t step) {
  const uint64_t farthest = data_bytes - std::gcd(step, data_bytes);  // from the start of an element
  return static_cast<uint32_t>((farthest + bytes + data_bytes - 1) / data_bytes);
}

void refuse(std::string code, const SourceLocation& where, std::string subject, std::string message,
            std::string offending, std::vector<std::string> allowed, std::string fix) {
  throw Failure{{std::move(code), where, std::move(subject), std::move(message), std::move(offending),
                 std::move(allowed), std::move(fix)}};
}

}  // namespace covenant::rtl
