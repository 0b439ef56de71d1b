/// Hands out unique names.
#pragma once

#include <map>
#include <set>
#include <string>

namespace covenant::compiler::srdfg {

class Names {
 public:
  void take(const std::string& name) { taken_.insert(name); }

  /// `wanted`, followed by a number if it is taken; the result is taken from now on.
  std::string unique(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    int& number = numbers_.try_emplace(wanted, 2).first->second;  // lower numbers are taken, too
    std::string name;
    do {
      name = wanted + "_" + std::to_string(number++);
    } while (!taken_.insert(name).second);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  ///< by name: the lowest number that may be free
};

}  // namespace covenant::compiler::srdfg
