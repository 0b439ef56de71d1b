/// The text form of embeddings: what a schedule may pin. Print and parse are inverses.
///
///     embedding := part { "|" part }
///     part      := AXIS ":" ( "-" | factor { factor } ) | "band" ":" axis { axis } | "exchanged"
///     factor    := axis "*" count [ "@" stride ] | "(" axis { axis } ")" "*" count
///
/// AXIS is an axis of the instruction with more than one place, and each has a part; axis is one of the workload, and
/// factors stand outermost first. Axes in parentheses are counted as one: `inner: (kh kw ic)*16`. `columns: oc*8 ow*2 |
/// inner: ic*3 ow*5 | band: ow`: eight channels of two outputs side by side, over three channels at the five positions
/// that the two see.
#pragma once

#include <string>
#include <string_view>

#include "acg/base/result.h"
#include "compiler/embedding/embedding.h"

namespace covenant::compiler::embedding {

std::string print(const Embedding& embedding, const Workload& workload, const Instruction& instruction);

/// The factors along one axis of the instruction, as they stand in the text: `ic*4 kw*3`, or `-`.
std::string print_factors(const Embedding& embedding, const Workload& workload, size_t place);

/// Error: EMB0011 (a text that does not follow the grammar; an embedding that `verify` refuses).
Result<Embedding> parse_embedding(std::string_view text, const Workload& workload, const Instruction& instruction);

}  // namespace covenant::compiler::embedding
