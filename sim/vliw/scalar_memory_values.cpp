// Implements loads and stores of scalar registers, which must be aligned, and stack frames.
#include <cstring>
#include <fmt/format.h>

#include "sim/common/fault.h"
#include "sim/vliw/branch_access.h"
#include "sim/vliw/memory_access.h"
#include "sim/vliw/predicate_access.h"
#include "sim/vliw/values.h"

namespace covenant::sim::vliw {
namespace {

using enum acg::VliwOperation;
using Operation = MicroOperation;

void check_aligned(uint32_t address, uint32_t bytes) {
  if (address % bytes == 0) return;
  raise("SIM0082", fmt::format("an access to {} bytes that is not aligned to them", bytes),
        fmt::format("0x{:x}", address), {fmt::format("multiples of {}", bytes)},
        "align the address, or load smaller pieces");
}

/// A pair of registers holds the lower word in its lower register, as memory does.
template <typename Element>
void load(CoreState& core, uint32_t address, uint32_t* to) {
  check_aligned(address, sizeof(Element));
  Element element = 0;
  std::memcpy(&element, touched(core, address, sizeof(Element)), sizeof(Element));
  to[0] = static_cast<uint32_t>(element);
  if constexpr (sizeof(Element) == 8) to[1] = static_cast<uint32_t>(element >> 32);
}
template <uint32_t bytes>
void store(CoreState& core, uint32_t address, const uint32_t* from) {
  check_aligned(address, bytes);
  std::memcpy(touched(core, address, bytes), from, bytes);
}
/// The address from two registers and a shift.
uint32_t with_index(CoreState& core, const Operation& operation, size_t base) {
  return scalar(core, operation, base) + (scalar(core, operation, base + 1) << number(operation, base + 2));
}

template <typename Element>
void load_at_offset(CoreState& core, const Operation& operation) {
  load<Element>(core, with_offset(core, operation, 1, 1), &scalar(core, operation, 0));
}
template <typename Element>
void load_then_step(CoreState& core, const Operation& operation) {
  load<Element>(core, then_step(core, operation, 1, 1), &scalar(core, operation, 0));
}
template <typename Element>
void load_at_index(CoreState& core, const Operation& operation) {
  load<Element>(core, with_index(core, operation, 1), &scalar(core, operation, 0));
}
template <typename Element, bool sense>
void load_if(CoreState& core, const Operation& operation) {
  if (!holds<sense>(core, operation, 1)) return touch_nothing(core);
  load<Element>(core, with_offset(core, operation, 2, 1), &scalar(core, operation, 0));
}

template <uint32_t bytes>
void store_at_offset(CoreState& core, const Operation& operation) {
  store<bytes>(core, with_offset(core, operation, 0, 1), &scalar(core, operation, 2));
}
template <uint32_t bytes>
void store_then_step(CoreState& core, const Operation& operation) {
  store<bytes>(core, then_step(core, operation, 0, 1), &scalar(core, operation, 2));
}
template <uint32_t bytes>
void store_at_index(CoreState& core, const Operation& operation) {
  store<bytes>(core, with_index(core, operation, 0), &scalar(core, operation, 3));
}
template <uint32_t bytes>
void store_value(CoreState& core, const Operation& operation) {
  const uint32_t value = number(operation, 2);
  store<bytes>(core, with_offset(core, operation, 0, 1), &value);
}
template <uint32_t bytes, bool sense>
void store_if(CoreState& core, const Operation& operation) {
  if (!holds<sense>(core, operation, 0)) return touch_nothing(core);
  store<bytes>(core, with_offset(core, operation, 1, 1), &scalar(core, operation, 3));
}

constexpr uint32_t kFrameBytes = 8;

/// Return addresses are stored encrypted by a key.
uint32_t key_of(const CoreState& core) { return core.registers.controls[acg::kFrameKey]; }

void open_frame(CoreState& core, const Operation& operation) {
  const uint32_t address = scalar(core, operation, 0) - kFrameBytes;
  const uint32_t* const linked = &scalar(core, operation, 2);
  const std::array<uint32_t, 2> frame{linked[0], linked[1] ^ key_of(core)};
  store<kFrameBytes>(core, address, frame.data());
  core.registers.scalars[acg::kFrameRegister] = address;
  scalar(core, operation, 0) = address - number(operation, 1);
}
void close(CoreState& core, const Operation& operation, size_t base) {
  const uint32_t address = scalar(core, operation, base);
  uint32_t* const linked = &scalar(core, operation, 0);
  load<uint64_t>(core, address, linked);
  linked[1] ^= key_of(core);
  core.registers.scalars[acg::kStackRegister] = address + kFrameBytes;
}
void close_frame(CoreState& core, const Operation& operation) { close(core, operation, 1); }
void close_and_return(CoreState& core, const Operation& operation) {
  close(core, operation, 1);
  go_to(core, (&scalar(core, operation, 0))[1]);
}
template <bool sense, bool is_likely>
void return_if(CoreState& core, const Operation& operation) {
  const bool is_taken = holds<sense>(core, operation, 1);
  core.is_guessed_wrong = core.is_guessed_wrong || is_taken != is_likely;
  if (!is_taken) return touch_nothing(core);
  close(core, operation, 2);
  go_to(core, (&scalar(core, operation, 0))[1]);
}

constexpr std::array kValues{
    Value{kL2LoadrbIo, load_at_offset<int8_t>},
    Value{kL2LoadrubIo, load_at_offset<uint8_t>},
    Value{kL2LoadrhIo, load_at_offset<int16_t>},
    Value{kL2LoadruhIo, load_at_offset<uint16_t>},
    Value{kL2LoadriIo, load_at_offset<uint32_t>},
    Value{kL2LoadrdIo, load_at_offset<uint64_t>},
    Value{kL2LoadrbPi, load_then_step<int8_t>},
    Value{kL2LoadrubPi, load_then_step<uint8_t>},
    Value{kL2LoadrhPi, load_then_step<int16_t>},
    Value{kL2LoadruhPi, load_then_step<uint16_t>},
    Value{kL2LoadriPi, load_then_step<uint32_t>},
    Value{kL2LoadrdPi, load_then_step<uint64_t>},
    Value{kL4LoadrbRr, load_at_index<int8_t>},
    Value{kL4LoadrubRr, load_at_index<uint8_t>},
    Value{kL4LoadrhRr, load_at_index<int16_t>},
    Value{kL4LoadruhRr, load_at_index<uint16_t>},
    Value{kL4LoadriRr, load_at_index<uint32_t>},
    Value{kL4LoadrdRr, load_at_index<uint64_t>},
    Value{kL2PloadrubtIo, load_if<uint8_t, true>},
    Value{kL2PloadrubfIo, load_if<uint8_t, false>},
    Value{kL2PloadrubtnewIo, load_if<uint8_t, true>},
    Value{kL2PloadrubfnewIo, load_if<uint8_t, false>},
    Value{kL2PloadritIo, load_if<uint32_t, true>},
    Value{kL2PloadrifIo, load_if<uint32_t, false>},
    Value{kL2PloadritnewIo, load_if<uint32_t, true>},
    Value{kL2PloadrifnewIo, load_if<uint32_t, false>},
    Value{kL2PloadrdtIo, load_if<uint64_t, true>},
    Value{kL2PloadrdfIo, load_if<uint64_t, false>},
    Value{kL2PloadrdtnewIo, load_if<uint64_t, true>},
    Value{kL2PloadrdfnewIo, load_if<uint64_t, false>},
    Value{kS2StorerbIo, store_at_offset<1>},
    Value{kS2StorerhIo, store_at_offset<2>},
    Value{kS2StoreriIo, store_at_offset<4>},
    Value{kS2StorerdIo, store_at_offset<8>},
    Value{kS2StorerbnewIo, store_at_offset<1>},
    Value{kS2StorerhnewIo, store_at_offset<2>},
    Value{kS2StorerinewIo, store_at_offset<4>},
    Value{kS2StorerbPi, store_then_step<1>},
    Value{kS2StorerhPi, store_then_step<2>},
    Value{kS2StoreriPi, store_then_step<4>},
    Value{kS2StorerdPi, store_then_step<8>},
    Value{kS2StorerbnewPi, store_then_step<1>},
    Value{kS2StorerhnewPi, store_then_step<2>},
    Value{kS2StorerinewPi, store_then_step<4>},
    Value{kS4StorerbRr, store_at_index<1>},
    Value{kS4StorerhRr, store_at_index<2>},
    Value{kS4StoreriRr, store_at_index<4>},
    Value{kS4StorerdRr, store_at_index<8>},
    Value{kS4StoreirbIo, store_value<1>},
    Value{kS4StoreirhIo, store_value<2>},
    Value{kS4StoreiriIo, store_value<4>},
    Value{kS2PstorerbtIo, store_if<1, true>},
    Value{kS2PstorerbfIo, store_if<1, false>},
    Value{kS4PstorerbtnewIo, store_if<1, true>},
    Value{kS4PstorerbfnewIo, store_if<1, false>},
    Value{kS2PstoreritIo, store_if<4, true>},
    Value{kS2PstorerifIo, store_if<4, false>},
    Value{kS4PstoreritnewIo, store_if<4, true>},
    Value{kS4PstorerifnewIo, store_if<4, false>},
    Value{kS2PstorerdtIo, store_if<8, true>},
    Value{kS2PstorerdfIo, store_if<8, false>},
    Value{kS4PstorerdtnewIo, store_if<8, true>},
    Value{kS4PstorerdfnewIo, store_if<8, false>},
    Value{kS2Allocframe, open_frame},
    Value{kL2Deallocframe, close_frame},
    Value{kL4Return, close_and_return},
    Value{kL4ReturnT, return_if<true, false>},
    Value{kL4ReturnF, return_if<false, false>},
    Value{kL4ReturnTnewPt, return_if<true, true>},
    Value{kL4ReturnFnewPt, return_if<false, true>},
    Value{kL4ReturnTnewPnt, return_if<true, false>},
    Value{kL4ReturnFnewPnt, return_if<false, false>},
};

}  // namespace

std::span<const Value> scalar_memory_values() { return kValues; }

}  // namespace covenant::sim::vliw
