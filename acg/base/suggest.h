/// "Did you mean": the nearest allowed word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace covenant {

/// Number of single-character insertions, deletions, substitutions and swaps of neighbours between two words.
size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, letter case ignored, if it is near enough to be a slip; empty otherwise. Ties go to
/// the first candidate.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// A fix line for an unknown word: `did you mean "IBUF"?`, or `use one of the allowed words` if none is near.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace covenant
