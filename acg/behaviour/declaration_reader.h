/// Reads what a behaviour declares: state, tables, records, queues, functions and number formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/behaviour/code_reader.h"

namespace covenant::acg::behaviour {

/// Most bits of a port's data.
inline constexpr int64_t kMaxDataBits = 256;

class DeclarationReader : public CodeReader {
 public:
  using CodeReader::CodeReader;

 protected:
  /// Each reads one declaration after its first word.
  void state_item(bool is_table);
  void record_item();
  void queue_item();
  void function();
  void format();
  void intrinsic();

  /// A name that no other of `items` has.
  template <typename Items>
  lang::Word new_name(const Items& items, std::string_view what) {
    lang::Word name = word(what);
    if (items.size() >= kMostNames) throw too_many("names of this kind", kMostNames, name);
    for (const auto& one : items) {
      if (one.name == name.text) throw taken(name);
    }
    return name;
  }

  /// Attributes in a block, each a constant.
  void attributes_of(const std::string& subject, const std::vector<std::pair<std::string, int64_t*>>& known,
                     int64_t low, int64_t high);

 private:
  static Failure taken(const lang::Word& name);
  void states_of(const lang::Word& name, uint32_t record);
  std::vector<int64_t> initial(const Type& type);
  bool is_off_chip(const Type& type);
  std::vector<Variable> arguments();
  void end_function(Function made);
  void part_of_format(const Format& format, const lang::Word& part);
};

}  // namespace covenant::acg::behaviour
