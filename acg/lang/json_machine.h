/// The JSON form of a machine as part of a larger document. Include in sources only.
#pragma once

#include "acg/base/json_reader.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

Json machine_json(const Machine& machine);
/// The machine, validated. Throws Failure as `from_json` does.
Machine machine_of(const JsonReader& reader);

}  // namespace covenant::acg
