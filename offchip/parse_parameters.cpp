#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

#include "acg/base/byte_order_mark.h"
#include "acg/base/json_reader.h"
#include "acg/base/named_value.h"
#include "offchip/parameters.h"

namespace covenant::offchip {
namespace {

constexpr std::string_view kFix = "change the file; docs/reference/memory-models.md has its form";
constexpr uint64_t kMaxClocks = 1'000'000'000;  // sums of a few of them, in picoseconds, fit 64 bits

constexpr std::array<acg::NamedValue<Policy>, 2> kPolicies{{{Policy::kFcfs, "fcfs"}, {Policy::kFrFcfs, "fr_fcfs"}}};
constexpr std::array<acg::NamedValue<Field>, 5> kFields{{{Field::kRow, "row"},
                                                         {Field::kBank, "bank"},
                                                         {Field::kGroup, "group"},
                                                         {Field::kColumn, "column"},
                                                         {Field::kChannel, "channel"}}};

/// A section whose entries are `{"value": ..., "source": ...}`; each source is a key of the file's `sources`.
class Section {
 public:
  Section(const JsonReader& reader, const std::vector<std::string>& sources) : reader_(reader), sources_(sources) {}

  bool has(const std::string& key) const { return reader_.has(key); }
  JsonReader value(const std::string& key) const {
    const JsonReader entry = reader_.at(key);
    entry.only({"value", "source"});
    const JsonReader source = entry.at("source");
    const std::string name = source.string();
    if (std::find(sources_.begin(), sources_.end(), name) == sources_.end())
      source.refuse("a source that `sources` does not have", name, sources_);
    return entry.at("value");
  }
  uint64_t number(const std::string& key, uint64_t least, uint64_t most) const {
    const JsonReader reader = value(key);
    const std::vector<std::string> allowed{fmt::format("{}..{}", least, most)};
    const auto number = reader.integer<uint64_t>(allowed);
    if (number < least || number > most)
      reader.refuse("expected a whole number in range", fmt::to_string(number), allowed);
    return number;
  }
  uint64_t clocks(const std::string& key) const { return number(key, 1, kMaxClocks); }
  uint64_t clocks_or(const std::string& key, uint64_t otherwise) const {
    return has(key) ? number(key, 0, kMaxClocks) : otherwise;
  }
  uint64_t power_of_two(const std::string& key, uint64_t least, uint64_t most) const {
    const uint64_t count = number(key, least, most);
    if (!std::has_single_bit(count))
      value(key).refuse("expected a power of two", fmt::to_string(count), {fmt::format("{}..{}", least, most)});
    return count;
  }

 private:
  JsonReader reader_;
  const std::vector<std::string>& sources_;
};

std::array<Field, 5> order_of(const JsonReader& reader) {
  const std::string text = reader.string();
  std::array<Field, 5> order{};
  std::vector<Field> found;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(':', start), text.size());
    const std::optional<Field> field = acg::value_in(kFields, std::string_view(text).substr(start, end - start));
    if (!field || std::find(found.begin(), found.end(), *field) != found.end()) break;
    found.push_back(*field);
    start = end + 1;
  }
  const bool is_whole = found.size() == order.size() && std::count(text.begin(), text.end(), ':') == 4;
  if (!is_whole) reader.refuse("a mapping names each field once, the highest first", text, acg::names_in(kFields));
  std::copy(found.begin(), found.end(), order.begin());
  return order;
}

Organization organization_of(const Section& section, const JsonReader& controller, uint64_t burst_length) {
  Organization result;
  result.channels = section.power_of_two("channels", 1, 64);
  result.groups = section.power_of_two("bank_groups", 1, 64);
  result.banks = section.power_of_two("banks_per_group", 1, 64);
  result.rows = section.power_of_two("rows", 1, uint64_t{1} << 24);
  result.columns = section.power_of_two("columns", burst_length, uint64_t{1} << 20) / burst_length;
  result.access_bytes = section.power_of_two("bus_bits", 8, 4096) / 8 * burst_length;
  result.order = order_of(controller.at("mapping"));
  result.bank_xor = controller.at("bank_xor").boolean();
  return result;
}

Timing timing_of(const Section& section, uint64_t burst_length) {
  Timing time;
  time.burst = burst_length / 2;
  time.cl = section.clocks("CL") + section.clocks_or("DQSCK", 0);
  time.cwl = section.clocks("CWL") + section.clocks_or("DQSS", 0);
  time.rcd_read = section.clocks("RCD");
  time.rcd_write = section.clocks_or("RCD_WR", time.rcd_read);
  time.rp = section.clocks("RP");
  time.rp_all = section.clocks_or("RP_all", time.rp);
  time.ras = section.clocks("RAS");
  time.rc = section.clocks("RC");
  time.rrd_short = section.clocks("RRD_S");
  time.rrd_long = section.clocks("RRD_L");
  time.faw = section.clocks("FAW");
  time.ccd_short = section.clocks("CCD_S");
  time.ccd_long = section.clocks("CCD_L");
  time.ccd_long_write = section.clocks_or("CCD_L_WR", time.ccd_long);
  time.wtr_short = section.clocks("WTR_S");
  time.wtr_long = section.clocks("WTR_L");
  const uint64_t read_end = time.cl + time.burst + section.clocks("turnaround");
  time.rtw = read_end > time.cwl ? read_end - time.cwl : 1;
  time.wr = section.clocks("WR");
  time.rtp = section.clocks("RTP");
  time.ppd = section.clocks_or("PPD", 1);
  time.refi = section.clocks("REFI");
  time.rfc = section.clocks("RFC");
  return time;
}

