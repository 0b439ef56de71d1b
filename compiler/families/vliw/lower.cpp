#include "compiler/families/vliw/lower.h"

#include <optional>
#include <set>
#include <span>

#include "acg/base/failure.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/arithmetic.h"
#include "compiler/codelet/block.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/codelet/vector_sizes.h"
#include "compiler/families/vliw/addresses.h"
#include "compiler/families/vliw/begun_sums.h"
#include "compiler/families/vliw/caches.h"
#include "compiler/families/vliw/channel_products.h"
#include "compiler/families/vliw/prefetches.h"
#include "compiler/families/vliw/register_tiles.h"
#include "compiler/families/vliw/row_vectors.h"
#include "compiler/families/vliw/selection.h"
#include "compiler/families/vliw/tile_places.h"
#include "compiler/families/vliw/turned_loops.h"

namespace covenant::compiler::vliw {
namespace {

using acg::RegisterFile;
using acg::VliwOperation;
using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

constexpr int64_t kWord = 4, kDoubleWord = 8;
// Reach of offsets in either direction: in vectors, and in bytes for words and double words.
constexpr int64_t kVectorReach = 8, kScalarReach = 4096;

class Lowering {
 public:
  Lowering(const Codelet& tiled, const acg::Machine& machine, const std::map<std::string, uint32_t>& addresses,
           const std::map<std::string, Storage>& views, Pointers pointers)
      : tiled_(tiled),
        pointers_(pointers),
        machine_(machine),
        dtypes_(tensor_dtypes(tiled)),
        places_(tiled, addresses, views),
        writer_(machine),
        addresses_(writer_, last_line_bytes(machine)),
        channel_products_(writer_),
        row_vectors_(writer_, tiled, dtypes_, machine),
        prefetches_(machine, writer_, addresses_),
        word_delay_(delay_of_words(machine)) {
    for (const codelet::Surrogate& one : tiled.surrogates) {
      objects_.emplace(one.name, static_cast<uint32_t>(objects_.size() + 1));
    }
    for_each_operation(tiled.body, [&](const Operation& operation, const auto& /*loops*/) {
      if (const auto* compute = std::get_if<Compute>(&operation.op)) note_summed(*compute);
    });
  }

  Code run() {
    std::vector<CodeStep> steps;
    BroadcastCache broadcasts;
    for (size_t i = 0; i < tiled_.body.size(); ++i) {
      const size_t at = steps.size();
      operate(tiled_.body[i], std::span(tiled_.body).subspan(i + 1), broadcasts, steps);
      // Pointers of one part of a layer take no registers in another one.
      writer_.begin(steps, at);
    }
    channel_products_.flush(steps);
    return writer_.take(std::move(steps));
  }

 private:
  void note_summed(const Compute& compute) {
    if (!codelet::accumulates(compute.capability)) return;
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference != nullptr && !begins_with(compute, i)) summed_.insert(reference->surrogate);
    }
  }

  void block(const std::vector<Operation>& body, BroadcastCache& broadcasts, std::vector<CodeStep>& to) {
    for (size_t i = 0; i < body.size(); ++i) operate(body[i], std::span(body).subspan(i + 1), broadcasts, to);
  }

