// Texts for people, compared with the committed ones. COVENANT_REWRITE_GOLDEN=1 rewrites them.
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "acg/program/listing.h"
#include "tests/unit/acg/small_program.h"

namespace covenant::acg {
namespace {

/// `text` is what stands in tests/golden/acg/NAME.
void expect_golden(const std::string& name, const std::string& text) {
  test::expect_golden("tests/golden/acg/" + name, text, "golden_acg");
}

TEST(Golden, PrintedMachine) { expect_golden("genesys_8x8.txt", print(testing::genesys("8x8"))); }

TEST(Golden, MachineAsJson) { expect_golden("small.json", to_json(testing::parsed(testing::kSmallMachine))); }

TEST(Golden, Listing) { expect_golden("small_listing.txt", disassemble(testing::small_program())); }

}  // namespace
}  // namespace covenant::acg
