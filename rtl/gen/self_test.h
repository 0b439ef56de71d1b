/// A program with its expected memory contents, as files that go with the RTL of its machine.
///
///     rtl::SelfTest test{.name = "digits", .entry = acg::entry_address(program), .memories =
///     acg::memory_ranges(program),
///                        .before = image, .after = expected, .cycles = n};
///     Result<std::map<std::string, std::string>> files = rtl::generate(machine, test);
///
/// Then `make lint` and `make test` work in the folder that holds the files, with Verilator, make and a C++ compiler
/// only.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "acg/program/program.h"

namespace covenant::rtl {

/// One run. Both images cover all that the program uses of the off-chip memories, one after the other.
struct SelfTest {
  std::string name;                        ///< name of the program, for people
  uint32_t entry = 0;                      ///< byte address of its first block, in the memory of the words
  std::vector<acg::MemoryRange> memories;  ///< the part of the images that each memory holds
  std::vector<uint8_t> before;             ///< off-chip memory when the run starts: segments in place, inputs written
  std::vector<uint8_t> after;              ///< the same bytes when it has ended; as long as `before`
  uint64_t cycles = 0;                     ///< cycle in which the last block is done
};

/// Files of the test, by name below the folder of the RTL:
///   self_test.cpp     the bench: loads an image, runs the Verilated top with assertions on, compares bytes and cycles
///   offchip.h         the off-chip memories that it puts behind the ports
///   test/before.hex, test/after.hex   images as text: `@address` in hexadecimal, then bytes; what is not named is 0
///   test/run.txt      `name`, `entry`, `bytes` and `cycles`, one a line; of each off-chip memory its number, with
///   which
///                     byte of the images it begins, and its bytes, after `memory`
/// Precondition: `before` and `after` are of one length.
std::map<std::string, std::string> self_test_files(const SelfTest& test);

}  // namespace covenant::rtl
