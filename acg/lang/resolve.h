/// MachineSpec -> Machine: parameters take their values, names become ids.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/graph/places.h"
#include "acg/lang/spec.h"

namespace covenant::acg::lang {

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Resolved {
  Machine machine;
  Places places;
};

/// Values of the parameters: a setting wins over the preset, the preset over the default; of two settings of one
/// parameter the later one wins. Not yet validated. Throws Failure: ACG0003..ACG0006, ACG0009..ACG0015.
Resolved resolve(const MachineSpec& spec, std::string_view preset, const Settings& set);

}  // namespace covenant::acg::lang
