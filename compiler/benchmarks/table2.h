/// The text of table2.csv, compiled in.
#pragma once

#include <string_view>

namespace covenant::compiler {

std::string_view table2_text();

}  // namespace covenant::compiler
