#include "tests/property/vliw/random_code.h"

#include <array>

namespace covenant::compiler::vliw::testing {
namespace {

using acg::RegisterFile;
using acg::VliwOperation;
using enum acg::VliwOperation;

class Drawing {
 public:
  explicit Drawing(acg::testing::RandomSource& random) : random_(random) {}

  RandomCode draw() {
    for (size_t i = 0; i < 2; ++i) {
      inputs_.push_back(pointer(kDataAddress + kDataBytes / 4));
      outputs_.push_back(pointer(kDataAddress + kDataBytes / 4 * 3));
    }
    std::vector<CodeStep>& steps = result_.code.steps;
    for (int i = 0; i < 4; ++i) {
      scalars_.push_back(make(RegisterFile::kScalar));
      add(steps, kA2Tfrsi, {scalars_.back().operand(), static_cast<int32_t>(random_.between(-30000, 30000))});
      shifts_.push_back(make(RegisterFile::kScalar));
      add(steps, kA2Tfrsi, {shifts_.back().operand(), static_cast<int32_t>(random_.between(0, 31))});
    }
    for (int i = 0; i < 4; ++i) load(steps);
    body(steps, 0);
    for (const Name& vector : vectors_) store(steps, vector);
    return std::move(result_);
  }

 private:
  Name make(RegisterFile file, bool is_pair = false) { return result_.code.make(file, is_pair); }
  Name pointer(uint32_t address) {
    const Name made = make(RegisterFile::kScalar);
    result_.code.fixed.push_back({made.number, static_cast<int32_t>(result_.given.size())});
    result_.given[made.number] = address;
    return made;
  }
  template <typename Element>
  const Element& any(const std::vector<Element>& of) {
    return of[static_cast<size_t>(random_.between(0, static_cast<int64_t>(of.size()) - 1))];
  }
  void add(std::vector<CodeStep>& steps, VliwOperation operation, std::initializer_list<int32_t> operands,
           uint32_t object = 0) {
    CodeInstruction instruction{{operation_of(operation), {}}, false, object};
    std::copy(operands.begin(), operands.end(), instruction.instruction.operands.begin());
    steps.emplace_back(instruction);
  }

  void body(std::vector<CodeStep>& steps, int depth) {
    for (int64_t count = random_.between(2, 9); count > 0; --count) {
      if (depth < 4 && random_.between(0, 6) == 0) {
        CodeLoop loop{static_cast<uint32_t>(random_.between(1, 6)), {}};
        if (depth == 0 && random_.between(0, 3) == 0) loop.trips = static_cast<uint32_t>(random_.between(1000, 1100));
        times_ *= loop.trips;
        body(loop.body, loop.trips > 6 ? 4 : depth + 1);
        times_ /= loop.trips;
        steps.emplace_back(std::move(loop));
        continue;
      }
      instruction(steps);
    }
  }

  Name new_vector() {
    // Few are kept: they all want a register at the end.
    if (vectors_.size() < 8) return vectors_.emplace_back(make(RegisterFile::kVector));
    return random_.between(0, 2) == 0 ? any(vectors_) : make(RegisterFile::kVector);
  }

  /// May an address move so far every time? It must stay in its half of the data.
  bool may_move(uint32_t bytes) {
    if (moved_ + bytes * times_ > kDataBytes / 8) return false;
    moved_ += bytes * times_;
    return true;
  }

  /// The address advances with the load or the store; now and then the new address is unused.
  void access_and_step(std::vector<CodeStep>& steps) {
    if (!may_move(128)) return;
    const bool loads = random_.between(0, 1) == 0;
    Name base = any(loads ? inputs_ : outputs_);
    if (random_.between(0, 1) == 0) {
      const Name own = make(RegisterFile::kScalar);
      add(steps, kA2Addi, {own.operand(), base.operand(), 128});
      base = own;
    }
    const auto step = static_cast<int32_t>(random_.between(-1, 1));
    if (loads) return add(steps, kVl32bPi, {new_vector().operand(), base.operand(), step}, 1);
    add(steps, kVs32bPi, {base.operand(), step, any(vectors_).operand()}, 2);
  }

