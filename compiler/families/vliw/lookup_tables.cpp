#include "compiler/families/vliw/lookup_tables.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/graph/queries.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler::vliw {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;
using enum acg::VliwOperation;

constexpr size_t kVectorBytes = 128;
constexpr size_t kSliceEntries = 32;  // entries that one instruction looks up
constexpr size_t kSlices = 8;
constexpr size_t kSlicesOfVector = kVectorBytes / kSliceEntries;

/// The table of a compute; null if it has no table of bytes.
const Constant* table_of(const Operation& operation) {
  const auto* compute = std::get_if<Compute>(&operation.op);
  if (compute == nullptr || compute->capability != "LOOKUP") return nullptr;
  const auto* table = std::get_if<Constant>(&compute->operands.at(1));
  return table != nullptr && bytes(table->dtype) == 1 ? table : nullptr;
}

bool sums_up(const Loop& loop) {
  bool does = false;
  for_each_operation(loop.body, [&](const Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    does = does || (compute != nullptr && codelet::accumulates(compute->capability));
  });
  return does;
}

class Tables {
 public:
  Tables(const Codelet& tiled, const acg::Machine& machine) : machine_(machine), made_{tiled, {}} {}

  TablesInMemory make() {
    load(made_.codelet.body);
    return std::move(made_);
  }

 private:
  void load(std::vector<Operation>& body) {
    std::vector<Operation> loaded;
    for (Operation& operation : body) {
      auto* loop = std::get_if<Loop>(&operation.op);
      if (loop != nullptr && sums_up(*loop)) {
        load(loop->body);
      } else {
        load_for(operation, loaded);
      }
      loaded.push_back(std::move(operation));
    }
    body = std::move(loaded);
  }

  /// Appends to `to` loads of the tables that an operation uses.
  void load_for(Operation& operation, std::vector<Operation>& to) {
    std::vector<std::string> locals;
    const auto take = [&](Operation& one) {
      const Constant* table = table_of(one);
      if (table == nullptr) return;
      auto& compute = std::get<Compute>(one.op);
      const std::string surrogate = surrogate_of(*table), local = surrogate + ".held";
      if (std::find(locals.begin(), locals.end(), local) == locals.end()) {
        locals.push_back(local);
        const auto entries = static_cast<int64_t>(table->table.size());
        to.push_back(
            {Transfer{local, Reference{surrogate, {0}}, std::nullopt, registers_of(compute), {entries}, {}, {}}, {}});
      }
      compute.operands.at(1) = Reference{local, {0}};
    };
    take(operation);
    if (auto* loop = std::get_if<Loop>(&operation.op)) for_each_operation(loop->body, take);
  }

  std::string registers_of(const Compute& compute) const {
    const acg::Compute& node = acg::get(machine_, acg::find_compute(machine_, compute.location).value());
    return acg::get(machine_, acg::role(machine_, node, "registers")).name;
  }

  std::string surrogate_of(const Constant& table) {
    std::vector<uint8_t> lanes = lanes_of_table(table.table);
    for (const TablesInMemory::Table& known : made_.tables) {
      if (known.bytes == lanes && find_surrogate(made_.codelet, known.surrogate)->dtype == table.dtype)
        return known.surrogate;
    }
    codelet::Surrogate made;
    made.name = fmt::format("table.{}", made_.tables.size());
    made.shape = {static_cast<int64_t>(lanes.size())};
    made.dtype = table.dtype;
    made_.codelet.surrogates.push_back(made);
    made_.tables.push_back({made.name, std::move(lanes)});
    return made.name;
  }

  const acg::Machine& machine_;
  TablesInMemory made_;
};

}  // namespace

TablesInMemory with_tables_in_memory(const Codelet& tiled, const acg::Machine& machine) {
  return Tables(tiled, machine).make();
}

std::vector<uint8_t> lanes_of_table(std::span<const uint8_t> table) {
  std::vector<uint8_t> lanes(table.size());
  for (size_t i = 0; i < table.size(); ++i) {
    const size_t vector = i / kVectorBytes * kVectorBytes, entry = i % kVectorBytes;
    const size_t half = entry / (kVectorBytes / 2), at = entry % (kVectorBytes / 2);
    lanes.at(vector + 2 * at + half) = table[i];
  }
  return lanes;
}

bool select_lookup(const SelectedCompute& wanted, Writer& writer, std::vector<CodeStep>& to) {
  const std::vector<Name> from = registers_of(wanted, 0, writer);
  const auto* table = std::get_if<std::vector<Name>>(&wanted.operands.at(1).value);
  const bool is_of_bytes = bytes(wanted.dtype) == 1 && bytes(wanted.operands[0].dtype) == 1;
  if (!is_of_bytes || table == nullptr || table->size() * kSlicesOfVector != kSlices) return false;
  for (size_t i = 0; i < wanted.result.size(); ++i) {
    // A slice gives 0 for entries that it does not hold.
    for (size_t slice = 0; slice < kSlices; ++slice) {
      writer.add(to, slice == 0 ? kVlutvvbi : kVlutvvbOracci,
                 {wanted.result[i], from.at(i), table->at(slice / kSlicesOfVector), static_cast<int32_t>(slice)});
    }
  }
  return true;
}

}  // namespace covenant::compiler::vliw
