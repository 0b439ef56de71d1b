#include "compiler/network/parse.h"

#include <fmt/format.h>
#include <utility>

#include "acg/base/byte_order_mark.h"
#include "acg/base/failure.h"
#include "compiler/codelet/parse.h"
#include "compiler/codelet/verify.h"
#include "compiler/network/verify.h"
#include "compiler/network/views.h"
#include "compiler/srdfg/text.h"

namespace covenant::compiler {
namespace {

constexpr std::string_view kFirstWord = "network ";

class Reader : private TextReader {
 public:
  Reader(std::string_view text, std::string_view file)
      : TextReader(text, file, {"NET0001", "the text of a network", "compiler/network/print.h"}) {}

  Network document() {
    Network network;
    expect(kFirstWord);
    network.name = text();
    expect("of ");
    network.model = text();
    expect("{");
    while (accept("tensor ")) network.activations.push_back(tensor(network.activations.size()));
    while (accept("input ")) network.inputs.push_back(boundary());
    while (accept("output ")) network.outputs.push_back(boundary());
    while (accept("layer ")) network.layers.push_back(layer());
    expect("}");
    expect_end();
    return network;
  }

 private:
  std::vector<uint64_t> sizes() {
    return list("[", "]", [this] { return integer<uint64_t>(); });
  }

  Activation tensor(size_t index) {
    if (integer<size_t>() != index) complain(fmt::format("tensor {}, tensors being numbered in order", index));
    Activation made;
    made.name = text();
    made.dtype = dtype();
    made.shape = sizes();
    expect("zero_point=");
    made.zero_point = integer<int32_t>();
    made.storage = storage(made.shape);
    expect(";");
    return made;
  }

  Storage storage(const std::vector<uint64_t>& shape) {
    Storage made;
    made.memory = std::string(word());
    expect("allocation=");
    made.allocation = integer<size_t>();
    if (accept("offset=")) made.offset = integer<uint64_t>();
    expect("strides=");
    const auto strides = list("[", "]", [this] { return steps(); });
    if (strides.size() != shape.size()) complain("one stride for each dimension");
    for (size_t d = 0; d < shape.size(); ++d) {
      made.dimensions.push_back({shape[d], 0, 0, strides[d]});
      if (strides[d].size() == 1) made.dimensions[d].strides[0].count = shape[d];
    }
    if (accept("before=")) pads(made, &StorageDimension::before);
    if (accept("after=")) pads(made, &StorageDimension::after);
    made.is_filled = accept("filled");
    if (accept("live=[")) {
      made.lifetime = Lifetime{integer<size_t>(), 0};
      expect(",");
      made.lifetime->last = integer<size_t>();
      expect("]");
    }
    return made;
  }

  /// `16`, or `[56,228,2,6]`: 56 tiles, 228 elements apart, of 2 indices, 6 elements apart.
  std::vector<acg::Stride> steps() {
    if (!continues_with("[")) return {{0, integer<uint64_t>()}};
    const std::vector<uint64_t> numbers = sizes();
    if (numbers.size() < 4 || numbers.size() % 2 != 0) complain("a count and a stride for each of several steps");
    std::vector<acg::Stride> made;
    for (size_t i = 0; i < numbers.size(); i += 2) made.push_back({numbers[i], numbers[i + 1]});
    return made;
  }

  void pads(Storage& made, uint64_t StorageDimension::* side) {
    const std::vector<uint64_t> numbers = sizes();
    if (numbers.size() != made.dimensions.size()) complain("one number for each dimension");
    for (size_t d = 0; d < numbers.size(); ++d) made.dimensions[d].*side = numbers[d];
  }

  Boundary boundary() {
    Boundary made;
    made.name = text();
    made.shape = sizes();
    expect("tensor=");
    made.activation = integer<size_t>();
    made.host_quantizes = accept("host_quantizes");
    if (made.host_quantizes) {
      expect("scale=");
      made.quantization.scale = static_cast<float>(real());
      expect("zero_point=");
      made.quantization.zero_point = integer<int32_t>();
    }
    if (accept("model_dtype=")) made.model_dtype = dtype();
    expect(";");
    return made;
  }

  NetworkLayer layer() {
    NetworkLayer made;
    made.layer.name = text();
    made.operation = std::string(word());
    expect("lowering=");
    made.lowering = text();
    expect("macs=");
    made.macs = integer<uint64_t>();
    expect("elementwise=");
    made.elementwise = integer<uint64_t>();
    expect("{");
    while (!accept("}")) part(made);
    return made;
  }

  void part(NetworkLayer& made) {
    if (accept("param ")) {
      const std::string name(word());
      expect("=");
      made.layer.params[name] = value();
    } else if (accept("codelet ")) {
      made.codelet = own_codelet();
    } else if (accept("steps ")) {
      made.steps = text();
    } else if (accept("dtype ")) {
      const std::string name(word());
      made.layer.dtypes[name] = dtype();
    } else if (accept("tensor ")) {
      const std::string name(word());
      expect("=");
      made.activations[name] = integer<size_t>();
    } else if (accept("constant ")) {
      const std::string name(word());
      ConstantTensor& constant = made.constants[name];
      constant.shape = sizes();
      constant.data = bytes();
    } else {
      complain("codelet, steps, param, dtype, tensor, constant or `}`");
    }
    expect(";");
  }

  codelet::Codelet own_codelet() {
    Result<codelet::Codelet> made = codelet::parse(text(), "codelet of a layer");
    if (!made) throw Failure{made.error()};
    if (const Status size = codelet::verify_size(*made); !size) throw Failure{size.error()};
    return std::move(*made);
  }

  std::variant<int64_t, codelet::Constant> value() {
    for (const DTypeInfo& known : kDTypes) {
      if (!accept(std::string(known.name) + " ")) continue;
      codelet::Constant constant{known.dtype, 0, 0};
      if (continues_with("\"")) {
        constant.table = bytes();
      } else if (known.is_float) {
        constant.real = static_cast<float>(real());
      } else {
        constant.integer = integer<int64_t>();
      }
      return constant;
    }
    return integer<int64_t>();
  }
};

}  // namespace

bool is_network_text(std::string_view text) { return without_byte_order_mark(text).starts_with(kFirstWord); }

Result<Network> parse_network(std::string_view text, std::string_view file, const acg::Machine& machine) {
  Result<Network> network = guarded<Network>([&] { return Reader(text, file).document(); });
  if (!network) return network;
  const Status status = guarded<Done>([&] {
    if (Status stored = verify_storages(*network, machine); !stored) throw Failure{stored.error()};
    if (Status formed = verify_forms(*network); !formed) throw Failure{formed.error()};
    for (NetworkLayer& layer : network->layers) set_views(*network, layer, machine);
    return Done{};
  });
  if (!status) return in_file(status.error(), file);
  return network;
}

}  // namespace covenant::compiler
