/// Text -> Behaviour.
#pragma once

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/lang/resolve.h"

namespace covenant::acg::behaviour {

/// The behaviour that the text of a machine describes, with its parameters set. Errors: those of `lang::expand` and
/// `lang::parameter_values`; BEH0001 to BEH0019.
Result<Behaviour> read_behaviour(const lang::MachineSpec& spec, std::string_view preset, const lang::Settings& set);

}  // namespace covenant::acg::behaviour
