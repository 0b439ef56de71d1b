#include "acg/behaviour/code.h"

#include <fmt/format.h>
#include <limits>

namespace covenant::acg::behaviour {

int64_t Type::elements() const {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

Range Type::range() const {
  if (bits > 63) return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  if (!is_signed) return {0, (int64_t{1} << bits) - 1};
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

std::string text_of(const Type& type) {
  std::string text = fmt::format("{}{}", type.is_signed ? 'i' : 'u', type.bits);
  for (const int64_t size : type.shape) text += fmt::format("[{}]", size);
  return text;
}

Expression constant_of(int64_t value, const SourceLocation& where) {
  Expression result;
  result.range = {value, value};
  result.value = value;
  result.where = where;
  return result;
}

}  // namespace covenant::acg::behaviour
