/// Text of expressions, as a behaviour says them: parameters and loops of the text have become numbers.
#pragma once

#include <string>
#include <vector>

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour {

/// `frame` are the names of the update, the process or the function in which it stands.
std::string text_of(const Behaviour& behaviour, const std::vector<Variable>& frame, const Expression& expression);

}  // namespace covenant::acg::behaviour
