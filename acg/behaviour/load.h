/// Loads the behaviour of a machine from a name, a file or a text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/lang/load.h"

namespace covenant::acg::behaviour {

/// The behaviour of the machine `spec`, a name or a path as acg::load_machine takes it. Errors: those of
/// acg::load_machine that are about names, files, the text and its parameters; BEH0001 to BEH0013; BEH0014 (the machine
/// has none).
Result<Behaviour> load_behaviour(std::string_view spec,
                                 const std::vector<std::pair<std::string, std::string>>& set = {});

/// The behaviour that `text` describes; `file_name` is for messages. Errors: as load_behaviour.
Result<Behaviour> parse_behaviour(std::string_view text, std::string_view file_name, std::string_view preset = {},
                                  const std::vector<std::pair<std::string, std::string>>& set = {},
                                  const lang::ReadInclude& read = read_include);

}  // namespace covenant::acg::behaviour
