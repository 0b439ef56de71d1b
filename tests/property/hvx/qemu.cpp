#include "tests/property/hvx/qemu.h"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace covenant::acg::testing {
namespace {

using sim::vliw::kVectorBytes;
using sim::vliw::Vector;

constexpr std::array<std::string_view, 14> kControls{"sa0", "lc0", "sa1", "lc1", "",   "",    "m0",
                                                     "m1",  "usr", "",    "ugp", "gp", "cs0", "cs1"};

uint32_t hexadecimal(std::string_view digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

/// `( 0x12, 0x34, ... )`: the byte at the highest address first.
Vector vector_in(std::string_view text, size_t bytes) {
  const auto digit = [&](size_t at) {
    const char c = text[at];
    return c <= '9' ? c - '0' : c - 'a' + 10;
  };
  Vector vector;
  const size_t first = text.find("0x") + 2;
  for (size_t i = 0; i < bytes; ++i) {
    const size_t at = first + std::string_view("0x12, ").size() * i;
    vector.bytes[bytes - 1 - i] = static_cast<uint8_t>(digit(at) * 16 + digit(at + 1));
  }
  return vector;
}

/// A bit for each byte of a vector.
Vector predicate_in(std::string_view text) {
  const Vector bits = vector_in(text, kVectorBytes / 8);
  Vector mask;
  for (size_t i = 0; i < kVectorBytes; ++i) {
    mask.bytes[i] = (bits.bytes[i / 8] >> (i % 8) & 1) != 0 ? 0xff : 0;
  }
  return mask;
}

}  // namespace

Qemu::Qemu(const ElfFile& program)
    : folder_(std::filesystem::temp_directory_path() / fmt::format("covenant_qemu_{}", ::getpid())) {
  std::filesystem::create_directories(folder_);
  const std::filesystem::path file = folder_ / "program.elf";
  const std::vector<uint8_t> bytes = elf_bytes(program);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  // The log comes through a pipe, as a file: QEMU writes standard error output byte by byte.
  const std::string command =
      fmt::format("qemu-hexagon -cpu v67 -singlestep -d cpu,fpu,nochain -D /dev/fd/3 {0}/program.elf 3>&1 >{0}/out",
                  folder_.string());
  log_.reset(::popen(command.c_str(), "r"));
  EXPECT_NE(log_, nullptr);
}

Qemu::~Qemu() {
  log_.reset();
  std::filesystem::remove_all(folder_);
}

bool Qemu::next(QemuState& state) {
  // Vectors of zeros are left out.
  state.registers.vectors.fill({});
  state.registers.vector_predicates.fill({});
  while (read_line()) {
    if (line_.starts_with("General Purpose Registers")) continue;
    if (line_.starts_with("Vector Registers")) {
      in_vectors_ = true;
    } else if (!line_.starts_with("}")) {
      read_register(state);
    } else if (in_vectors_) {
      in_vectors_ = false;
      return true;
    }
  }
  return false;
}

std::vector<uint8_t> Qemu::written() const {
  std::ifstream file(folder_ / "out", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool Qemu::read_line() {
  const ssize_t length = ::getline(&buffer_.text, &buffer_.size, log_.get());
  if (length <= 0) return false;
  line_ = std::string_view(buffer_.text, static_cast<size_t>(length) - 1);
  return true;
}

/// `  r3 = 0x12345678` or `  v0 = ( 0x12, ... )`
void Qemu::read_register(QemuState& state) const {
  const size_t equals = line_.find(" = ");
  if (equals == std::string_view::npos) {
    ADD_FAILURE() << "QEMU says: " << line_;
    return;
  }
  const std::string_view name = line_.substr(2, equals - 2), text = line_.substr(equals + 3);
  sim::vliw::Registers& registers = state.registers;
  size_t number = 0;
  std::from_chars(name.data() + 1, name.data() + name.size(), number);
  if (in_vectors_) {
    if (name[0] == 'v') registers.vectors.at(number) = vector_in(text, kVectorBytes);
    if (name[0] == 'q') registers.vector_predicates.at(number) = predicate_in(text);
    return;
  }
  const uint32_t value = hexadecimal(text.substr(2));
  if (name[0] == 'r') registers.scalars[number] = value;
  if (name == "pc") state.address = value;
  for (size_t i = 0; name == "p3_0" && i < sim::vliw::kNamedPredicates; ++i) {
    registers.predicates[i] = static_cast<uint8_t>(value >> (8 * i));
  }
  for (size_t i = 0; i < kControls.size(); ++i) {
    if (name == kControls[i]) registers.controls[i] = value;
  }
}

}  // namespace covenant::acg::testing
