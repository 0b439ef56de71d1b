/// Functions of a behaviour by themselves: number formats and what they are made of, for studies and for drivers.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour {

/// Calls functions of a behaviour, which has to outlive it. State is as before the first command.
class Functions {
 public:
  explicit Functions(const Behaviour& behaviour);

  /// The function of this name. Throws BEH0001.
  const Function& find(std::string_view name) const;
  /// Numbers of the result; `arguments` holds all elements of the first argument, then those of the next. Throws
  /// BEH0002 (an argument that does not fit its type), BEH0031 (too few or too many), BEH0032 to BEH0034, BEH0037.
  std::vector<int64_t> call(const Function& function, const std::vector<int64_t>& arguments);

 private:
  const Behaviour& behaviour_;
  std::vector<Elements> elements_;
  std::vector<int64_t> waiting_;
  uint64_t cycles_ = 0;
  Values values_;
};

}  // namespace covenant::acg::behaviour
