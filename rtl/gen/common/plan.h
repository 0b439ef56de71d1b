/// The plan of a machine's RTL: its units, its memories, and what is attached to which port.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "rtl/gen/common/unit.h"

namespace covenant::rtl {

/// A user of a scratchpad's read port. `valid` and `element` are nets of the top that request.
struct ReadClaim {
  uint32_t unit = 0;
  uint32_t operand = 0;   ///< tells ports of one unit apart
  uint32_t elements = 0;  ///< elements that it takes at once
  std::string valid;
  std::string element;
  std::string data;  ///< net that takes the answer; empty: Unit::answers does
};

/// A user of a write port. The other nets are the unit's `<signal>_write_element`, `_write_data` and `_write_strobe`.
struct WriteClaim {
  uint32_t unit = 0;
  uint32_t elements = 0;  ///< elements that it writes at once
  std::string valid;
};

/// A user of a skewed port, which serves each of its columns one cycle after the one before it.
struct SkewClaim {
  uint32_t unit = 0;
  uint32_t columns = 0;
  std::string valid;
  std::string element;
  std::string data;  ///< net that takes the sums that are read
  std::string sum;   ///< net with the sums to be written; empty: it reads only
  bool writes() const { return !sum.empty(); }
};

/// One scratchpad.
struct MemoryPlan {
  uint32_t index = 0;               ///< index in Machine::memories
  std::string signal;               ///< "ibuf"
  uint32_t data_bytes = 1;          ///< bytes of an element
  std::string inside;               ///< the units that contain it, in words; empty: it stands in the top
  std::vector<std::string> arrays;  ///< where they have its bytes, by names below the top
  std::vector<SkewClaim> skews;
  std::vector<ReadClaim> reads;
  std::vector<WriteClaim> writes;
  uint32_t read_elements = 1;  ///< width of every read port: the largest that any of them needs
  uint32_t write_elements = 1;
  uint32_t skew_columns = 1;
};

/// A bus that units share.
struct BusPlan {
  std::string name;
  std::string signal;
  std::vector<uint32_t> units;  ///< in the order of their places
};

struct Plan {
  const acg::Machine* machine = nullptr;
  std::vector<std::unique_ptr<Unit>> units;  ///< in the order of acg::engines
  std::vector<MemoryPlan> memories;          ///< scratchpads as declared
  std::vector<BusPlan> buses;
  OffchipPort fetch;               ///< the fetch unit's port
  uint32_t slot_bits = 1;          ///< bits of the largest channel number
  uint32_t fetch_words = 0;        ///< words that one beat completes, at most
  uint32_t instruction_depth = 0;  ///< words of one buffer
  uint32_t immediate = 0;          ///< index of the immediate memory; number of memories if there is none
};

/// Bytes of an element of a memory in the RTL: elements of less than a byte are packed into one.
uint32_t data_bytes_of(const acg::Memory& memory);

/// Most elements in which so many bytes lie that begin at a multiple of `step` bytes.
uint32_t elements_for(uint64_t bytes, uint32_t data_bytes, uint64_t step = 1);

/// Throws Failure: what this RTL does not build.
[[noreturn]] void refuse(std::string code, const SourceLocation& where, std::string subject, std::string message,
                         std::string offending, std::vector<std::string> allowed, std::string fix);

}  // namespace covenant::rtl
