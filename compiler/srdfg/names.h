/// Names that are distinct.
#pragma once

#include <set>
#include <string>

namespace covenant::compiler::srdfg {

class Names {
 public:
  void take(const std::string& name) { taken_.insert(name); }

  /// `wanted`, or with a number after it if it is taken; taken from now on.
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number) name = wanted + "_" + std::to_string(number);
    return name;
  }

 private:
  std::set<std::string> taken_;
};

}  // namespace covenant::compiler::srdfg