CommandClocks commands_of(const Section& section) {
  CommandClocks commands{section.number("activate", 1, 16), section.number("precharge", 1, 16),
                         section.number("column", 1, 16), section.number("refresh", 1, 16)};
  if (section.has("separate_columns")) commands.separate_columns = section.value("separate_columns").boolean();
  return commands;
}

Controller controller_of(const JsonReader& reader) {
  const JsonReader policy = reader.at("policy");
  const std::optional<Policy> found = acg::value_in(kPolicies, policy.string());
  if (!found) policy.refuse("unknown policy", policy.string(), acg::names_in(kPolicies));
  const auto bounded = [&](const std::string& key, uint64_t least, uint64_t most) {
    const JsonReader number = reader.at(key);
    const std::vector<std::string> allowed{fmt::format("{}..{}", least, most)};
    const auto value = number.integer<uint64_t>(allowed);
    if (value < least || value > most)
      number.refuse("expected a whole number in range", fmt::to_string(value), allowed);
    return value;
  };
  return {*found, bounded("queue", 1, 4096), bounded("cap", 1, 1'000'000), bounded("latency_ps", 0, 1'000'000'000)};
}

void check_keys(const JsonReader& root) {
  root.only({"about", "sources", "clock_ps", "organization", "timing", "commands", "controller"});
  root.at("organization")
      .only({"channels", "bank_groups", "banks_per_group", "rows", "columns", "bus_bits", "burst_length"});
  root.at("timing").only({"CL",    "CWL",   "DQSCK",      "DQSS",  "RCD", "RCD_WR", "RP",    "RP_all",
                          "RAS",   "RC",    "RRD_S",      "RRD_L", "FAW", "CCD_S",  "CCD_L", "CCD_L_WR",
                          "WTR_S", "WTR_L", "turnaround", "WR",    "RTP", "PPD",    "REFI",  "RFC"});
  root.at("commands").only({"activate", "precharge", "column", "refresh", "separate_columns"});
  root.at("controller").only({"policy", "queue", "cap", "mapping", "bank_xor", "latency_ps"});
}

/// Rules between figures, without which data would collide or a refresh never end.
void check_consistent(const Parameters& set, const JsonReader& root) {
  const Timing& time = set.timing;
  const auto refuse_if = [&](bool wrong, const std::string& key, const std::string& message, uint64_t value,
                             const std::string& allowed) {
    if (wrong) root.at("timing").at(key).refuse(message, fmt::to_string(value), {allowed}, "MEM0005");
  };
  refuse_if(time.ccd_short < time.burst, "CCD_S", "accesses would meet on the data bus", time.ccd_short,
            fmt::format("{} (half the burst length) or more", time.burst));
  refuse_if(time.ccd_long < time.ccd_short, "CCD_L", "within a bank group no time is shorter", time.ccd_long,
            fmt::format("{} (CCD_S) or more", time.ccd_short));
  refuse_if(time.rrd_long < time.rrd_short, "RRD_L", "within a bank group no time is shorter", time.rrd_long,
            fmt::format("{} (RRD_S) or more", time.rrd_short));
  refuse_if(time.wtr_long < time.wtr_short, "WTR_L", "within a bank group no time is shorter", time.wtr_long,
            fmt::format("{} (WTR_S) or more", time.wtr_short));
  // Longest time of an access with the refresh before it.
  const uint64_t idle = time.rfc + time.rp_all + time.rp + time.rc + time.ras +
                        std::max(time.rcd_read, time.rcd_write) + time.cl + time.cwl + time.burst + time.wr +
                        time.wtr_long + time.rtp + 64;
  refuse_if(time.refi <= idle, "REFI", "refreshes would leave no time for an access", time.refi,
            fmt::format("more than {}", idle));
}

Parameters read(const JsonReader& root, const std::string& file_name) {
  check_keys(root);
  std::vector<std::string> sources;
  Parameters set;
  set.about = root.at("about").string();
  for (const auto& [key, text] : root.at("sources").members()) {
    set.sources[key] = text.string();
    sources.push_back(key);
  }
  const Section organization(root.at("organization"), sources);
  const uint64_t burst_length = organization.power_of_two("burst_length", 2, 64);
  set.name = file_name;
  set.clock_ps = Section(root, sources).number("clock_ps", 1, 1'000'000);
  set.organization = organization_of(organization, root.at("controller"), burst_length);
  set.timing = timing_of(Section(root.at("timing"), sources), burst_length);
  set.commands = commands_of(Section(root.at("commands"), sources));
  set.controller = controller_of(root.at("controller"));
  check_consistent(set, root);
  return set;
}

}  // namespace

Result<Parameters> parse_parameters(std::string_view text, const std::string& file_name) {
  const Json json = Json::parse(without_byte_order_mark(text), nullptr, false);
  if (json.is_discarded()) {
    return Diagnostic{"MEM0003", {file_name, 0, 0}, "", "the parameters of a memory are no JSON", "",
                      {},        std::string(kFix)};
  }
  return guarded<Parameters>(
      [&] { return read(JsonReader(json, "MEM0004", file_name, std::string(kFix)), file_name); });
}

}  // namespace covenant::offchip
