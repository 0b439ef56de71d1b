/// "Did you mean": finds the allowed word that is nearest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace covenant {

/// Edit distance of two words: insertions, deletions and substitutions of a character, and swaps of neighbours.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, ignoring letter case, if it is near enough to be a typing error; otherwise empty.
/// Ties go to the first candidate.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// A fix line for an unknown word: `did you mean "IBUF"?`, or `use one of the allowed words` if none is near.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace covenant
