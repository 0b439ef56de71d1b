/// Off-chip memories of a Verilated model with the fixed latency that the machine states. Compiled into every model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

namespace covenant::rtl {

inline bool bit(const uint8_t* bytes, uint64_t index) { return ((bytes[index / 8] >> (index % 8)) & 1) != 0; }

/// One memory. Answers come the given number of cycles after their request, with the contents at the time of the
/// request; writes become visible after as many. `memory` must outlive it.
class Offchip {
 public:
  Offchip(uint8_t* memory, uint64_t bytes, size_t ports) : memory_(memory), bytes_(bytes), ports_(ports) {}

  /// Begins `cycle`: commits the writes that become visible now. False if one is past the end.
  bool settle(uint64_t cycle) {
    cycle_ = cycle;
    while (!writes_.empty() && writes_.front().due <= cycle) {
      if (!commit(writes_.front())) return false;
      writes_.pop_front();
    }
    return true;
  }

  /// One read port in this cycle (ReadPort of covenant_ports.h): takes a request, gives an answer if one is wanted.
  template <class Port>
  void serve(const Port& port) {
    Answers& answers = ports_[port.port];
    if (port.asks) ask(answers, port.latency, port.places, port.address, port.beats, port.bytes);
    if (!port.takes) return;
    const bool is_there = answers.pending != 0 && answers.due[answers.oldest] <= cycle_;
    port.is_answered = is_there ? 1 : 0;
    if (!is_there) return;
    std::memcpy(port.data, answers.data.data() + answers.oldest * port.bytes, port.bytes);
    answers.oldest = answers.oldest + 1 == answers.due.size() ? 0 : answers.oldest + 1;
    --answers.pending;
  }

  /// A write of the bytes that `strobe` marks, accepted in this cycle and seen `latency` cycles later.
  void write(uint64_t latency, uint64_t address, const uint8_t* data, const uint8_t* strobe, unsigned bytes) {
    Write write{cycle_ + latency, address, {}};
    for (unsigned i = 0; i < bytes; ++i) {
      if (bit(strobe, i)) write.bytes.push_back({i, data[i]});
    }
    const auto place = std::upper_bound(writes_.begin(), writes_.end(), write.due,
                                        [](uint64_t due, const Write& other) { return due < other.due; });
    writes_.insert(place, std::move(write));
  }

  /// Commits all pending writes. False if one is past the end.
  bool drain() {
    return std::all_of(writes_.begin(), writes_.end(), [&](const Write& write) { return commit(write); });
  }

 private:
  /// Beats under way at one port, in a ring.
  struct Answers {
    std::vector<uint64_t> due;  ///< per place: cycle of the answer
    std::vector<uint8_t> data;  ///< per place: the bytes of a beat
    size_t oldest = 0;
    size_t pending = 0;
  };
  struct Write {
    uint64_t due;
    uint64_t address;
    std::vector<std::pair<unsigned, uint8_t>> bytes;
  };

  void ask(Answers& answers, uint64_t latency, size_t places, uint64_t address, unsigned beats, unsigned bytes) {
    if (answers.due.empty()) {
      answers.due.resize(places + kBurst);
      answers.data.resize(answers.due.size() * bytes);
    }
    for (unsigned i = 0; i < beats; ++i) {
      size_t place = answers.oldest + answers.pending++;
      if (place >= answers.due.size()) place -= answers.due.size();
      answers.due[place] = cycle_ + latency;
      copy(address + uint64_t{i} * bytes, answers.data.data() + place * bytes, bytes);
    }
  }

  void copy(uint64_t address, uint8_t* data, unsigned bytes) const {
    const uint64_t there = address < bytes_ ? std::min<uint64_t>(bytes, bytes_ - address) : 0;
    if (there != 0) std::memcpy(data, memory_ + address, there);
    std::memset(data + there, 0, bytes - there);
  }

  bool commit(const Write& write) {
    for (const auto& [offset, value] : write.bytes) {
      if (write.address + offset >= bytes_) return false;
      memory_[write.address + offset] = value;
    }
    return true;
  }

  static constexpr size_t kBurst = 16;  ///< beats, at most

  uint8_t* memory_;
  uint64_t bytes_;
  uint64_t cycle_ = 0;  ///< current cycle
  std::vector<Answers> ports_;
  std::deque<Write> writes_;  ///< in the order in which they become visible
};

/// All off-chip memories of a machine, by their numbers.
class OffchipMemories {
 public:
  /// `bytes` of `data`, which outlives this, are memory `memory`.
  void add(unsigned memory, uint8_t* data, uint64_t bytes, size_t ports) {
    if (places_.size() <= memory) places_.resize(memory + 1);
    places_[memory] = memories_.size();
    memories_.emplace_back(data, bytes, ports);
  }
  Offchip& operator[](unsigned memory) { return memories_[places_[memory]]; }

  /// As for a single memory; false if any returns false.
  bool settle(uint64_t cycle) {
    return std::all_of(memories_.begin(), memories_.end(), [&](Offchip& memory) { return memory.settle(cycle); });
  }
  bool drain() {
    return std::all_of(memories_.begin(), memories_.end(), [](Offchip& memory) { return memory.drain(); });
  }

 private:
  std::vector<Offchip> memories_;
  std::vector<size_t> places_;  ///< indices in `memories_`, by number
};

}  // namespace covenant::rtl
