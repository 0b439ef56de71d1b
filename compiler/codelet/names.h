/// Unique names for the locals and loops that passes add.
#pragma once

#include <set>
#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler {

/// The names that a codelet uses, plus those handed out since.
class Names {
 public:
  explicit Names(const codelet::Codelet& codelet);

  /// `name` followed by the first number that makes it unique: `a` gives a1, a2, ...
  std::string fresh(const std::string& name);
  /// `name` itself if it is unused; otherwise `prefix_name`, followed by a number if that is used, too.
  std::string take(const std::string& name, const std::string& prefix);

 private:
  std::set<std::string> taken_;
};

}  // namespace covenant::compiler