  /// `after`: the operations after it in its block.
  void operate(const Operation& operation, std::span<const Operation> after, BroadcastCache& broadcasts,
               std::vector<CodeStep>& to) {
    if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
      channel_products_.flush(to);
      move(*transfer, operation.where, to);
      if (is_used_again(transfer->local, after)) load_all(transfer->local, to);
      return;
    }
    start_sums(operation, to);
    if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
      turn(*loop, broadcasts, to);
    } else {
      compute(std::get<Compute>(operation.op), operation.where, broadcasts, to);
    }
  }

  void turn(const codelet::Loop& loop, BroadcastCache& broadcasts, std::vector<CodeStep>& to) {
    if (!is_turned(loop)) {
      places_.each_trip(loop, [&] { block(loop.body, broadcasts, to); });
      return;
    }
    const int64_t trips = trips_of(loop);
    places_.open(loop);
    addresses_.open(static_cast<uint32_t>(trips));
    CodeLoop made{static_cast<uint32_t>(trips), {}};
    BroadcastCache within = broadcasts;
    channel_products_.flush(to);
    row_vectors_.forget();
    block(loop.body, within, made.body);
    row_vectors_.forget();
    channel_products_.flush(made.body);
    prefetches_.write(trips, made.body, to);
    addresses_.close(made.body);
    places_.close(loop);
    to.emplace_back(std::move(made));
  }

  // Transfers.

  /// The tensor from which a local is loaded.
  struct LoadedFrom {
    Reference from;
    const void* site = nullptr;
    SourceLocation where;
  };

  void move(const Transfer& transfer, const SourceLocation& where, std::vector<CodeStep>& to) {
    if (transfer.destination) {
      const RegisterTile& tile = tiles_.at(std::get<Reference>(transfer.source).surrogate);
      places_.check_inside(tile, *transfer.destination, where);
      store(tile, *transfer.destination, &transfer, where, to);
      return;
    }
    const acg::Memory& memory = acg::get(machine_, acg::find_memory(machine_, transfer.location).value());
    const RegisterFile file = memory.data_width > 32 ? RegisterFile::kVector : RegisterFile::kScalar;
    const auto* from = std::get_if<Reference>(&transfer.source);
    const int64_t rows = row_vectors_.rows_of(transfer.local);
    RegisterTile tile(dtypes_.at(transfer.local), constants(transfer.shape), file,
                      static_cast<uint32_t>(memory.unit_bytes()), rows, from == nullptr ? 0 : rows_before(*from, rows));
    row_vectors_.forget(transfer.local);
    if (from == nullptr) {
      tile.is_started = false;
    } else {
      places_.check_inside(tile, *from, where);
      sources_[transfer.local] = {*from, &transfer, where};
    }
    tiles_.insert_or_assign(transfer.local, std::move(tile));
  }

  void load_all(const std::string& local, std::vector<CodeStep>& to) {
    const auto source = sources_.find(local);
    if (source == sources_.end() || is_loaded_where_used(local)) return;
    for (size_t i = 0; i < tiles_.at(local).pieces(); ++i) ensure_loaded(local, i, to);
  }

  /// A piece is loaded when it is first used, so that it occupies its register for as short as possible.
  void ensure_loaded(const std::string& local, size_t piece, std::vector<CodeStep>& to) {
    RegisterTile& tile = tiles_.at(local);
    if (tile.at(piece)) return;
    const LoadedFrom& source = sources_.at(local);
    const Address address = places_.address_of(tile, piece, source.from, source.where);
    if (tile.file() == RegisterFile::kScalar) {
      load_words(tile, piece, address, source, to);
    } else {
      tile.set(piece, load_piece(tile, address, source.from, source.site, to));
    }
  }

  Name load_piece(const RegisterTile& tile, const Address& address, const Reference& from, const void* site,
                  std::vector<CodeStep>& to) {
    const auto [pointer, offset, is_aligned] = vector_at(address, tile, site, to);
    addresses_.read(address, tile.register_bytes(), site);
    const Name loaded = writer_.vector();
    writer_.add(to, is_aligned ? VliwOperation::kVl32bAi : VliwOperation::kVl32ubAi, {loaded, pointer, offset},
                objects_.at(from.surrogate));
    return loaded;
  }

  /// Loads two adjacent words at once if possible.
  void load_words(RegisterTile& tile, size_t piece, const Address& address, const LoadedFrom& source,
                  std::vector<CodeStep>& to) {
    if (!address.is_aligned(kWord)) places_.not_whole(source.from, source.where);
    const bool has_next = piece + 1 < tile.pieces() && address.is_aligned(kDoubleWord);
    const Address next = has_next ? places_.address_of(tile, piece + 1, source.from, source.where) : Address{};
    const bool is_double =
        has_next && !tile.at(piece + 1) && next.first == address.first + kWord && next.steps == address.steps;
    const Addresses::Place place = addresses_.at(address, is_double ? kDoubleWord : kWord, kScalarReach, source.site);
    addresses_.read(address, is_double ? kDoubleWord : kWord, source.site);
    const Name loaded = writer_.make(RegisterFile::kScalar, is_double);
    writer_.add(to, is_double ? VliwOperation::kL2LoadrdIo : VliwOperation::kL2LoadriIo,
                {loaded, place.pointer, place.offset}, objects_.at(source.from.surrogate));
    std::get<CodeInstruction>(to.back()).delay = word_delay_;
    tile.set(piece, loaded);
    if (is_double) tile.set(piece + 1, Name{loaded.number, true});
  }

  void store(const RegisterTile& tile, const Reference& destination, const void* site, const SourceLocation& where,
             std::vector<CodeStep>& to) {
    if (tile.file() != RegisterFile::kVector) places_.not_whole(destination, where);
    for (size_t i = 0; i < tile.pieces(); ++i) {
      const Address address = places_.address_of(tile, i, destination, where);
      const auto [pointer, offset, is_aligned] = vector_at(address, tile, site, to);
      addresses_.write(address, static_cast<int64_t>(tile.register_bytes()), site);
      writer_.add(to, is_aligned ? VliwOperation::kVs32bAi : VliwOperation::kVs32ubAi,
                  {pointer, offset, tile.at(i).value()}, objects_.at(destination.surrogate));
    }
  }

  /// The place of a vector; offsets count vectors.
  struct VectorPlace {
    Name pointer;
    int32_t offset = 0;
    bool is_aligned = true;
  };
  VectorPlace vector_at(const Address& address, const RegisterTile& tile, const void* site, std::vector<CodeStep>& to) {
    const auto bytes = static_cast<int64_t>(tile.register_bytes());
    const int64_t reach = bytes * kVectorReach;
    const Addresses::Place place = pointers_ == Pointers::kOfTheirOwn
                                       ? addresses_.at(address, bytes, reach, site)
                                       : addresses_.made_at(address, bytes, reach, site, to);
    return {place.pointer, static_cast<int32_t>(place.offset / bytes), address.is_aligned(bytes)};
  }

  /// Biases and scales are needed once for each sum: kept in registers they would displace sums.
  bool is_loaded_where_used(const std::string& local) const {
    const RegisterTile& tile = tiles_.at(local);
    return tile.file() == RegisterFile::kVector && bytes(tile.dtype()) == kWord && !summed_.contains(local);
  }

  // Computes.

  /// Registers of a result. A piece that is written for the first time gets one.
  std::vector<Name> result_at(const Reference& reference, uint64_t elements, const SourceLocation& where) {
    RegisterTile& tile = tiles_.at(reference.surrogate);
    const std::optional<size_t> first = tile.piece_at(places_.fixed_indices(reference));
    if (!first) places_.not_whole(reference, where);
    const size_t end = *first + ceil_divide<size_t>(elements * bytes(tile.dtype()), tile.register_bytes());
    std::vector<Name> names;
    for (size_t i = *first; i < end; ++i) {
      if (!tile.at(i)) tile.set(i, writer_.make(tile.file()));
      names.push_back(tile.at(i).value());
    }
    return names;
  }

  /// Registers of an operand.
  std::vector<Name> registers_at(const Reference& reference, const codelet::Block& block, const SourceLocation& where,
                                 std::vector<CodeStep>& to) {
    const RegisterTile& tile = tiles_.at(reference.surrogate);
    const std::vector<int64_t> indices = places_.fixed_indices(reference);
    const std::optional<size_t> first = tile.piece_at(indices);
    const int64_t row_bytes = block.row_elements() * static_cast<int64_t>(bytes(tile.dtype()));
    const auto in_row = ceil_divide<size_t>(static_cast<size_t>(row_bytes), tile.register_bytes());
    const auto pieces = ceil_divide<size_t>(static_cast<size_t>(row_bytes * block.rows), tile.register_bytes());
    if (block.rows > 1 && block.step != 0 && (block.step != 1 || !first)) {
      if (block.step > RowVectors::kWidestStep) places_.not_whole(reference, where);
      const auto piece = [&](size_t i) { return register_of(reference.surrogate, i, i, to); };
      return row_vectors_.make(reference.surrogate, tile.byte_at(indices), pieces, row_bytes, block.step, piece, to);
    }
    if (!first) places_.not_whole(reference, where);
    std::vector<Name> names;
    for (size_t i = 0; i < pieces; ++i) {
      const size_t piece = *first + (block.step == 0 ? i % in_row : i);
      names.push_back(register_of(reference.surrogate, piece, *first, to));
    }
    return names;
  }

  /// The register of a piece of an operand. A piece that was never written is padding, for which any register does:
  /// that of `known`.
  Name register_of(const std::string& local, size_t piece, size_t known, std::vector<CodeStep>& to) {
    const RegisterTile& tile = tiles_.at(local);
    const auto source = sources_.find(local);
    if (source == sources_.end()) return tile.at(tile.at(piece) ? piece : known).value();
    if (!is_loaded_where_used(local)) {
      ensure_loaded(local, piece, to);
      return tile.at(piece).value();
    }
    const auto& [from, site, at] = source->second;
    std::optional<Name>& begun = begun_with_[{local, piece}];
    if (!is_beginning_ || !begun) begun = load_piece(tile, places_.address_of(tile, piece, from, at), from, site, to);
    return *begun;
  }

  /// True if a sum begins with this operand, which is used for nothing else.
  static bool begins_with(const Compute& compute, size_t operand) {
    return (compute.capability == "GEMM" || compute.capability == "MAC") && operand == 2;
  }

  /// `begins`: for the initial value of a sum; otherwise for all other operands.
  SelectedCompute on_registers(const Compute& compute, bool begins, const SourceLocation& where,
                               std::vector<CodeStep>& to) {
    const acg::Capability& capability = capability_of(dtypes_, machine_, compute);
    const DType dtype = dtypes_.at(compute.destination.surrogate);
    const uint64_t elements = codelet::elements_of(capability.output.shape);
    SelectedCompute result{compute, dtype, result_at(compute.destination, elements, where), {}};
    for (size_t i = 0; i < compute.operands.size(); ++i) {
      const auto* reference = std::get_if<Reference>(&compute.operands[i]);
      if (reference == nullptr) {
        const auto& constant = std::get<Constant>(compute.operands[i]);
        result.operands.push_back({constant.dtype, constant});
        continue;
      }
      const DType read = dtypes_.at(reference->surrogate);
      if (begins != begins_with(compute, i)) {
        result.operands.push_back({read, std::vector<Name>{}});
      } else {
        result.operands.push_back(
            {read, registers_at(*reference, codelet::block_of(compute, i, capability), where, to)});
      }
    }
    return result;
  }

  void compute(const Compute& compute, const SourceLocation& where, BroadcastCache& broadcasts,
               std::vector<CodeStep>& to) {
    const bool waits = compute.capability == "MAC";
    if (!waits) channel_products_.flush(to);
    const SelectedCompute selected = on_registers(compute, false, where, to);
    if (waits && channel_products_.add(selected, to)) return;
    const Status done = select(selected, writer_, broadcasts, to);
    if (!done) places_.refuse(done.error(), where);
  }

  void start_sums(const Operation& operation, std::vector<CodeStep>& to) {
    begun_with_.clear();
    // Only before a loop: within one, which is pipelined, a shared value would be alive for long.
    const auto* loop = std::get_if<codelet::Loop>(&operation.op);
    is_beginning_ = loop != nullptr && is_turned(*loop);
    begin_sums(operation, tiles_, places_, [&](const Compute& compute, const SourceLocation& where) {
      const Status done = start_sum(on_registers(compute, true, where, to), writer_, to);
      if (!done) places_.refuse(done.error(), where);
    });
    is_beginning_ = false;
  }

  const Codelet& tiled_;
  Pointers pointers_;
  const acg::Machine& machine_;
  std::map<std::string, DType> dtypes_;  ///< dtypes of tensors and of locals
  TilePlaces places_;
  Writer writer_;
  Addresses addresses_;
  ChannelProducts channel_products_;
  RowVectors row_vectors_;
  Prefetches prefetches_;
  std::map<std::string, uint32_t> objects_;
  std::map<std::string, RegisterTile> tiles_;
  std::map<std::string, LoadedFrom> sources_;  ///< by local
  std::set<std::string> summed_;               ///< locals whose elements are added to sums
  /// While sums are initialised: registers into which the values are loaded, by local and piece.
  std::map<std::pair<std::string, size_t>, std::optional<Name>> begun_with_;
  bool is_beginning_ = false;
  uint32_t word_delay_;
};

}  // namespace

Result<Code> lowered(const Codelet& tiled, const acg::Machine& machine,
                     const std::map<std::string, uint32_t>& addresses, const std::map<std::string, Storage>& views,
                     Pointers pointers) {
  return guarded<Code>([&] { return Lowering(tiled, machine, addresses, views, pointers).run(); });
}

}  // namespace covenant::compiler::vliw
