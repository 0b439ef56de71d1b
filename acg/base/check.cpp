#include "acg/base/check.h"

#include <fmt/format.h>

namespace covenant {

void fail(std::string_view what, std::source_location where) {
  throw InternalError(fmt::format("internal error at {}:{}: {}", where.file_name(), where.line(), what));
}

}  // namespace covenant
