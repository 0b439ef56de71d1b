/// New names for locals and loops that passes add.
#pragma once

#include <set>
#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The names that a codelet uses, and those given out since.
class Names {
 public:
  explicit Names(const codelet::Codelet& codelet);

  /// `name` with the first number after it that makes it new: `a` gives a1, a2, ...
  std::string fresh(const std::string& name);
  /// `name` itself if it is new; otherwise `prefix_name`, and if that is taken too, the first number after it.
  std::string take(const std::string& name, const std::string& prefix);

 private:
  std::set<std::string> taken_;
};

}  // namespace covenant::compiler
