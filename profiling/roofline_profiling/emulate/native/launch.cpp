// A launch from its request to its record.
#include <time.h>
#include <cstdio>
#include <string>
#include "kernel.h"

namespace emu {

namespace {

std::string json_text(const std::string &text) {
  std::string out = "\"";
  for (char mark : text) {
    if (mark == '"' || mark == '\\') out += '\\';
    if ((unsigned char)mark < 32) {
      out += ' ';
      continue;
    }
    out += mark;
  }
  return out + "\"";
}

std::string numbers(std::initializer_list<u64> values) {
  std::string out = "[";
  for (u64 value : values) out += (out.size() > 1 ? "," : "") + std::to_string(value);
  return out + "]";
}

template <typename T, typename Show>
std::string listed(const std::vector<T> &values, Show show) {
  std::string out = "[";
  for (const T &value : values) out += (out.size() > 1 ? "," : "") + show(value);
  return out + "]";
}

void field(std::string &out, const char *name, const std::string &value) {
  out += (out.size() > 1 ? ",\"" : "\"") + std::string(name) + "\":" + value;
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

std::string traffic_text(const Counts &counts) {
  if (!counts.has_traffic) return "null";
  const Traffic &t = counts.traffic;
  std::string out = "{";
  field(out, "l1_sectors", std::to_string(t.l1_sectors));
  field(out, "l1_hits", std::to_string(t.l1_hits));
  field(out, "l2_sectors", std::to_string(t.l2_sectors));
  field(out, "l2_hits", std::to_string(t.l2_hits));
  field(out, "dram_read_bytes", std::to_string(t.dram_read_bytes));
  field(out, "dram_write_bytes", std::to_string(t.dram_write_bytes));
  field(out, "dirty_bytes", std::to_string(t.dirty_bytes));
  field(out, "bus_bytes", std::to_string(t.bus_bytes));
  return out + "}";
}

// The program and its arguments, as a JSON list.
const std::string &command_line() {
  static const std::string line = [] {
    std::string words, out = "[";
    if (FILE *file = std::fopen("/proc/self/cmdline", "rb")) {
      char part[4096];
      while (size_t count = std::fread(part, 1, sizeof part, file)) words.append(part, count);
      std::fclose(file);
    }
    for (size_t at = 0; at < words.size();) {
      const std::string word = words.c_str() + at;
      out += (at ? "," : "") + json_text(word);
      at += word.size() + 1;
    }
    return out + "]";
  }();
  return line;
}

void write_record(const Kernel &kernel, const LaunchRequest &request, u64 launch, const Counts *counts,
                  const std::string &error, const std::string &warning, double seconds) {
  if (configuration().output.empty()) return;
  const Attributes &has = kernel.image->attributes;
  std::string out = "{";
  field(out, "kernel", json_text(kernel.image->name));
  field(out, "code", json_text(kernel.code ? kernel.code->metadata : ""));
  field(out, "gpu", json_text(configuration().device_name));
  field(out, "grid", numbers({request.grid.x, request.grid.y, request.grid.z}));
  field(out, "block", numbers({request.block.x, request.block.y, request.block.z}));
  field(out, "dynamic_shared_bytes", std::to_string(request.dynamic_shared_bytes));
  field(out, "registers", std::to_string(has.registers));
  field(out, "static_shared_bytes", std::to_string(has.shared_bytes));
  field(out, "local_bytes", std::to_string(has.local_bytes));
  field(out, "launch", std::to_string(launch));
  field(out, "invocation", std::to_string(kernel.invocations - 1));
  field(out, "blocks_run", std::to_string(counts ? counts->blocks_run : 0));
  const Counts none;
  const Counts &shown = counts ? *counts : none;
  field(out, "block_counts", listed(shown.blocks, [](const BlockCount &c) { return numbers({c.warps, c.threads}); }));
  field(out, "predicated", listed(shown.predicated, [](u64 c) { return std::to_string(c); }));
  field(out, "sites", listed(shown.sites, [](const SiteCount &c) {
          return numbers({c.requests, c.threads, c.sectors, c.wavefronts, c.ideal});
        }));
  field(out, "traffic", counts ? traffic_text(*counts) : "null");
  field(out, "cpu_s", std::to_string(seconds));
  field(out, "command", command_line());
  field(out, "error", json_text(error));
  if (!warning.empty()) field(out, "warning", json_text(warning));
  out += "}\n";
  if (FILE *file = std::fopen(configuration().output.c_str(), "a")) {
    std::fwrite(out.data(), 1, out.size(), file);
    std::fclose(file);
  }
}

// Whether the person asked for this launch to be counted.
bool wanted(const Kernel &kernel) {
  const Configuration &given = configuration();
  if (given.launches_per_kernel && kernel.invocations > given.launches_per_kernel) return false;
  return given.kernel_filter.empty() || kernel.image->name.find(given.kernel_filter) != std::string::npos;
}

}  // namespace

std::string run_launch(const LaunchRequest &request) {
  static u64 launches = 0;
  Kernel &kernel = *request.kernel;
  const u64 launch = launches++;
  kernel.invocations++;
  const u64 alike = ++kernel.shapes[{request.grid.x, request.grid.y, request.grid.z, request.block.x,
                                     request.block.y, request.block.z}];
  const u64 skip_after = configuration().skip_after;
  if (skip_after && alike > skip_after) return "";
  std::string error;
  try {
    Run run(kernel, request);
    const double start = processor_seconds();
    try {
      run.all_blocks();
      if (run.out_of_time) error = "stopped at the time limit";
    } catch (const Fault &fault) {
      error = fault.what() + run.place(fault);
    }
    FirstOutside &outside = first_outside();
    std::string warning;
    if (!outside.what.empty()) warning = outside.what + run.place(Fault("", outside.at, outside.lane));
    outside = FirstOutside();
    if (wanted(kernel) || !error.empty())
      write_record(kernel, request, launch, &run.counts(), error, warning, processor_seconds() - start);
    if (run.out_of_time) error.clear();
  } catch (const std::runtime_error &problem) {
    error = problem.what();
    write_record(kernel, request, launch, nullptr, error, "", 0);
  }
  return error.empty() ? "" : "kernel " + kernel.image->name + ": " + error;
}

}  // namespace emu
