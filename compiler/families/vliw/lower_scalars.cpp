#include "compiler/families/vliw/lower_scalars.h"

#include <fmt/format.h>

#include "acg/base/failure.h"
#include "compiler/codelet/rewrite.h"
#include "compiler/families/vliw/begun_sums.h"
#include "compiler/families/vliw/register_tiles.h"
#include "compiler/families/vliw/scalar_pointers.h"
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

class ScalarLowering {
 public:
  ScalarLowering(const Codelet& tiled, const acg::Machine& machine, const std::map<std::string, uint32_t>& addresses,
                 const std::map<std::string, Storage>& views)
      : places_(tiled, addresses, views), tiled_(tiled), writer_(machine), pointers_(writer_) {
    for (size_t i = 0; i < tiled.surrogates.size(); ++i) {
      tensors_[tiled.surrogates[i].name] = {static_cast<uint32_t>(i + 1), tiled.surrogates[i].dtype.value()};
    }
  }

  Code run() {
    std::vector<CodeStep> steps;
    block(tiled_.body, steps);
    return writer_.take(std::move(steps));
  }

 private:
  struct Tensor {
    uint32_t object = 0;  ///< CodeInstruction::object
    DType dtype = DType::kI32;
  };

  void block(const std::vector<Operation>& body, std::vector<CodeStep>& to) {
    for (const Operation& operation : body) {
      if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
        move(*transfer, operation.where, to);
        continue;
      }
      start_sums(operation, to);
      if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
        turn(*loop, to);
      } else {
        add_product(std::get<Compute>(operation.op), operation.where, to);
      }
    }
  }

  void turn(const codelet::Loop& loop, std::vector<CodeStep>& to) {
    if (!is_turned(loop)) return places_.each_trip(loop, [&] { block(loop.body, to); });
    const int64_t trips = trips_of(loop);
    places_.open(loop);
    pointers_.open(static_cast<uint32_t>(trips));
    CodeLoop made{static_cast<uint32_t>(trips), {}};
    block(loop.body, made.body);
    pointers_.close(made.body);
    places_.close(loop);
    to.emplace_back(joined(std::move(made)));
  }

  /// If nothing happens between two loops and their elements are contiguous, they become one loop.
  static CodeLoop joined(CodeLoop loop) {
    const CodeLoop* inner = loop.body.size() == 1 ? std::get_if<CodeLoop>(&loop.body.front()) : nullptr;
    return inner == nullptr ? loop : CodeLoop{loop.trips * inner->trips, inner->body};
  }

  // Transfers.

  void move(const Transfer& transfer, const SourceLocation& where, std::vector<CodeStep>& to) {
    if (transfer.destination) return store(transfer, *transfer.destination, where, to);
    const auto* from = std::get_if<Reference>(&transfer.source);
    const DType dtype =
        from != nullptr ? tensors_.at(from->surrogate).dtype : std::get<Constant>(transfer.source).dtype;
    RegisterTile tile(dtype, constants(transfer.shape), RegisterFile::kScalar, bytes(dtype));
    for (size_t i = 0; i < tile.pieces(); ++i) tile.set(i, writer_.make(RegisterFile::kScalar));
    if (from != nullptr) {
      load(tile, *from, where, to);
    } else {
      tile.is_started = false;
    }
    tiles_.insert_or_assign(transfer.local, std::move(tile));
  }

  void load(const RegisterTile& tile, const Reference& from, const SourceLocation& where, std::vector<CodeStep>& to) {
    places_.check_inside(tile, from, where);
    const VliwOperation operation = load_of(tile.dtype(), where);
    const Tensor& tensor = tensors_.at(from.surrogate);
    for (size_t i = 0; i < tile.pieces(); ++i) {
      const Address address = places_.address_of(tile, i, from, where);
      const int64_t wanted = address.steps.empty() ? 0 : address.steps.back();
      const int64_t step = writer_.immediates().hold(operation_of(operation), 2, wanted) ? wanted : 0;
      const Name pointer = pointers_.at(address, step);
      writer_.add(to, operation, {tile.at(i).value(), pointer, static_cast<int32_t>(step)}, tensor.object);
    }
  }

  VliwOperation load_of(DType dtype, const SourceLocation& where) const {
    if (dtype == DType::kI8) return VliwOperation::kL2LoadrbPi;
    if (dtype == DType::kU8) return VliwOperation::kL2LoadrubPi;
    if (dtype == DType::kI32) return VliwOperation::kL2LoadriPi;
    places_.refuse(unknown(fmt::format("a load of {}", name(dtype))), where);
  }

  void store(const Transfer& transfer, const Reference& destination, const SourceLocation& where,
             std::vector<CodeStep>& to) {
    const RegisterTile& tile = tiles_.at(std::get<Reference>(transfer.source).surrogate);
    if (tile.dtype() != DType::kI32) places_.refuse(unknown(fmt::format("a store of {}", name(tile.dtype()))), where);
    places_.check_inside(tile, destination, where);
    for (size_t i = 0; i < tile.pieces(); ++i) {
      const Name pointer = pointers_.at(places_.address_of(tile, i, destination, where), 0);
      writer_.add(to, VliwOperation::kS2StoreriIo, {pointer, 0, tile.at(i).value()},
                  tensors_.at(destination.surrogate).object);
    }
  }

  // Computes.

  Name element(const Reference& reference, const SourceLocation& where) {
    const RegisterTile& tile = tiles_.at(reference.surrogate);
    const std::optional<size_t> piece = tile.piece_at(places_.fixed_indices(reference));
    if (!piece) places_.not_whole(reference, where);
    return tile.at(piece.value()).value();
  }

  Name operand(const Compute& compute, size_t at, const SourceLocation& where) {
    const auto* reference = std::get_if<Reference>(&compute.operands.at(at));
    if (reference != nullptr) return element(*reference, where);
    return writer_.constant(static_cast<int32_t>(std::get<Constant>(compute.operands.at(at)).integer));
  }

  void add_product(const Compute& compute, const SourceLocation& where, std::vector<CodeStep>& to) {
    if (compute.capability != "GEMM") places_.refuse(unknown(compute.capability), where);
    writer_.add(to, VliwOperation::kM2Maci,
                {element(compute.destination, where), operand(compute, 0, where), operand(compute, 1, where)});
  }

  static Diagnostic unknown(const std::string& what) {
    return {"GEN0051",
            {},
            "",
            "no scalar instructions are known for this",
            what,
            {"GEMM of bytes"},
            "let a node on vectors do it: give the machine one, and leave out --no-vectorise"};
  }

  void start_sums(const Operation& operation, std::vector<CodeStep>& to) {
    begin_sums(operation, tiles_, places_, [&](const Compute& compute, const SourceLocation& where) {
      if (compute.capability != "GEMM") places_.refuse(unknown(compute.capability), where);
      writer_.add(to, VliwOperation::kA2Tfr, {element(compute.destination, where), operand(compute, 2, where)});
    });
  }

  TilePlaces places_;
  const Codelet& tiled_;
  Writer writer_;
  ScalarPointers pointers_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, RegisterTile> tiles_;  ///< by local
};

}  // namespace

Result<Code> lowered_scalars(const Codelet& tiled, const acg::Machine& machine,
                             const std::map<std::string, uint32_t>& addresses,
                             const std::map<std::string, Storage>& views) {
  return guarded<Code>([&] { return ScalarLowering(tiled, machine, addresses, views).run(); });
}

}  // namespace covenant::compiler::vliw
