#include "acg/program/program_file.h"

#include <cmath>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/program/program_header.h"

namespace covenant::acg {
namespace {

constexpr FileForm kForm{kProgramMagic, kProgramFileVersion};

void assign(std::vector<uint8_t>& to, Bytes data) { to.assign(data.begin(), data.end()); }

Program read(Bytes bytes, std::string_view file_name) {
  if (begins_with(bytes, kPartsMagic)) {
    throw Failure{{"PRG0007",
                   {std::string(file_name), 0, 0},
                   "",
                   "a program of several parts, where one program is wanted",
                   "",
                   {},
                   "load it with covenant.ProgramParts.load, which has them as `parts`"}};
  }
  SectionReader reader(kForm, bytes, file_name);
  Header header = header_of(reader.header());
  Program& program = header.program;
  for (size_t i = 0; i < program.segments.size(); ++i) {
    Segment& segment = program.segments[i];
    assign(segment.data, reader.next(header.sections[i], "segment " + segment.name));
  }
  const Section* host = &header.sections[program.segments.size()];
  assign(program.host_start, reader.next(host[0], "what the host computes first"));
  assign(program.host_end, reader.next(host[1], "what the host computes last"));
  reader.expect_end();
  check_consistent(program, reader.where());
  return std::move(program);
}

}  // namespace

std::vector<uint8_t> write_program(const Program& program) {
  for (const std::vector<TensorBinding>* bindings : {&program.inputs, &program.outputs}) {
    for (const TensorBinding& binding : *bindings) {
      check(std::isfinite(binding.quantization.scale), "a scale that is not finite has no JSON form");
    }
  }
  std::vector<Bytes> data;
  for (const Segment& segment : program.segments) data.emplace_back(segment.data);
  data.insert(data.end(), {program.host_start, program.host_end});
  std::vector<Section> sections;
  for (const Bytes one : data) sections.push_back(section_of(one));
  return write_sections(kForm, header_json(program, sections), data);
}

Result<Program> read_program(std::span<const uint8_t> bytes, std::string_view file_name) {
  return guarded<Program>([&] { return read(bytes, file_name); });
}

}  // namespace covenant::acg
