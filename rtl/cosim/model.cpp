#include "rtl/cosim/model.h"

#include <string_view>
#include <utility>

#include "acg/graph/queries.h"
#include "rtl/cosim/build.h"
#include "rtl/cosim/library.h"
#include "rtl/cosim/shim_texts.h"
#include "rtl/gen/generate.h"

namespace covenant::rtl {

namespace {

using Files = std::map<std::string, std::string>;

/// Folder of a file of the shim, which includes headers by the same paths as in this repository.
std::string folder_of(std::string_view name) {
  if (name == "instruction_word.h") return "acg/encoding/";
  if (name == "retire_record.h") return "acg/isa/";
  return name.ends_with(".h") ? "rtl/cosim/" : "";
}

/// Places each file of the model.
Files all_files(const Files& generated) {
  Files files = generated;
  for (const SourceText& source : shim_texts()) files[folder_of(source.name) + std::string(source.name)] = source.text;
  return files;
}

Recipe recipe_of(const acg::Machine& machine, const Files& generated, const BuildOptions& options) {
  Recipe recipe;
  recipe.name = machine.name;
  recipe.files = all_files(generated);
  recipe.top = "covenant_top";
  const std::string state = options.checked ? "unique" : "fast";
  recipe.sources = {
      "-f",         "covenant.f", "covenant_observer.sv", "shim.cpp", "recorder.cpp",
      "--x-assign", state,        "--x-initial",          state,      options.checked ? "--assert" : "--no-assert"};
  if (options.checked) {
    recipe.sources.emplace_back("+define+COVENANT_CHECKED");
    recipe.flags += " -DCOVENANT_CHECKED -DVL_USER_STOP";
  }
  if (options.wave) {
    recipe.sources.emplace_back("--trace-fst");
    recipe.flags += " -DCOVENANT_WAVE";
  }
  recipe.quick = options.quick;
  recipe.jobs = options.jobs;
  recipe.progress = options.progress;
  return recipe;
}

std::vector<std::string> names_of_faults(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
  names.insert(names.end(), {"instruction fetch", "channels"});
  return names;
}

}  // namespace

Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options) {
  const Result<Files> generated = generate(machine);
  if (!generated) return generated.error();
  Result<BuiltLibrary> built = build_library(recipe_of(machine, *generated, options), options.cache, kRunSymbol);
  if (!built) return built.error();
  Model model;
  model.folder_ = built->folder;
  model.build_seconds_ = built->build_seconds;
  model.has_wave_ = options.wave;
  model.is_checked_ = options.checked;
  model.library_ = std::make_shared<const Model::Library>(
      Model::Library{std::move(built->handle), reinterpret_cast<RunFunction>(built->symbol)});
  model.fault_names_ = names_of_faults(machine);
  return model;
}

}  // namespace covenant::rtl
