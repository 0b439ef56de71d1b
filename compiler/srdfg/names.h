/// Names that are distinct.
#pragma once

#include <map>
#include <set>
#include <string>

namespace covenant::compiler::srdfg {

class Names {
 public:
  void take(const std::string& name) { taken_.insert(name); }

  /// `wanted`, or with a number after it if it is taken; taken from now on.
  std::string unique(const std::string& wanted) {
    if (taken_.insert(wanted).second) return wanted;
    int& number = numbers_.try_emplace(wanted, 2).first->second;  // those below it are taken, too
    std::string name;
    do {
      name = wanted + "_" + std::to_string(number++);
    } while (!taken_.insert(name).second);
    return name;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, int> numbers_;  ///< by name: the least that may be free behind it
};

}  // namespace covenant::compiler::srdfg