  void load(std::vector<CodeStep>& steps) {
    const auto offset = static_cast<int32_t>(random_.between(-8, 7));
    add(steps, kVl32bAi, {new_vector().operand(), any(inputs_).operand(), offset}, 1);
  }
  void store(std::vector<CodeStep>& steps, const Name& vector) {
    const auto offset = static_cast<int32_t>(random_.between(-8, 7));
    add(steps, kVs32bAi, {any(outputs_).operand(), offset, vector.operand()}, 2);
  }

  void instruction(std::vector<CodeStep>& steps) {
    const int32_t u = any(vectors_).operand(), v = any(vectors_).operand();
    switch (random_.between(0, 16)) {
      case 0:
      case 1:
        return load(steps);
      case 2:
        return store(steps, any(vectors_));
      case 3: {
        constexpr std::array kAccumulating{kVrmpyubAcc, kVrmpybusAcc};
        return add(steps, kAccumulating[static_cast<size_t>(random_.between(0, 1))], {u, v, any(scalars_).operand()});
      }
      case 4:
        return add(steps, kVmpyowhRndSacc, {u, v, any(vectors_).operand()});
      case 5:
        return pair(steps, u, v);
      case 6: {
        const int32_t word = make(RegisterFile::kScalar).operand();
        add(steps, kL2LoadriIo, {word, any(inputs_).operand(), static_cast<int32_t>(random_.between(-64, 63) * 4)}, 1);
        return add(steps, kVrmpyubAcc, {u, v, word});
      }
      case 7: {
        const int32_t where = make(RegisterFile::kVectorPredicate).operand();
        add(steps, kVgtw, {where, u, v});
        return add(steps, kVmux, {new_vector().operand(), where, u, v});
      }
      case 8: {
        if (!may_move(4)) return;
        const int32_t base = any(random_.between(0, 1) == 0 ? inputs_ : outputs_).operand();
        return add(steps, kA2Addi, {base, base, 4});
      }
      case 9: {
        const int32_t shift = any(shifts_).operand();
        return add(steps, kVasrwhrndsat, {new_vector().operand(), u, v, shift});
      }
      case 11:
      case 12:
        return access_and_step(steps);
      case 13: {
        const int32_t word = make(RegisterFile::kScalar).operand();
        add(steps, kExtractw, {word, u, any(scalars_).operand()});
        return add(steps, kVrmpybusAcc, {v, u, word});
      }
      case 10:
        return add(steps, kA2Add, {any(scalars_).operand(), any(scalars_).operand(), any(scalars_).operand()});
      default: {
        constexpr std::array kPlain{kVaddw, kVmaxub, kVxor, kVpackhubSat, kVmpyewuh, kVshuffeb, kVavgub, kVdealb4w};
        return add(steps, kPlain[static_cast<size_t>(random_.between(0, 7))], {new_vector().operand(), u, v});
      }
    }
  }

  /// A product of two vectors; its halves go different ways, now and then one of them first gets another value.
  void pair(std::vector<CodeStep>& steps, int32_t u, int32_t v) {
    const Name product = make(RegisterFile::kVector, true);
    const Name high{product.number, true};
    add(steps, kVmpybv, {product.operand(), u, v});
    if (random_.between(0, 1) == 0) add(steps, kVmpybusvAcc, {product.operand(), v, u});
    if (random_.between(0, 2) == 0) add(steps, kVaddh, {high.operand(), product.operand(), v});
    add(steps, kVpackhubSat, {new_vector().operand(), high.operand(), product.operand()});
  }

  acg::testing::RandomSource& random_;
  RandomCode result_;
  std::vector<Name> inputs_, outputs_, scalars_, shifts_, vectors_;
  uint32_t times_ = 1;  ///< executions of the code that is being drawn
  uint32_t moved_ = 0;  ///< bytes that addresses move, at most
};

}  // namespace

RandomCode random_code(acg::testing::RandomSource& random) { return Drawing(random).draw(); }

}  // namespace covenant::compiler::vliw::testing
