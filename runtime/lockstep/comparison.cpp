#include "runtime/lockstep/comparison.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"

namespace covenant::runtime {
namespace {

using acg::RetireRecord;

constexpr uint64_t kAfterFirst = 256;  // records: more than any engine's pipeline holds back
constexpr size_t kRecent = 1024;       // records of an engine that are kept
constexpr uint64_t kAround = 3;        // records shown before and after

std::string number(uint64_t value) { return std::to_string(value); }

void compare(std::vector<DifferentField>& fields, const char* name, uint64_t systemc, uint64_t rtl) {
  if (systemc != rtl) fields.push_back({name, number(systemc), number(rtl)});
}

/// Fields in causal order: operation, beginning, end, effects.
std::vector<DifferentField> different_fields(const RetireRecord& systemc, const RetireRecord& rtl) {
  std::vector<DifferentField> fields;
  compare(fields, "block", systemc.block, rtl.block);
  compare(fields, "word_index", systemc.word_index, rtl.word_index);
  if (systemc.word != rtl.word) {
    fields.push_back({"word", hex(systemc.word, 32), hex(rtl.word, 32)});
  }
  compare(fields, "issue", systemc.issue, rtl.issue);
  compare(fields, "stall", systemc.stall, rtl.stall);
  compare(fields, "first_port", systemc.first_port, rtl.first_port);
  compare(fields, "last_port", systemc.last_port, rtl.last_port);
  compare(fields, "retire", systemc.retire, rtl.retire);
  if (systemc.digest != rtl.digest) {
    fields.push_back({"digest", fmt::format("{:016x}", systemc.digest), fmt::format("{:016x}", rtl.digest)});
  }
  return fields;
}

/// The first cycle in which the two differ.
uint64_t parting(const RetireRecord& a, const RetireRecord& b) {
  if (a.issue != b.issue) return std::min(a.issue, b.issue);
  if (a.block != b.block || a.word_index != b.word_index || a.word != b.word || a.stall != b.stall) return a.issue;
  if (a.first_port != b.first_port) return std::min(a.first_port, b.first_port);
  if (a.last_port != b.last_port) return std::min(a.last_port, b.last_port);
  return std::min(a.retire, b.retire);
}

}  // namespace

Comparison::Comparison(const acg::Program& program, const std::vector<RetireRecord>& reference)
    : program_(program), codec_(program.machine) {
  for (const acg::Engine& engine : acg::engines(program.machine)) names_.push_back(engine.name);
  names_.emplace_back("instruction fetch");
  lanes_.resize(names_.size());
  for (const RetireRecord& record : reference) lanes_.at(record.engine).reference.push_back(record);
  for (Lane& lane : lanes_) {
    std::sort(lane.reference.begin(), lane.reference.end(),
              [](const RetireRecord& a, const RetireRecord& b) { return a.sequence < b.sequence; });
    lane.seen.resize(lane.reference.size());
  }
}

void Comparison::add(const RetireRecord& record) {
  last_retire_ = std::max(last_retire_, record.retire);
  if (first_) ++since_first_;
  Lane& lane = lanes_.at(record.engine);
  lane.recent.push_back(record);
  if (lane.recent.size() > kRecent) lane.recent.pop_front();
  if (record.sequence >= lane.reference.size() || lane.seen[record.sequence]) {
    note({record.engine, record.sequence, record.retire, std::nullopt, record});
    return;
  }
  lane.seen[record.sequence] = true;
  ++compared_;
  const RetireRecord& expected = lane.reference[record.sequence];
  if (record == expected) return;
  note({record.engine, record.sequence, parting(expected, record), expected, record});
}

bool Comparison::is_decided() const { return since_first_ >= kAfterFirst; }

void Comparison::finish(uint64_t reached) {
  for (size_t k = 0; k < lanes_.size(); ++k) {
    for (const RetireRecord& record : lanes_[k].reference) {
      if (lanes_[k].seen[record.sequence] || record.retire >= reached) continue;
      note({k, record.sequence, record.retire, record, std::nullopt});
    }
  }
}

void Comparison::note(const Place& place) {
  ++differences_;
  if (!first_ || place.cycle < first_->cycle) first_ = place;
}

Neighbour Comparison::neighbour(const RetireRecord& record) const { return {record, codec_.disassemble(record.word)}; }

std::vector<Neighbour> Comparison::around_reference(const Place& place) const {
  const std::vector<RetireRecord>& records = lanes_[place.lane].reference;
  std::vector<Neighbour> around;
  const uint64_t begin = place.sequence - std::min(place.sequence, kAround);
  for (uint64_t k = begin; k < records.size() && k <= place.sequence + kAround; ++k) {
    around.push_back(neighbour(records[k]));
  }
  return around;
}

std::vector<Neighbour> Comparison::around_rtl(const Place& place) const {
  std::vector<RetireRecord> records;
  for (const RetireRecord& record : lanes_[place.lane].recent) {
    if (record.sequence + kAround >= place.sequence && record.sequence <= place.sequence + kAround) {
      records.push_back(record);
    }
  }
  std::stable_sort(records.begin(), records.end(),
                   [](const RetireRecord& a, const RetireRecord& b) { return a.sequence < b.sequence; });
  std::vector<Neighbour> around;
  for (const RetireRecord& record : records) around.push_back(neighbour(record));
  return around;
}

Difference Comparison::described(const Place& place) const {
  const RetireRecord& record = place.systemc ? *place.systemc : place.rtl.value();
  Difference difference;
  difference.engine = names_[place.lane];
  difference.instruction = codec_.disassemble(record.word);
  difference.block = record.block;
  if (record.block < program_.blocks.size()) difference.layer = program_.blocks[record.block].layer;
  difference.word_index = record.word_index;
  difference.cycle = place.cycle;
  if (place.systemc && place.rtl) {
    difference.fields = different_fields(*place.systemc, *place.rtl);
  } else {
    difference.kind = DifferenceKind::kMissing;
    const auto retired = [](const std::optional<RetireRecord>& side) {
      return side ? number(side->retire) : std::string("never");
    };
    difference.fields.push_back({"retire", retired(place.systemc), retired(place.rtl)});
  }
  difference.around_systemc = around_reference(place);
  difference.around_rtl = around_rtl(place);
  return difference;
}

std::optional<Difference> Comparison::first() const {
  if (!first_) return std::nullopt;
  return described(*first_);
}

}  // namespace covenant::runtime
