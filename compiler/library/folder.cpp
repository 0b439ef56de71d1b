#include "compiler/library/folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "compiler/codelet/diagnose.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/verify.h"
#include "compiler/library/library.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::diagnose;

std::vector<std::filesystem::path> codelet_files(std::string_view folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == ".cdlt") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Diagnostic taken_name(const Codelet& codelet, const std::string& message, const std::string& name,
                      const std::string& fix) {
  return diagnose("CDL0072", codelet.where, codelet.name, message, name, {}, fix);
}

/// Names and operators that codelets of the folder have taken so far.
struct Taken {
  std::set<std::string> operators;
  std::set<std::string> names;
};

Status take_names(const Codelet& codelet, Taken& taken) {
  if (codelet.implements.empty()) {
    return taken_name(codelet, "the codelet does not say which ONNX operator it is", "none",
                      "write: cdlt " + codelet.name + " implements \"Operator\" {");
  }
  if (!taken.operators.insert(codelet.implements).second) {
    return taken_name(codelet, "this operator has a codelet already", codelet.implements,
                      "implement another operator; those of the front end stay as they are");
  }
  if (!taken.names.insert(codelet.name).second) {
    return taken_name(codelet, "another codelet has this name", codelet.name, "rename the codelet");
  }
  return Done{};
}

/// Checks that a codelet has the form of an ONNX operator and refers to no machine.
Status check_form(const Codelet& codelet) {
  size_t inputs = 0;
  size_t outputs = 0;
  for (const codelet::Surrogate& surrogate : codelet.surrogates) {
    inputs += surrogate.kind == codelet::SurrogateKind::kInp ? 1 : 0;
    outputs += surrogate.kind == codelet::SurrogateKind::kOut ? 1 : 0;
    if (surrogate.location.empty()) continue;
    return diagnose("CDL0073", surrogate.where, codelet.name, "a codelet of a library names a place of a machine",
                    surrogate.location, {"null"}, "leave the place to the compiler: write null");
  }
  if (inputs > 0 && outputs == 1) return Done{};
  return diagnose("CDL0073", codelet.where, codelet.name, "an operator has one or more inputs and one output",
                  std::to_string(inputs) + " inp, " + std::to_string(outputs) + " out", {"1 or more inp, 1 out"},
                  "declare the tensors that the operator reads as inp, its result as out, others as local");
}

}  // namespace

Result<std::vector<Codelet>> load_codelets(std::string_view folder, const std::vector<std::string>& taken) {
  const std::vector<std::filesystem::path> files = codelet_files(folder);
  if (files.empty()) {
    return diagnose("CDL0071", {std::string(folder), 0, 0}, "", "there is no codelet in this folder",
                    std::string(folder), {"a folder with .cdlt files"},
                    "check the path; it is relative to the current directory");
  }
  const std::vector<std::string> library = library_names();
  Taken names{{taken.begin(), taken.end()}, {library.begin(), library.end()}};
  std::vector<Codelet> codelets;
  for (const std::filesystem::path& path : files) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    Result<Codelet> codelet = codelet::parse(text, path.string());
    if (!codelet) return codelet.error();
    if (Status size = codelet::verify_size(*codelet); !size) return size.error();
    if (Status verified = codelet::verify(*codelet, nullptr); !verified) return verified.error();
    if (Status free = take_names(*codelet, names); !free) return free.error();
    if (Status form = check_form(*codelet); !form) return form.error();
    codelets.push_back(std::move(*codelet));
  }
  return codelets;
}

}  // namespace covenant::compiler
