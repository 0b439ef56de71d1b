// The AXI masters of three widths on one bus (axi_bench.sv) against the protocol (Arm IHI 0022, AXI4) and the contracts
// of covenant_axi_read and covenant_axi_write. The memory pauses at random and mixes answers of different ids; now and
// then it refuses, and the machine is held in reset until nothing is owed.
//   axi_bench CYCLES SEED
#include <Vaxi_bench.h>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <verilated.h>

namespace {

constexpr unsigned kMasters = 3, kBusBytes = 32, kOutstanding = 8, kLongest = 16;
constexpr std::array<unsigned, kMasters> kBytes{16, 32, 8};
constexpr unsigned kIncr = 1;

using Lanes = std::array<uint8_t, kBusBytes>;

/// A beat of a machine, in its lowest bytes.
struct Beat {
  Lanes data{};
  uint32_t strobes = 0;
};

struct Burst {
  uint32_t address = 0;
  unsigned beats = 0;
};

/// A burst of the bus, and how many of its beats have moved.
struct OnBus {
  unsigned id = 0;
  Burst burst;
  unsigned moved = 0;
};

struct Answer {
  Lanes data{};
  bool fails = false;
  bool is_last = false;
};

/// State of a master that reads.
struct Reads {
  std::deque<Burst> asked;     ///< by the machine, not on the bus
  std::deque<Burst> on_bus;    ///< of which the memory has not sent the last beat
  std::deque<Burst> owed;      ///< of which the machine has not taken the last answer
  std::deque<Answer> answers;  ///< that have come and were not taken
  bool had_room = true;
};

/// State of a master that writes.
struct Writes {
  std::deque<Burst> asked;
  std::deque<Burst> owed;     ///< not answered
  std::deque<Burst> to_give;  ///< announced bursts of which not all beats have been given; the first one may be begun
  unsigned given = 0;         ///< beats of it
  std::deque<Beat> beats;     ///< given, not on the bus
  uint64_t announced = 0, supplied = 0;  ///< beats of the bursts whose addresses are on the bus, and those given
  unsigned written = 0;                  ///< bursts that the machine has not been told of
  bool had_room = true;
};

class Bench {
 public:
  explicit Bench(uint64_t seed) : random_(seed) {
    top_.rst_ni = 1;
    top_.eval();
    top_.rst_ni = 0;
    tick();
    top_.rst_ni = 1;
  }

  void cycle() {
    drive();
    top_.clk_i = 0;
    top_.eval();
    for (unsigned i = 0; i < kMasters; ++i) check_machine(i);
    check_addresses();
    take_data();
    after_edge();
    top_.clk_i = 1;
    top_.eval();
    ++cycle_;
  }

  uint64_t failures() const { return failures_; }
  bool has_seen_all() const {
    for (const uint64_t count : {answers_, written_, read_faults_, write_faults_, drained_}) {
      if (count < 10) return false;
    }
    return true;
  }
  void report() const {
    std::printf("%llu answers, %llu writes, %llu and %llu faults, %llu resets, %llu failures\n", u(answers_),
                u(written_), u(read_faults_), u(write_faults_), u(drained_), u(failures_));
  }

 private:
  static unsigned long long u(uint64_t number) { return number; }
  uint64_t below(uint64_t end) { return random_() % end; }
  bool now_and_then(unsigned percent) { return below(100) < percent; }

