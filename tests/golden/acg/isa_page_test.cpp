// The page of the GeneSys words agrees with the machine: every mnemonic has its row, with the layout of the Codec.
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "acg/isa/encode.h"
#include "tests/support/folders.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

std::string bits_text(const Codec::FieldBits& bits) {
  if (bits.width == 1) return fmt::format("{}", bits.low);
  return fmt::format("{}..{}", bits.low + bits.width - 1, bits.low);
}

/// `| ADD | 0 | 27..24 = 0 · 23..21 DST_SPACE · ... | simd_array.add |`
std::string row(const Mnemonic& mnemonic, const std::vector<Codec::FieldBits>& layout) {
  std::string fields;
  uint32_t low = 28;
  for (size_t i = 0; i < layout.size(); ++i) {
    const Field& field = mnemonic.fields[i];
    if (i > 0) fields += " · ";
    fields += bits_text(layout[i]);
    low = layout[i].low;
    fields += field.kind == FieldKind::kConstant ? fmt::format(" = {}", field.constant) : " " + field.name;
    if (field.is_signed) fields += " (signed)";
  }
  if (low > 0) fields += fmt::format(" · {} reserved", bits_text({0, low}));
  return fmt::format("| {} | {} | {} | {} |", mnemonic.name, mnemonic.opcode, fields, qualified_name(mnemonic.does));
}

TEST(IsaPage, HasARowForEveryMnemonic) {
  std::ifstream file(source_folder() + "/docs/reference/genesys-isa.md");
  ASSERT_TRUE(file) << "the page is missing";
  std::ostringstream page;
  page << file.rdbuf();
  const Machine machine = testing::genesys();
  const Codec codec(machine);
  for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
    const std::string wanted = row(machine.mnemonics[i], codec.layout(i));
    EXPECT_NE(page.str().find(wanted + "\n"), std::string::npos) << "the page needs this row:\n" << wanted;
  }
}

TEST(IsaPage, ListsTheNamesOfEveryEnumeration) {
  std::ifstream file(source_folder() + "/docs/reference/genesys-isa.md");
  std::ostringstream page;
  page << file.rdbuf();
  for (const Mnemonic& mnemonic : testing::genesys().mnemonics) {
    for (const Field& field : mnemonic.fields) {
      if (field.kind != FieldKind::kEnumeration) continue;
      std::string codes;
      for (size_t code = 0; code < field.values.size(); ++code) {
        codes += fmt::format("{}{} {}", code == 0 ? "" : ", ", field.values[code], code);
      }
      EXPECT_NE(page.str().find(codes), std::string::npos)
          << "the page needs the codes of " << field.name << ": " << codes;
    }
  }
}

}  // namespace
}  // namespace covenant::acg
