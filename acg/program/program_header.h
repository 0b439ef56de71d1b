/// The JSON header of a program file. Include in sources only.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/json_reader.h"
#include "acg/program/program.h"
#include "acg/program/section_file.h"

namespace covenant::acg {

/// The header: the whole program except the data of its segments and the host's models. `sections` has one entry for
/// each segment, then one for the host's start and one for its end.
Json header_json(const Program& program, const std::vector<Section>& sections);

struct Header {
  Program program;  ///< without the data of sections
  std::vector<Section> sections;
};
/// Parses the header. Throws Failure: PRG0005, and the codes of from_json for the machine.
Header header_of(const JsonReader& reader);

/// Pairs as a list of objects of `output` and `input`. Reading throws Failure.
Json state_json(const std::vector<StateTensor>& state);
std::vector<StateTensor> state_of(const JsonReader& reader);

/// True if elements of one are elements of the other: they have one type, shape and quantisation. The padding is the
/// zero point, also where the host quantises nothing and the binding has no other trace of it.
bool are_alike(const TensorBinding& one, const TensorBinding& other);

/// Throws Failure PRG0006 if parts of the program contradict each other. Precondition: segments have their data.
void check_consistent(const Program& program, const SourceLocation& where);
/// Throws Failure PRG0006 unless pairs are of these tensors, alike, and each tensor is in one pair.
void check_state(const std::vector<StateTensor>& state, const std::vector<TensorBinding>& inputs,
                 const std::vector<TensorBinding>& outputs, const SourceLocation& where);

}  // namespace covenant::acg
