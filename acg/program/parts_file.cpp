#include "acg/program/parts_file.h"

#include <utility>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/program/program_file.h"
#include "acg/program/program_header.h"

namespace covenant::acg {
namespace {

constexpr FileForm kForm{kPartsMagic, kPartsFileVersion};

Json tensor_json(const PartTensor& tensor) { return {{"part", tensor.part}, {"tensor", tensor.tensor}}; }

PartTensor tensor_of(const JsonReader& reader) {
  reader.only({"part", "tensor"});
  return {reader.at("part").integer<size_t>(), reader.at("tensor").string()};
}

Json whole_json(const std::vector<WholeTensor>& tensors) {
  Json json = Json::array();
  for (const WholeTensor& whole : tensors) json.push_back({{"name", whole.name}, {"of", tensor_json(whole.tensor)}});
  return json;
}

std::vector<WholeTensor> whole_of(const JsonReader& reader) {
  std::vector<WholeTensor> tensors;
  for (const JsonReader& entry : reader.elements()) {
    entry.only({"name", "of"});
    tensors.push_back({entry.at("name").string(), tensor_of(entry.at("of"))});
  }
  return tensors;
}

/// `sections`: of the parts, then of the host's start and end.
Json header_json(const ProgramParts& parts, const std::vector<Section>& sections) {
  Json json{{"model", parts.model},
            {"parts", Json::array()},
            {"links", Json::array()},
            {"inputs", whole_json(parts.inputs)},
            {"outputs", whole_json(parts.outputs)},
            {"state", state_json(parts.state)},
            {"host_start", section_json(sections[parts.parts.size()])},
            {"host_end", section_json(sections[parts.parts.size() + 1])}};
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    Json entry = section_json(sections[i]);
    entry["name"] = parts.parts[i].name;
    json["parts"].push_back(std::move(entry));
  }
  for (const PartLink& link : parts.links) {
    json["links"].push_back({{"output", tensor_json(link.output)}, {"input", tensor_json(link.input)}});
  }
  return json;
}

/// Everything but the programs and the models of the host, whose sections are added to `sections`.
ProgramParts header_of(const JsonReader& reader, std::vector<Section>& sections) {
  reader.only({"model", "parts", "links", "inputs", "outputs", "state", "host_start", "host_end"});
  ProgramParts parts;
  parts.model = reader.at("model").string();
  for (const JsonReader& entry : reader.at("parts").elements()) {
    entry.only({"name", "bytes", "crc32"});
    sections.push_back(section_of(entry));
    parts.parts.push_back({entry.at("name").string(), {}});
  }
  for (const JsonReader& entry : reader.at("links").elements()) {
    entry.only({"output", "input"});
    parts.links.push_back({tensor_of(entry.at("output")), tensor_of(entry.at("input"))});
  }
  parts.inputs = whole_of(reader.at("inputs"));
  parts.outputs = whole_of(reader.at("outputs"));
  parts.state = state_of(reader.at("state"));
  for (const char* end : {"host_start", "host_end"}) {
    reader.at(end).only({"bytes", "crc32"});
    sections.push_back(section_of(reader.at(end)));
  }
  return parts;
}

Program program_in(Bytes bytes, std::string_view file_name) {
  Result<Program> program = read_program(bytes, file_name);
  if (!program) throw Failure{program.error()};
  return *std::move(program);
}

void assign(std::vector<uint8_t>& to, Bytes data) { to.assign(data.begin(), data.end()); }

ProgramParts read(Bytes bytes, std::string_view file_name) {
  if (begins_with(bytes, kProgramMagic)) {
    throw Failure{{"PRG0007",
                   {std::string(file_name), 0, 0},
                   "",
                   "one program, where a program of several parts is wanted",
                   "",
                   {},
                   "load it with covenant.Program.load"}};
  }
  SectionReader reader(kForm, bytes, file_name);
  std::vector<Section> sections;
  ProgramParts parts = header_of(reader.header(), sections);
  for (size_t i = 0; i < parts.parts.size(); ++i) {
    Part& part = parts.parts[i];
    part.program = program_in(reader.next(sections[i], "part " + part.name), file_name);
  }
  assign(parts.host_start, reader.next(sections[parts.parts.size()], "what the host computes first"));
  assign(parts.host_end, reader.next(sections[parts.parts.size() + 1], "what the host computes last"));
  reader.expect_end();
  if (const Status fit = check_parts(parts, file_name); !fit) throw Failure{fit.error()};
  return parts;
}

}  // namespace

bool is_parts_file(std::span<const uint8_t> bytes) { return begins_with(bytes, kPartsMagic); }

std::vector<uint8_t> write_parts(const ProgramParts& parts) {
  check(static_cast<bool>(check_parts(parts)), "parts that are written fit each other");
  std::vector<std::vector<uint8_t>> programs;
  for (const Part& part : parts.parts) programs.push_back(write_program(part.program));
  std::vector<Bytes> data(programs.begin(), programs.end());
  data.insert(data.end(), {parts.host_start, parts.host_end});
  std::vector<Section> sections;
  for (const Bytes one : data) sections.push_back(section_of(one));
  return write_sections(kForm, header_json(parts, sections), data);
}

Result<ProgramParts> read_parts(std::span<const uint8_t> bytes, std::string_view file_name) {
  return guarded<ProgramParts>([&] { return read(bytes, file_name); });
}

}  // namespace covenant::acg