  void tick() {
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  void expect(bool holds, const char* what, uint64_t got) {
    if (!holds && failures_++ < 10) std::printf("cycle %llu: %s: %llx\n", u(cycle_), what, u(got));
  }

  Burst any_burst(unsigned master) {
    const unsigned beats = 1 + static_cast<unsigned>(below(longest_));
    const uint64_t places = 4096 / kBytes[master] - beats + 1;  // it stays in its page
    return {static_cast<uint32_t>(below(1 << 8) * 4096 + below(places) * kBytes[master]), beats};
  }

  /// Now this is slow, now that: each of the queues is full at times, and empty at others.
  void draw_paces() {
    const auto any = [this] { return 1 + static_cast<unsigned>(below(2) == 0 ? below(10) : below(100)); };
    paces_ = {.addresses = any(), .data = any(), .answers = any(), .responses = any(), .asks = any()};
    longest_ = below(3) == 0 ? 1 + static_cast<unsigned>(below(2)) : kLongest;
  }

  // Inputs of the cycle: none depends on outputs of the same cycle.
  void drive() {
    if (below(200) == 0) draw_paces();
    top_.clear_i = is_clear_;
    top_.read_valid_i = top_.write_valid_i = top_.beat_valid_i = 0;
    top_.read_beats_i = top_.write_beats_i = 0;
    for (unsigned i = 0; i < kMasters && !is_clear_; ++i) {
      drive_read(i);
      drive_write(i);
    }
    top_.answer_ready_i = static_cast<uint8_t>(below(8) | below(8));
    top_.answer_wanted_i = static_cast<uint8_t>(below(8) | below(8));
    top_.written_ready_i = static_cast<uint8_t>(below(8));
    top_.arready_i = now_and_then(paces_.addresses);
    top_.awready_i = now_and_then(paces_.addresses);
    top_.wready_i = now_and_then(paces_.data);
    drive_answer();
    drive_response();
  }

  void drive_read(unsigned i) {
    Reads& reads = reads_[i];
    if (!reads.had_room || !now_and_then(paces_.asks)) return;
    const Burst burst = any_burst(i);
    top_.read_valid_i |= 1U << i;
    top_.read_address_i[i] = burst.address;
    top_.read_beats_i |= burst.beats << 5 * i;
    new_reads_[i] = burst;
  }

  void drive_write(unsigned i) {
    Writes& writes = writes_[i];
    if (!writes.to_give.empty() && writes.had_room && now_and_then(80)) {
      Beat beat;
      for (unsigned byte = 0; byte < kBytes[i]; ++byte) beat.data[byte] = static_cast<uint8_t>(random_());
      beat.strobes = static_cast<uint32_t>((random_() | random_()) & ((uint64_t{1} << kBytes[i]) - 1));
      top_.beat_valid_i |= 1U << i;
      top_.beat_strobe_i[i] = beat.strobes;
      for (unsigned word = 0; word < 8; ++word) top_.beat_data_i[8 * i + word] = word_of(beat.data, word);
      new_beats_[i] = beat;
    }
    // A burst is announced before its first beat.
    if (!writes.had_room || writes.to_give.size() > 2 || !now_and_then(paces_.asks)) return;
    const Burst burst = any_burst(i);
    top_.write_valid_i |= 1U << i;
    top_.write_address_i[i] = burst.address;
    top_.write_beats_i |= burst.beats << 5 * i;
    new_writes_[i] = burst;
  }

  static uint32_t word_of(const Lanes& lanes, unsigned word) {
    uint32_t value = 0;
    for (unsigned byte = 0; byte < 4; ++byte) value |= uint32_t{lanes[4 * word + byte]} << 8 * byte;
    return value;
  }

  /// A beat of any id that has one coming; lanes beside it have any value.
  void drive_answer() {
    top_.rvalid_i = 0;
    const unsigned id = static_cast<unsigned>(below(kMasters));
    Reads& reads = reads_[id];
    if (reads.on_bus.empty() || !now_and_then(paces_.answers)) return;
    OnBus& at = read_now_[id];
    const Burst& burst = reads.on_bus.front();
    const uint32_t address = burst.address + at.moved * kBytes[id];
    Lanes lanes{};
    for (uint8_t& lane : lanes) lane = static_cast<uint8_t>(random_());
    answer_ = {};
    std::copy_n(lanes.begin() + address % kBusBytes, kBytes[id], answer_.data.begin());
    answer_.is_last = at.moved + 1 == burst.beats;
    answer_.fails = below(answer_.is_last ? 60 : 600) == 0;
    top_.rvalid_i = 1;
    top_.rid_i = static_cast<uint8_t>(id);
    top_.rresp_i = static_cast<uint8_t>(answer_.fails ? 2 + below(2) : 0);
    top_.rlast_i = answer_.is_last;
    for (unsigned word = 0; word < 8; ++word) top_.rdata_i[word] = word_of(lanes, word);
    reads.answers.push_back(answer_);
    ++at.moved;
    if (!answer_.is_last) return;
    at.moved = 0;
    reads.on_bus.pop_front();
  }

  /// A response of any id of which all beats have come.
  void drive_response() {
    top_.bvalid_i = 0;
    const unsigned id = static_cast<unsigned>(below(kMasters));
    if (complete_[id] == 0 || !now_and_then(paces_.responses)) return;
    --complete_[id];
    top_.bvalid_i = 1;
    top_.bid_i = static_cast<uint8_t>(id);
    top_.bresp_i = static_cast<uint8_t>(below(100) == 0 ? 2 + below(2) : 0);
  }

  // Signals that the machine sees.
  void check_machine(unsigned i) {
    check_read(i);
    check_write(i);
  }

  void check_read(unsigned i) {
    Reads& reads = reads_[i];
    const auto bit = [&](uint32_t signal) { return (signal >> i & 1U) != 0; };
    const bool is_there = !reads.answers.empty();
    const bool is_bad = is_there && reads.answers.front().fails && bit(top_.answer_wanted_i);
    expect(bit(top_.read_idle_o) == (reads.asked.empty() && reads.owed.empty()), "idle of a read", i);
    expect(bit(top_.answer_valid_o) == (is_there && !is_clear_ && !is_bad), "an answer", i);
    expect(bit(top_.read_fault_o) == (is_bad && !is_clear_), "a fault of a read", i);
    if (is_bad && !is_clear_) {
      expect(top_.read_fault_address_o[i] == reads.owed.front().address, "address", top_.read_fault_address_o[i]);
      ++read_faults_;
      faults_ = true;
    }
    if (bit(top_.answer_valid_o) && is_there && !reads.answers.front().fails) {
      for (unsigned word = 0; word < 8; ++word) {
        const uint32_t got = top_.answer_data_o[8 * i + word];
        expect(got == word_of(reads.answers.front().data, word), "data of an answer", got);
      }
    }
    if (!is_there || !(is_clear_ || is_bad || bit(top_.answer_ready_i))) return;
    ++answers_;
    if (reads.answers.front().is_last) reads.owed.pop_front();
    reads.answers.pop_front();
  }

  void check_write(unsigned i) {
    Writes& writes = writes_[i];
    const auto bit = [&](uint32_t signal) { return (signal >> i & 1U) != 0; };
    const bool is_answered = top_.bvalid_i != 0 && top_.bid_i == i;
    const bool is_bad = is_answered && top_.bresp_i != 0;
    expect(bit(top_.write_idle_o) == (writes.asked.empty() && writes.owed.empty()), "idle of a write", i);
    expect(bit(top_.written_o) == (writes.written != 0), "a burst that is written", writes.written);
    expect(bit(top_.write_fault_o) == (is_bad && !is_clear_), "a fault of a write", i);
    if (is_bad && !is_clear_) {
      expect(top_.write_fault_address_o[i] == writes.owed.front().address, "address", top_.write_fault_address_o[i]);
      ++write_faults_;
      faults_ = true;
    }
    if (bit(top_.written_o) && bit(top_.written_ready_i)) --writes.written;
    if (is_answered) {
      writes.written += is_bad ? 0 : 1;
      writes.owed.pop_front();
      ++written_;
    }
    if (is_clear_) writes.written = 0;
  }

  // Signals that the bus sees.
  struct Address {
    uint32_t address = 0;
    unsigned id = 0, length = 0, size = 0, kind = 0;
    bool operator==(const Address&) const = default;
  };

  void check_addresses() {
    const Address read{top_.araddr_o, top_.arid_o, top_.arlen_o, top_.arsize_o, top_.arburst_o};
    const Address write{top_.awaddr_o, top_.awid_o, top_.awlen_o, top_.awsize_o, top_.awburst_o};
    expect(!waits_read_ || (top_.arvalid_o != 0 && read == read_), "a read that waits stays", read.address);
    expect(!waits_write_ || (top_.awvalid_o != 0 && write == write_), "a write that waits stays", write.address);
    waits_read_ = top_.arvalid_o != 0 && top_.arready_i == 0;
    waits_write_ = top_.awvalid_o != 0 && top_.awready_i == 0;
    read_ = read;
    write_ = write;
    if (top_.arvalid_o != 0) check_address(read, reads_.at(read.id % kMasters).asked);
    if (top_.awvalid_o != 0) check_address(write, writes_.at(write.id % kMasters).asked);
    if (top_.arvalid_o != 0 && top_.arready_i != 0) begin_read(read.id % kMasters);
    if (top_.awvalid_o != 0) begin_write(write.id % kMasters, top_.awready_i != 0);
  }

  void check_address(const Address& asked, const std::deque<Burst>& expected) {
    expect(asked.id < kMasters, "an id", asked.id);
    if (expected.empty()) return expect(false, "an address without a request", asked.address);
    expect(asked.address == expected.front().address, "the address of a burst", asked.address);
    expect(asked.length + 1 == expected.front().beats, "the length of a burst", asked.length);
    expect(asked.size == static_cast<unsigned>(std::countr_zero(kBytes[asked.id % kMasters])), "the size of a beat",
           asked.size);
    expect(asked.kind == kIncr, "the kind of a burst", asked.kind);
  }

  void begin_read(unsigned id) {
    Reads& reads = reads_[id];
    if (reads.asked.empty()) return;
    expect(reads.owed.size() < kOutstanding, "too many reads at once", reads.owed.size());
    reads.on_bus.push_back(reads.asked.front());
    reads.owed.push_back(reads.asked.front());
    reads.asked.pop_front();
  }

  /// Its beats must be there: those of other masters wait behind them.
  void begin_write(unsigned id, bool is_taken) {
    Writes& writes = writes_[id];
    if (writes.asked.empty()) return;
    const uint64_t needed = writes.announced + writes.asked.front().beats;
    expect(is_clear_ || needed <= writes.supplied, "an address before its beats", id);
    if (!is_taken) return;
    expect(writes.owed.size() < kOutstanding, "too many writes at once", writes.owed.size());
    writes.announced = needed;
    begun_.push_back({id, writes.asked.front(), 0});
    writes.owed.push_back(writes.asked.front());
    writes.asked.pop_front();
  }

  /// Beats follow in the order of the addresses, from the cycle after them on.
  void take_data() {
    Lanes data{};
    for (unsigned byte = 0; byte < kBusBytes; ++byte)
      data[byte] = static_cast<uint8_t>(top_.wdata_o[byte / 4] >> 8 * (byte % 4));
    const bool is_there = top_.wvalid_o != 0;
    expect(!waits_data_ || (is_there && data == data_ && top_.wstrb_o == strobes_), "data that waits stays", 0);
    waits_data_ = is_there && top_.wready_i == 0;
    data_ = data;
    strobes_ = top_.wstrb_o;
    if (!is_there || top_.wready_i == 0) return;
    if (begun_.empty()) return expect(false, "data without an address", 0);
    OnBus& now = begun_.front();
    const Beat beat = next_beat(writes_[now.id]);
    const unsigned place = (now.burst.address + now.moved * kBytes[now.id]) % kBusBytes;
    expect(top_.wstrb_o == beat.strobes << place, "strobes", top_.wstrb_o);
    for (unsigned byte = 0; byte < kBytes[now.id]; ++byte) {
      const bool is_written = (beat.strobes >> byte & 1U) != 0;
      expect(!is_written || data[place + byte] == beat.data[byte], "data that is written", data[place + byte]);
    }
    const bool is_last = ++now.moved == now.burst.beats;
    expect((top_.wlast_o != 0) == is_last, "the last beat", now.moved);
    if (!is_last) return;
    ++just_complete_[now.id];
    begun_.pop_front();
  }

  /// A machine in reset gives no more: beats that it has not given write nothing.
  Beat next_beat(Writes& writes) {
    if (writes.beats.empty()) {
      expect(is_clear_, "data without a source", 0);
      return {};
    }
    const Beat beat = writes.beats.front();
    writes.beats.pop_front();
    return beat;
  }

  void after_edge() {
    for (unsigned i = 0; i < kMasters; ++i) {
      enter(i);
      complete_[i] += just_complete_[i];
      just_complete_[i] = 0;
    }
    // The device holds the machine in reset from the next cycle on.
    if (!is_clear_ && (faults_ || below(3000) == 0)) {
      is_clear_ = true;
    } else if (is_clear_ && top_.read_idle_o == 7 && top_.write_idle_o == 7 && below(4) == 0) {
      is_clear_ = false;
      ++drained_;
      for (Writes& writes : writes_) writes = {};
    }
    if (is_clear_) {
      for (Writes& writes : writes_) writes.to_give.clear();
    }
    faults_ = false;
    clear_for_ = is_clear_ ? clear_for_ + 1 : 0;
    expect(clear_for_ < 20'000, "a reset without an end", clear_for_);
  }

  /// Requests and data of the machine in this cycle.
  void enter(unsigned i) {
    Reads& reads = reads_[i];
    Writes& writes = writes_[i];
    if ((top_.read_valid_i >> i & 1U) != 0) reads.asked.push_back(new_reads_[i]);
    reads.had_room = (top_.read_ready_o >> i & 1U) != 0;
    writes.had_room = (top_.write_ready_o >> i & 1U) != 0;
    if ((top_.beat_valid_i >> i & 1U) != 0) {
      writes.beats.push_back(new_beats_[i]);
      ++writes.supplied;
      if (++writes.given == writes.to_give.front().beats) {
        writes.given = 0;
        writes.to_give.pop_front();
      }
    }
    if ((top_.write_valid_i >> i & 1U) == 0) return;
    writes.asked.push_back(new_writes_[i]);
    writes.to_give.push_back(new_writes_[i]);
  }

  Vaxi_bench top_;
  std::mt19937_64 random_;
  std::array<Reads, kMasters> reads_;
  std::array<OnBus, kMasters> read_now_{};
  std::array<Writes, kMasters> writes_;
  std::array<Burst, kMasters> new_reads_{}, new_writes_{};
  std::array<Beat, kMasters> new_beats_{};
  std::deque<OnBus> begun_;  ///< writes whose beats have not all moved
  std::array<unsigned, kMasters> complete_{}, just_complete_{};
  Answer answer_;
  Address read_, write_;
  Lanes data_{};
  uint32_t strobes_ = 0;
  bool waits_read_ = false, waits_write_ = false, waits_data_ = false;
  bool is_clear_ = false;
  bool faults_ = false;
  /// Percent of the cycles in which the memory moves something, or the machine asks for it.
  struct Paces {
    unsigned addresses = 60, data = 60, answers = 60, responses = 60, asks = 20;
  };
  Paces paces_;
  unsigned longest_ = kLongest;  ///< beats of a burst now
  uint64_t clear_for_ = 0;
  uint64_t cycle_ = 0, failures_ = 0;
  uint64_t answers_ = 0, written_ = 0, read_faults_ = 0, write_faults_ = 0, drained_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  const uint64_t cycles = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 100'000;
  const uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
  Bench bench(seed);
  for (uint64_t k = 0; k < cycles && bench.failures() == 0; ++k) bench.cycle();
  std::printf("seed %llu: ", static_cast<unsigned long long>(seed));
  bench.report();
  return bench.failures() == 0 && bench.has_seen_all() ? 0 : 1;
}
