#include "acg/program/program_header.h"

#include <array>

#include "acg/base/dtype.h"
#include "acg/graph/queries.h"
#include "acg/graph/words.h"
#include "acg/lang/json_machine.h"

namespace covenant::acg {
namespace {

constexpr std::array<NamedValue<SegmentKind>, 5> kSegmentKinds{{{SegmentKind::kInstructions, "instructions"},
                                                                {SegmentKind::kConstant, "constant"},
                                                                {SegmentKind::kInput, "input"},
                                                                {SegmentKind::kOutput, "output"},
                                                                {SegmentKind::kIntermediate, "intermediate"}}};

Json strides_json(const std::vector<std::vector<Stride>>& strides) {
  Json json = Json::array();
  for (const std::vector<Stride>& dimension : strides) {
    json.push_back(Json::array());
    for (const Stride& step : dimension) json.back().push_back({step.count, step.stride});
  }
  return json;
}

std::vector<std::vector<Stride>> strides_of(const JsonReader& reader) {
  std::vector<std::vector<Stride>> strides;
  for (const JsonReader& dimension : reader.elements()) {
    strides.emplace_back();
    for (const JsonReader& step : dimension.elements()) {
      const std::vector<JsonReader> pair = step.elements();
      if (pair.size() != 2) step.refuse("a step is a count and a stride", std::to_string(pair.size()) + " numbers");
      strides.back().push_back({pair[0].integer<uint64_t>(), pair[1].integer<uint64_t>()});
    }
  }
  return strides;
}

Json binding_json(const TensorBinding& binding) {
  Json json{{"name", binding.name},
            {"dtype", name(binding.dtype)},
            {"shape", binding.shape},
            {"strides", strides_json(binding.strides)},
            {"offset", binding.offset},
            {"elements", binding.elements},
            {"pad_value", binding.pad_value},
            {"address", binding.address},
            {"host_quantizes", binding.host_quantizes},
            {"scale", binding.quantization.scale},
            {"zero_point", binding.quantization.zero_point}};
  if (binding.model_dtype) json["model_dtype"] = name(*binding.model_dtype);
  return json;
}

DType dtype_of(const JsonReader& reader) {
  const std::optional<DType> dtype = dtype_named(reader.string());
  if (!dtype) reader.refuse("unknown element type", reader.string());
  return *dtype;
}

TensorBinding binding_of(const JsonReader& reader) {
  reader.only({"name", "dtype", "shape", "strides", "offset", "elements", "pad_value", "address", "host_quantizes",
               "scale", "zero_point", "model_dtype"});
  TensorBinding binding;
  binding.name = reader.at("name").string();
  binding.dtype = dtype_of(reader.at("dtype"));
  for (const JsonReader& size : reader.at("shape").elements()) binding.shape.push_back(size.integer<uint64_t>());
  binding.strides = strides_of(reader.at("strides"));
  binding.offset = reader.at("offset").integer<uint64_t>();
  binding.elements = reader.at("elements").integer<uint64_t>();
  binding.pad_value = reader.at("pad_value").integer<int32_t>();
  binding.address = reader.at("address").integer<uint64_t>();
  binding.host_quantizes = reader.at("host_quantizes").boolean();
  binding.quantization.scale = static_cast<float>(reader.at("scale").real());
  binding.quantization.zero_point = reader.at("zero_point").integer<int32_t>();
  if (reader.has("model_dtype")) binding.model_dtype = dtype_of(reader.at("model_dtype"));
  return binding;
}

Json block_json(const Block& block) {
  return {{"layer", block.layer},
          {"fused", block.fused},
          {"operation", block.operation},
          {"first_word", block.first_word},
          {"words", block.words},
          {"macs", block.macs},
          {"elementwise", block.elementwise},
          {"codelet", block.codelet},
          {"bindings", block.bindings}};
}

Block block_of(const JsonReader& reader) {
  reader.only({"layer", "fused", "operation", "first_word", "words", "macs", "elementwise", "codelet", "bindings"});
  Block block;
  block.layer = reader.at("layer").string();
  for (const JsonReader& name : reader.at("fused").elements()) block.fused.push_back(name.string());
  block.operation = reader.at("operation").string();
  block.first_word = reader.at("first_word").integer<uint64_t>();
  block.words = reader.at("words").integer<uint64_t>();
  block.macs = reader.at("macs").integer<uint64_t>();
  block.elementwise = reader.at("elementwise").integer<uint64_t>();
  block.codelet = reader.at("codelet").string();
  for (const auto& [name, segment] : reader.at("bindings").members()) block.bindings[name] = segment.string();
  return block;
}

Segment segment_of(const JsonReader& reader) {
  reader.only({"name", "kind", "address", "size", "bytes", "crc32"});
  Segment segment;
  segment.name = reader.at("name").string();
  const std::string kind = reader.at("kind").string();
  const std::optional<SegmentKind> known = value_in(kSegmentKinds, kind);
  if (!known) reader.at("kind").refuse("unknown kind of segment", kind, names_in(kSegmentKinds));
  segment.kind = *known;
  segment.address = reader.at("address").integer<uint64_t>();
  segment.size = reader.at("size").integer<uint64_t>();
  return segment;
}

Json range_json(const Machine& machine, const MemoryRange& range) {
  return {{"memory", get(machine, range.memory).name}, {"first", range.first}, {"bytes", range.bytes}};
}

MemoryRange range_of(const Machine& machine, const JsonReader& reader) {
  reader.only({"memory", "first", "bytes"});
  const std::string name = reader.at("memory").string();
  const std::optional<MemoryId> memory = find_memory(machine, name);
  if (!memory) reader.at("memory").refuse("the machine has no such memory", name);
  return {*memory, reader.at("first").integer<uint64_t>(), reader.at("bytes").integer<uint64_t>()};
}

}  // namespace

Json state_json(const std::vector<StateTensor>& state) {
  Json json = Json::array();
  for (const StateTensor& pair : state) json.push_back({{"output", pair.output}, {"input", pair.input}});
  return json;
}

std::vector<StateTensor> state_of(const JsonReader& reader) {
  std::vector<StateTensor> state;
  for (const JsonReader& entry : reader.elements()) {
    entry.only({"output", "input"});
    state.push_back({entry.at("output").string(), entry.at("input").string()});
  }
  return state;
}

Json header_json(const Program& program, const std::vector<Section>& sections) {
  Json json{{"machine", machine_json(program.machine)},
            {"model", program.model},
            {"entry", program.entry},
            {"memory_bytes", program.memory_bytes},
            {"segments", Json::array()},
            {"inputs", Json::array()},
            {"outputs", Json::array()},
            {"blocks", Json::array()},
            {"host_start", section_json(sections[program.segments.size()])},
            {"host_end", section_json(sections[program.segments.size() + 1])}};
  for (const MemoryRange& range : program.ranges) json["ranges"].push_back(range_json(program.machine, range));
  for (size_t i = 0; i < program.segments.size(); ++i) {
    const Segment& segment = program.segments[i];
    json["segments"].push_back({{"name", segment.name},
                                {"kind", name_in(kSegmentKinds, segment.kind)},
                                {"address", segment.address},
                                {"size", segment.size},
                                {"bytes", sections[i].bytes},
                                {"crc32", sections[i].checksum}});
  }
  for (const TensorBinding& binding : program.inputs) json["inputs"].push_back(binding_json(binding));
  for (const TensorBinding& binding : program.outputs) json["outputs"].push_back(binding_json(binding));
  for (const Block& block : program.blocks) json["blocks"].push_back(block_json(block));
  if (!program.state.empty()) json["state"] = state_json(program.state);
  return json;
}

Header header_of(const JsonReader& reader) {
  reader.only({"machine", "model", "entry", "memory_bytes", "ranges", "segments", "inputs", "outputs", "blocks",
               "state", "host_start", "host_end"});
  Header header;
  const auto add_section = [&](const JsonReader& entry) { header.sections.push_back(section_of(entry)); };
  Program& program = header.program;
  program.machine = machine_of(reader.at("machine"));
  program.model = reader.at("model").string();
  program.entry = reader.at("entry").integer<uint64_t>();
  program.memory_bytes = reader.at("memory_bytes").integer<uint64_t>();
  if (reader.has("ranges")) {
    for (const JsonReader& entry : reader.at("ranges").elements()) {
      program.ranges.push_back(range_of(program.machine, entry));
    }
  }
  for (const JsonReader& entry : reader.at("segments").elements()) {
    program.segments.push_back(segment_of(entry));
    add_section(entry);
  }
  for (const char* part : {"host_start", "host_end"}) {
    reader.at(part).only({"bytes", "crc32"});
    add_section(reader.at(part));
  }
  for (const JsonReader& entry : reader.at("inputs").elements()) program.inputs.push_back(binding_of(entry));
  for (const JsonReader& entry : reader.at("outputs").elements()) program.outputs.push_back(binding_of(entry));
  for (const JsonReader& entry : reader.at("blocks").elements()) program.blocks.push_back(block_of(entry));
  if (reader.has("state")) program.state = state_of(reader.at("state"));
  return header;
}

}  // namespace covenant::acg
