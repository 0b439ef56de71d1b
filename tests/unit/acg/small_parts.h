/// A program of two parts with every field filled, small enough that each of its bits can be flipped.
#pragma once

#include "acg/program/program_parts.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg::testing {

/// The first part makes y of x; the second one takes it as h, and x as well, and makes z and c_next; c is state.
inline ProgramParts small_parts() {
  const Program first = small_program();
  Program second = small_program();
  TensorBinding h = first.outputs[0];
  h.name = "h";
  h.address = 512;  // layouts differ: the host moves elements
  TensorBinding c = h;
  c.name = "c";
  TensorBinding c_next = h;
  c_next.name = "c_next";
  second.inputs = {h, second.inputs[0], c};
  second.outputs[0].name = "z";
  second.outputs.push_back(c_next);
  ProgramParts parts;
  parts.model = "tiny.onnx";
  parts.parts = {{"1", first}, {"2", second}};
  parts.links = {{{0, "y"}, {1, "h"}}};
  parts.inputs = {{"image", {0, "x"}}, {"image", {1, "x"}}, {"before", {1, "c"}}};
  parts.outputs = {{"z", {1, "z"}}, {"after", {1, "c_next"}}};
  parts.state = {{"after", "before"}};
  parts.host_start = {1, 2, 3};
  parts.host_end = {4, 5};
  return parts;
}

}  // namespace covenant::acg::testing
