/// Programs of several parts: each a program for a machine of its own, which hands tensors to later ones.
///
/// On disk it is one file (acg/program/parts_file.h). docs/reference/parts.md describes what runs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/program/program.h"

namespace covenant::acg {

/// State and the work of the host belong to the whole: the program of a part has neither.
struct Part {
  std::string name;
  Program program;
  bool operator==(const Part&) const = default;
};

/// An input or output of a part, by its name there.
struct PartTensor {
  size_t part = 0;  ///< index into ProgramParts::parts
  std::string tensor;
  bool operator==(const PartTensor&) const = default;
};

/// An output of a part is an input of a later one.
struct PartLink {
  PartTensor output;
  PartTensor input;
  bool operator==(const PartLink&) const = default;
};

/// An input or output of the whole, and the tensor of a part that it is.
struct WholeTensor {
  std::string name;
  PartTensor tensor;
  bool operator==(const WholeTensor&) const = default;
};

struct ProgramParts {
  std::string model;        ///< file name of the model, without its folder
  std::vector<Part> parts;  ///< in the order in which they run
  std::vector<PartLink> links;
  std::vector<WholeTensor> inputs;  ///< once for each part that takes it
  std::vector<WholeTensor> outputs;
  std::vector<StateTensor> state{};   ///< of inputs and outputs of the whole
  std::vector<uint8_t> host_start{};  ///< as in Program
  std::vector<uint8_t> host_end{};
  bool operator==(const ProgramParts&) const = default;
};

/// Checks that parts fit each other: each input of a part is given once, by an input of the whole or by an output of an
/// earlier part that is stored alike; names are there, and none stands for two things; state as in a program. Errors:
/// PRG0006 (state), PRG0008. `file_name` is for messages. The programs themselves are taken as they are.
Status check_parts(const ProgramParts& parts, std::string_view file_name = {});

/// Inputs and outputs of the whole under its names, with the form that they have in their parts; an input once for each
/// part that takes it. Precondition: check_parts.
std::vector<TensorBinding> inputs_of(const ProgramParts& parts);
std::vector<TensorBinding> outputs_of(const ProgramParts& parts);

}  // namespace covenant::acg
