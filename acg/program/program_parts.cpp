#include "acg/program/program_parts.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "acg/base/failure.h"
#include "acg/program/program_header.h"

namespace covenant::acg {
namespace {

using Bindings = std::vector<TensorBinding>;

std::vector<std::string> names_of(const Bindings& bindings) {
  std::vector<std::string> names;
  for (const TensorBinding& binding : bindings) names.push_back(binding.name);
  return names;
}

class Checker {
 public:
  Checker(const ProgramParts& whole, std::string_view file_name)
      : whole_(whole), where_{std::string(file_name), 0, 0} {}

  void run() {
    if (whole_.parts.empty()) refuse("parts", "there is none", "");
    check_programs();
    for (const PartLink& link : whole_.links) check_link(link);
    for (const WholeTensor& input : whole_.inputs) check_input(input);
    std::set<std::string> names;
    for (const WholeTensor& output : whole_.outputs) {
      bindings_of(output.tensor, &Program::outputs);
      if (!names.insert(output.name).second) refuse("output " + output.name, "it is two tensors", output.tensor.tensor);
    }
    check_all_given();
    check_state(whole_.state, inputs_of(whole_), outputs_of(whole_), where_);
  }

 private:
  [[noreturn]] void refuse(std::string subject, std::string message, std::string offending,
                           std::vector<std::string> allowed = {}) const {
    throw Failure{{"PRG0008", where_, std::move(subject), std::move(message), std::move(offending), std::move(allowed),
                   "compile the model again"}};
  }

  std::string text_of(const PartTensor& tensor) const {
    return fmt::format("{} of {}", tensor.tensor, whole_.parts.at(tensor.part).name);
  }

  void check_programs() const {
    std::set<std::string> names;
    for (const Part& part : whole_.parts) {
      if (!names.insert(part.name).second) refuse("part " + part.name, "two parts have one name", part.name);
      const Program& program = part.program;
      if (program.state.empty() && program.host_start.empty() && program.host_end.empty()) continue;
      refuse("part " + part.name, "it has state or work of the host, which belong to the whole", program.model);
    }
  }

  /// All bindings of a name, of which there is one at least.
  std::vector<const TensorBinding*> bindings_of(const PartTensor& tensor, Bindings Program::* side) const {
    if (tensor.part >= whole_.parts.size()) {
      refuse("tensor " + tensor.tensor, "there is no such part", fmt::format("{}", tensor.part),
             {fmt::format("0..{}", whole_.parts.size() - 1)});
    }
    const Part& part = whole_.parts[tensor.part];
    std::vector<const TensorBinding*> found;
    for (const TensorBinding& binding : part.program.*side) {
      if (binding.name == tensor.tensor) found.push_back(&binding);
    }
    if (found.empty()) {
      refuse("part " + part.name, side == &Program::inputs ? "it has no such input" : "it has no such output",
             tensor.tensor, names_of(part.program.*side));
    }
    return found;
  }

  void give(const PartTensor& input) {
    if (given_.emplace(input.part, input.tensor).second) return;
    refuse("input " + text_of(input), "it is given twice", input.tensor);
  }

  void check_link(const PartLink& link) {
    const auto makers = bindings_of(link.output, &Program::outputs);
    const auto readers = bindings_of(link.input, &Program::inputs);
    const std::string subject = "link to " + text_of(link.input);
    if (link.output.part >= link.input.part) {
      refuse(subject, "it comes from no earlier part", text_of(link.output));
    }
    const bool fit = std::ranges::all_of(readers, [&](const auto* reader) { return are_alike(*makers[0], *reader); });
    if (!fit) refuse(subject, "it differs from the output that it is", text_of(link.output));
    give(link.input);
  }

  /// Parts that take one input are given the same elements: of one shape and type, stored ones of one zero point.
  void check_input(const WholeTensor& input) {
    for (const TensorBinding* binding : bindings_of(input.tensor, &Program::inputs)) {
      const TensorBinding& first = *first_.try_emplace(input.name, binding).first->second;
      const bool fits =
          first.host_quantizes && binding->host_quantizes ? first.shape == binding->shape : are_alike(first, *binding);
      if (!fits) refuse("input " + input.name, "parts take it in several forms", text_of(input.tensor));
    }
    give(input.tensor);
  }

  void check_all_given() const {
    for (size_t part = 0; part < whole_.parts.size(); ++part) {
      for (const TensorBinding& binding : whole_.parts[part].program.inputs) {
        if (given_.contains({part, binding.name})) continue;
        refuse("part " + whole_.parts[part].name, "nothing gives this input", binding.name);
      }
    }
  }

  const ProgramParts& whole_;
  SourceLocation where_;
  std::set<std::pair<size_t, std::string>> given_;     ///< inputs of parts
  std::map<std::string, const TensorBinding*> first_;  ///< by the name of an input of the whole
};

Bindings named(const ProgramParts& parts, const std::vector<WholeTensor>& tensors, Bindings Program::* side) {
  Bindings found;
  for (const WholeTensor& whole : tensors) {
    for (const TensorBinding& binding : parts.parts.at(whole.tensor.part).program.*side) {
      if (binding.name != whole.tensor.tensor) continue;
      found.push_back(binding);
      found.back().name = whole.name;
    }
  }
  return found;
}

}  // namespace

Status check_parts(const ProgramParts& parts, std::string_view file_name) {
  return guarded<Done>([&] {
    Checker(parts, file_name).run();
    return Done{};
  });
}

std::vector<TensorBinding> inputs_of(const ProgramParts& parts) { return named(parts, parts.inputs, &Program::inputs); }

std::vector<TensorBinding> outputs_of(const ProgramParts& parts) {
  return named(parts, parts.outputs, &Program::outputs);
}

}  // namespace covenant::acg
