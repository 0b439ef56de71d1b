#include "tests/support/folders.h"

namespace covenant {

const std::string& source_folder() {
  static const std::string kFolder = COVENANT_SOURCE_DIR;
  return kFolder;
}

const std::string& rtl_models_folder() {
  static const std::string kFolder = COVENANT_RTL_CACHE;
  return kFolder;
}

}  // namespace covenant
