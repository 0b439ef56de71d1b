/// Programs of machines whose engines are sent words in groups: docs/reference/units/control.md.
#pragma once

#include "acg/program/code.h"

namespace covenant::acg {

extern const CodeKind kGroupCode;

}  // namespace covenant::acg
