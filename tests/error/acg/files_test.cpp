// Machines that do not exist: ACG0007, ACG0008.
#include <gtest/gtest.h>

#include "acg/lang/load.h"

namespace covenant::acg {
namespace {

TEST(FileErrors, UnknownMachine) {
  const Result<Machine> machine = load_machine("genesis");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, "ACG0007");
  EXPECT_EQ(machine.error().offending, "genesis");
  EXPECT_EQ(machine.error().allowed, builtin_machines());
  EXPECT_EQ(machine.error().fix, "did you mean \"genesys\"?; a file's path ends in .acg or contains /");
}

TEST(FileErrors, EmptyName) {
  ASSERT_FALSE(load_machine(""));
  EXPECT_EQ(load_machine("").error().code, "ACG0007");
  EXPECT_EQ(load_machine(":8x8").error().code, "ACG0007");
}

TEST(FileErrors, UnknownPresetOfABuiltin) {
  const Result<Machine> machine = load_machine("genesys:9x9");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.error().code, "ACG0006");
  EXPECT_EQ(machine.error().allowed, builtin_presets("genesys"));
}

TEST(FileErrors, MissingFileAndFolder) {
  for (const char* path : {"nonesuch.acg", "./nonesuch", "nonesuch.acg:8x8", "./"}) {
    const Result<Machine> machine = load_machine(path);
    ASSERT_FALSE(machine) << path;
    EXPECT_EQ(machine.error().code, "ACG0008") << path;
    EXPECT_EQ(machine.error().fix, "check that the path names a readable file");
  }
  EXPECT_EQ(load_machine("nonesuch.acg:8x8").error().where.file, "nonesuch.acg");
}

}  // namespace
}  // namespace covenant::acg
