/// MachineSpec -> Machine: gives parameters their values and turns names into ids.
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

/// A setting overrides the preset, the preset the default; of two settings of one parameter the later one wins. The
/// result is not validated yet. Throws Failure: ACG0003..ACG0006, ACG0009..ACG0015.
Resolved resolve(const MachineSpec& spec, std::string_view preset, const Settings& set);

}  // namespace covenant::acg::lang
