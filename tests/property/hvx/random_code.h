/// Random programs of legal packets for the machine `hvx`: straight code, branches forward, nested hardware loops, over
/// a block of data that addresses do not leave.
#pragma once

#include <optional>
#include <vector>

#include "acg/isa/vliw/elf_file.h"
#include "acg/isa/vliw/packet_check.h"
#include "acg/operations/vliw_registers.h"
#include "acg/operations/vliw_traits.h"
#include "tests/property/hvx/draw.h"

namespace covenant::acg::testing {

/// Addresses of code and data of the programs.
inline constexpr uint32_t kCodeAddress = 0x20000, kDataAddress = 0x1000000, kDataBytes = 0x40000;

class RandomCode {
 public:
  RandomCode(const Machine& machine, RandomSource& random)
      : machine_(machine), random_(random), codec_(machine), checker_(machine) {}

  /// A program of `packets` random packets, with others between them that keep its registers fresh. At its end it
  /// writes its data to the standard output.
  ElfFile program(size_t packets);
  size_t drawn() const { return drawn_; }

 private:
  // Registers with a purpose; instructions that are drawn write those below only.
  static constexpr int32_t kFree = 16, kVectors = 16, kBytes = 17, kDoubles = 18, kWords = 20, kAnyByte = 21,
                           kJump = 22, kHalves = 23, kIndex = 24;
  static constexpr int64_t kMiddle = kDataAddress + kDataBytes / 2;

  struct Placed {
    Packet packet;
    std::optional<size_t> target;  ///< index of the packet that its branch or loop means
    bool in_register = false;      ///< the target is held in a register (`r22 = ##address`)
  };

  static Instruction make(VliwOperation operation, std::initializer_list<int32_t> operands);
  static PacketInstruction constant(int32_t reg, int64_t value);

  void add(Packet packet, std::optional<size_t> target = {}) { code_.push_back({std::move(packet), target}); }
  void add_constants(int32_t first, int64_t first_value, int32_t second, int64_t second_value);

  int64_t random_value();
  int64_t near_middle(int64_t step) { return kMiddle + random_.between(-2000, 2000) / step * step; }

  void refresh_pointers();
  void refresh();
  void refresh_all();

  static int32_t base_of(const Mnemonic& mnemonic);

  /// An instruction that may be anywhere: no branch, no loop.
  std::optional<PacketInstruction> draw();
  void extend(PacketInstruction& entry, const Mnemonic& mnemonic, bool is_access);
  /// The address register is the first scalar that is read, an index the one after it.
  static void set_base(Instruction& instruction, int32_t base);

  /// QEMU gives the last slots to memory accesses, regardless of their place: a predicate that disables one would also
  /// disable the instruction in that slot.
  static bool shares_slot(const Packet& packet);
  /// In QEMU it depends on the form of a load whether it sees what a store before it in its packet has written.
  static bool loads_after_store(const Packet& packet);
  /// QEMU keeps temporary values separate: it stores what the register would hold without them. No compiler stores one.
  bool stores_temporary(const Packet& packet) const;
  /// Adds instructions as long as one fits.
  Packet random_packet(bool ends_loop);
  static Packet alone_with_nop(Packet packet);
  /// An instruction that reads what the packet produces means one of its producers.
  bool producing(Packet& packet);
  /// Inserts the producer of the last instruction's predicate, scalar or vector of the same packet before it.
  void add_producer(Packet& packet);

  /// A branch over up to two packets.
  void add_branch();
  /// A frame that is opened and closed, by a return or without one.
  void add_frame();

  void add_loops();

  /// The loop begins `after` packets after the one that counts it.
  void add_loop(VliwOperation by_number, VliwOperation by_register, size_t after);

  void add_end();

  ElfFile assembled();
  std::vector<InstructionWord> words_of(const Packet& packet);
  static void set_target(Packet& packet, uint32_t target, uint32_t from);

  /// Random bytes; every fourth vector has bytes at the limits of their types.
  ElfSegment data();

  const Machine& machine_;
  RandomSource& random_;
  PacketCodec codec_;
  PacketChecker checker_;
  std::vector<Placed> code_;
  size_t drawn_ = 0;
};

}  // namespace covenant::acg::testing
