/// Turns the names of a machine into identifiers of SystemVerilog and into comments.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::rtl {

/// Longest identifier of `identifiers`, without its number.
inline constexpr size_t kLongestIdentifier = 48;

/// One identifier for each name, in their order: lower case, `->` as `_to_`, other characters as `_`, one `_` at a time
/// and none at either end, cut to kLongestIdentifier. `n` stands before a digit and before a prefix of the generator
/// (`u`, `unused`, `bus`). Where an earlier name has taken it, or its last word is one of the generator's own, a
/// further word `alt1`, `alt2`, .. tells it apart.
///
///     identifiers({"IBUF", "DRAM->IBUF", "ibuf", "FETCH"})  // ibuf, dram_to_ibuf, ibuf_alt1, fetch_alt1
///
/// Distinct names get distinct identifiers, and so does all that the generator makes of them by a prefix before and own
/// words after (`u_ibuf_path`, `ibuf_read_valid`): the identifier ends at the last word that is not its own. Names of
/// own words only (`fetch_fault`) are met by none. Verilator reserves `__`, and makes files of names, which some
/// systems do not tell apart by case: neither occurs. Precondition: names are distinct, and of letters, digits, `_`,
/// `.` and
/// `->`.
std::vector<std::string> identifiers(std::span<const std::string> names);

/// Words (between `_`) of names that the generator itself uses in the top and in modules bound to it; sorted.
std::span<const std::string_view> own_words();

/// A name as the text of a comment, quoted if Verilator would take it for a directive (`// verilator->IBUF`).
std::string comment_of(const std::string& name);

}  // namespace covenant::rtl
