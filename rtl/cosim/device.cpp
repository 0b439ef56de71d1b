#include "rtl/cosim/device.h"

#include <fmt/format.h>
#include <utility>

#include "rtl/cosim/build.h"
#include "rtl/cosim/shim_texts.h"
#include "rtl/gen/generate.h"

namespace covenant::rtl {

namespace {

Recipe recipe_of(const acg::Machine& machine, std::map<std::string, std::string> generated,
                 const DeviceOptions& options) {
  Recipe recipe;
  recipe.name = machine.name + "-device";
  recipe.files = std::move(generated);
  for (const SourceText& source : device_texts()) {
    const std::string name(source.name);
    recipe.files[name.ends_with(".h") ? "rtl/cosim/" + name : name] = source.text;
  }
  recipe.top = "covenant_axi_top";
  recipe.sources = {"-f",
                    "covenant_axi.f",
                    "device.vlt",
                    "device_shim.cpp",
                    "--x-assign",
                    "fast",
                    "--x-initial",
                    "fast",
                    options.checked ? "--assert" : "--no-assert"};
  if (options.outstanding != 0) recipe.sources.push_back(fmt::format("-GOutstanding={}", options.outstanding));
  recipe.quick = options.quick;
  recipe.jobs = options.jobs;
  recipe.progress = options.progress;
  return recipe;
}

}  // namespace

std::shared_ptr<VerilatedDevice> DeviceModel::make() const {
  return {make_(), [library = library_](VerilatedDevice* device) { delete device; }};
}

Result<DeviceModel> build_device(const acg::Machine& machine, const DeviceOptions& options) {
  const auto generated = generate(machine, options.masters);
  if (!generated) return generated.error();
  const Result<BuiltLibrary> built =
      build_library(recipe_of(machine, *generated, options), options.cache, kMakeDeviceSymbol);
  if (!built) return built.error();
  DeviceModel model;
  model.folder_ = built->folder;
  model.library_ = built->handle;
  model.make_ = reinterpret_cast<MakeDevice>(built->symbol);
  return model;
}

}  // namespace covenant::rtl
