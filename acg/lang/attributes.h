/// Reads `name = value;` blocks of a MachineSpec against a list of allowed names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/failure.h"
#include "acg/base/suggest.h"
#include "acg/graph/places.h"
#include "acg/graph/words.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The attributes of one block. Records the source location of each under "PATH NAME".
class AttributeReader {
 public:
  /// `path` names the block in messages and locations; `allowed` lists the attributes that it may have. Borrows all but
  /// `path` and `allowed`. Throws Failure: ACG0003 (a name that is not allowed), ACG0004 (a name given twice).
  AttributeReader(std::string path, const std::vector<AttributeSpec>& said, std::vector<std::string> allowed,
                  const std::map<std::string, int64_t>& parameters, Places& places);

  const AttributeSpec* find(std::string_view name) const;
  /// The integer called `name`, or `otherwise` if it is not given. Throws Failure: ACG0009..ACG0011, ACG0013 (negative,
  /// or more than `held`; the message shows `allowed`, which the machine's checks enforce later).
  uint64_t number(std::string_view name, uint64_t otherwise, uint64_t held, std::vector<std::string> allowed) const;
  uint32_t number32(std::string_view name, uint32_t otherwise, std::vector<std::string> allowed) const;
  /// The decimal called `name` (an energy in pJ, for example), 0 if it is not given. Throws Failure: ACG0009..ACG0011,
  /// ACG0013.
  double real(std::string_view name) const;
  /// The word called `name`; null if it is not given. Throws Failure: ACG0003 if it is not a plain word.
  const Expression* word(std::string_view name) const;

 private:
  std::string path_;
  const std::vector<AttributeSpec>& said_;
  const std::map<std::string, int64_t>& parameters_;
};

/// `expression` as one of the words in `table`. Throws Failure: ACG0003.
template <typename Enum, size_t count>
Enum word_in(const std::array<NamedValue<Enum>, count>& table, const Expression& said, const std::string& subject,
             std::string_view what) {
  if (const std::optional<Enum> value = value_in(table, said.name)) return *value;
  std::vector<std::string> allowed = names_in(table);
  std::string fix = suggest(said.name, allowed);
  throw Failure{
      {"ACG0003", said.where, subject, "unknown " + std::string(what), said.name, std::move(allowed), std::move(fix)}};
}

/// `expression` as a count in 0..held. Throws Failure: ACG0009..ACG0011, ACG0013, which shows `allowed`.
uint64_t count_of(const Expression& expression, const std::map<std::string, int64_t>& parameters, uint64_t held,
                  std::vector<std::string> allowed, const std::string& subject, std::string_view name);

}  // namespace covenant::acg::lang
