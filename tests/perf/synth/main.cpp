// Writes the RTL of a machine into a folder: synth_sources MACHINE FOLDER. For `./dev synth`.
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "acg/lang/load.h"
#include "rtl/gen/generate.h"

int main(int argc, char** argv) {
  using namespace covenant;
  if (argc != 3) {
    fmt::print(stderr, "usage: synth_sources MACHINE FOLDER\n");
    return 2;
  }
  const auto machine = acg::load_machine(argv[1]);
  if (!machine) {
    fmt::print(stderr, "{}\n", render(machine.error()));
    return 2;
  }
  const auto files = rtl::generate(*machine);
  if (!files) {
    fmt::print(stderr, "{}\n", render(files.error()));
    return 2;
  }
  std::filesystem::create_directories(argv[2]);
  for (const auto& [name, text] : *files) std::ofstream(std::filesystem::path(argv[2]) / name) << text;
  return 0;
}
