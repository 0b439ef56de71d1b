/// Reading `name = value;` blocks of a MachineSpec against the list of names that may stand there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/places.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

/// The attributes of one block. Notes the place of each under "PATH NAME".
class AttributeReader {
 public:
  /// `path` names the block in messages and places, `allowed` what may be said in it. Borrows all but `path`,
  /// `allowed`. Throws Failure: ACG0003 (a name that is not allowed), ACG0004 (a name said twice).
  AttributeReader(std::string path, const std::vector<AttributeSpec>& said, std::vector<std::string> allowed,
                  const std::map<std::string, int64_t>& parameters, Places& places);

  const AttributeSpec* find(std::string_view name) const;
  /// The integer called `name`, or `otherwise` if it is not said. Throws Failure: ACG0009..ACG0011, ACG0013 (negative,
  /// or above `highest`).
  uint64_t number(std::string_view name, uint64_t otherwise, uint64_t highest) const;
  uint32_t number32(std::string_view name, uint32_t otherwise) const;
  /// The word called `name`, if it is said. Throws Failure: ACG0003 if it is no plain word.
  const Expression* word(std::string_view name) const;

 private:
  std::string path_;
  const std::vector<AttributeSpec>& said_;
  const std::map<std::string, int64_t>& parameters_;
};

/// `expression` as a count: 0..highest. Throws Failure: ACG0009..ACG0011, ACG0013.
uint64_t count_of(const Expression& expression, const std::map<std::string, int64_t>& parameters, uint64_t highest,
                  const std::string& subject, std::string_view name);

}  // namespace covenant::acg::lang
