#include "rtl/gen/common/operation_names.h"

namespace covenant::rtl {

std::string plain_enumerator(acg::Operation operation) { return prefixed_enumerator("", operation); }

std::string prefixed_enumerator(std::string_view prefix, acg::Operation operation) {
  std::string name = "Op" + std::string(prefix);
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

std::string in_package(const std::string& enumerator) { return "covenant_pkg::" + enumerator; }

}  // namespace covenant::rtl
