// Programs: OpenCL C, compiled by the tool when the host builds it, and binaries that a build has made.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <sstream>

#include "opencl.h"

namespace emu {
namespace {

const char MARK[] = "roofline-lsp OpenCL program\n";  // a binary begins so; then the folder of what was compiled

std::string quoted(const std::string &text) {
  std::string out = "'";
  for (char mark : text) out += mark == '\'' ? std::string("'\\''") : std::string(1, mark);
  return out + "'";
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string own_path() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, std::size_t(size)) : "";
}

// What a command prints.
std::string printed(const std::string &line) {
  FILE *pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return "missing\ncannot run " + line;
  std::string said;
  char part[4096];
  while (const std::size_t count = std::fread(part, 1, sizeof part, pipe)) said.append(part, count);
  pclose(pipe);
  return said;
}

std::string compiled(const std::string &source, const std::string &options) {
  const Configuration &given = configuration();
  if (given.opencl_compiler.empty()) return "missing\nOpenCL programs are emulated by --profile --emulate only\n";
  char path[] = "/tmp/roofline-opencl-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return "missing\ncannot write to /tmp\n";
  std::ofstream(path, std::ios::binary) << source;
  close(file);
  const std::string line = given.opencl_compiler + " " + quoted(path) + " " + quoted(options) + " " +
                           quoted(own_path()) + " " + quoted(given.cache);
  const std::string said = printed(line);
  std::remove(path);
  return said;
}

std::vector<std::string> parts_of(const std::string &line) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    parts.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::vector<KernelInfo> read_kernels(const std::string &text) {
  std::vector<KernelInfo> kernels;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const auto parts = parts_of(line);
    if (parts[0] == "kernel" && parts.size() == 5) {
      kernels.emplace_back();
      kernels.back().name = parts[1];
      for (u32 n = 0; n < 3; n++) kernels.back().required[n] = u32(std::stoul(parts[2 + n]));
    } else if (parts[0] == "argument" && parts.size() == 6 && !kernels.empty()) {
      kernels.back().arguments.push_back({u32(std::stoul(parts[1])), parts[2], parts[3], parts[4], parts[5]});
    }
  }
  return kernels;
}

void load(cl_program program, const std::string &folder) {
  const std::string image = contents(folder + "/program.cubin");
  if (image.empty()) throw std::runtime_error(folder + ": the compiled program is gone");
  program->module = load_module(reinterpret_cast<const u8 *>(image.data()));
  program->kernels = read_kernels(contents(folder + "/kernels"));
  program->binary = MARK + folder;
  program->status = CL_BUILD_SUCCESS;
}

cl_int fail(cl_program program, cl_int code) {
  program->status = CL_BUILD_ERROR;
  return code;
}

cl_int build(cl_program program, const std::string &options) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  program->options = options;
  program->log.clear();
  if (program->source.empty()) {  // made of a binary
    load(program, program->binary.substr(sizeof MARK - 1));
    return CL_SUCCESS;
  }
  const std::string said = compiled(program->source, options);
  const std::size_t line = std::min(said.find('\n'), said.size());
  const std::string told = said.substr(0, line);
  program->log = line < said.size() ? said.substr(line + 1) : "";
  if (told.rfind("built ", 0) == 0) {
    load(program, told.substr(6));
    return CL_SUCCESS;
  }
  if (told == "options") return fail(program, CL_INVALID_BUILD_OPTIONS);
  if (told != "failed") tell("clBuildProgram: " + (program->log.empty() ? said : program->log));
  return fail(program, CL_BUILD_PROGRAM_FAILURE);
}

}  // namespace
}  // namespace emu

using emu::Kind;

OPENCL cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char **texts,
                                            const std::size_t *lengths, cl_int *error) {
  const auto fail = [&](cl_int code) { return emu::with_error<_cl_program>(error, code); };
  if (!emu::is_live(context, Kind::context)) return fail(CL_INVALID_CONTEXT);
  if (count == 0 || texts == nullptr) return fail(CL_INVALID_VALUE);
  std::string source;
  for (cl_uint n = 0; n < count; n++) {
    if (texts[n] == nullptr) return fail(CL_INVALID_VALUE);
    const std::size_t bytes = lengths != nullptr && lengths[n] != 0 ? lengths[n] : std::strlen(texts[n]);
    source.append(texts[n], strnlen(texts[n], bytes));
  }
  auto *program = new _cl_program;
  program->context = emu::hold(context);
  program->source = source.empty() ? "\n" : source;
  return emu::with_error(error, CL_SUCCESS, program);
}

OPENCL cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id *devices,
                                            const std::size_t *lengths, const unsigned char **binaries,
                                            cl_int *statuses, cl_int *error) {
  const auto fail = [&](cl_int code) { return emu::with_error<_cl_program>(error, code); };
  if (!emu::is_live(context, Kind::context)) return fail(CL_INVALID_CONTEXT);
  if (count == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr) return fail(CL_INVALID_VALUE);
  const std::string binary(reinterpret_cast<const char *>(binaries[0]), lengths[0]);
  const bool known = binary.rfind(emu::MARK, 0) == 0;
  if (statuses != nullptr) statuses[0] = known ? CL_SUCCESS : CL_INVALID_BINARY;
  if (!known) {
    emu::not_emulated("a program's binary that another OpenCL has made");
    return fail(CL_INVALID_BINARY);
  }
  auto *program = new _cl_program;
  program->context = emu::hold(context);
  program->binary = binary;
  return emu::with_error(error, CL_SUCCESS, program);
}

OPENCL cl_int clBuildProgram(cl_program program, cl_uint, const cl_device_id *, const char *options,
                             void(CL_CALLBACK *call)(cl_program, void *), void *data) {
  if (!emu::is_live(program, Kind::program)) return CL_INVALID_PROGRAM;
  cl_int code;
  try {
    code = emu::build(program, options == nullptr ? "" : options);
  } catch (const std::exception &problem) {
    emu::tell(std::string("clBuildProgram: ") + problem.what());
    program->log += problem.what();
    code = emu::fail(program, CL_BUILD_PROGRAM_FAILURE);
  }
  if (call != nullptr) call(program, data);
  return code;
}

OPENCL cl_int clRetainProgram(cl_program program) { return emu::retain(program, Kind::program, CL_INVALID_PROGRAM); }
OPENCL cl_int clReleaseProgram(cl_program program) { return emu::release(program, Kind::program, CL_INVALID_PROGRAM); }

OPENCL cl_int clGetProgramInfo(cl_program program, cl_program_info name, std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(program, Kind::program)) return CL_INVALID_PROGRAM;
  switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: return emu::answer_value(program->references.load(), room, to, size);
    case CL_PROGRAM_CONTEXT: return emu::answer_value(program->context, room, to, size);
    case CL_PROGRAM_NUM_DEVICES: return emu::answer_value(cl_uint(1), room, to, size);
    case CL_PROGRAM_DEVICES: return emu::answer_value(emu::the_device(), room, to, size);
    case CL_PROGRAM_SOURCE: return emu::answer_text(program->source, room, to, size);
    case CL_PROGRAM_BINARY_SIZES: return emu::answer_value(program->binary.size(), room, to, size);
    case CL_PROGRAM_BINARIES: {
      auto **places = static_cast<unsigned char **>(to);
      if (places != nullptr && room < sizeof *places) return CL_INVALID_VALUE;
      if (places != nullptr && *places != nullptr) std::memcpy(*places, program->binary.data(), program->binary.size());
      if (size != nullptr) *size = sizeof *places;
      return CL_SUCCESS;
    }
    case CL_PROGRAM_NUM_KERNELS: return emu::answer_value(program->kernels.size(), room, to, size);
    case CL_PROGRAM_KERNEL_NAMES: {
      std::string names;
      for (const auto &kernel : program->kernels) names += (names.empty() ? "" : ";") + kernel.name;
      return emu::answer_text(names, room, to, size);
    }
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info name,
                                    std::size_t room, void *to, std::size_t *size) {
  if (!emu::is_live(program, Kind::program)) return CL_INVALID_PROGRAM;
  if (device != emu::the_device()) return CL_INVALID_DEVICE;
  switch (name) {
    case CL_PROGRAM_BUILD_STATUS: return emu::answer_value(program->status, room, to, size);
    case CL_PROGRAM_BUILD_OPTIONS: return emu::answer_text(program->options, room, to, size);
    case CL_PROGRAM_BUILD_LOG: return emu::answer_text(program->log, room, to, size);
    case CL_PROGRAM_BINARY_TYPE:
      return emu::answer_value(cl_program_binary_type(program->status == CL_BUILD_SUCCESS
                                                          ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                                          : CL_PROGRAM_BINARY_TYPE_NONE),
                               room, to, size);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: return emu::answer_value(std::size_t(0), room, to, size);
    default: return CL_INVALID_VALUE;
  }
}

OPENCL cl_int clUnloadPlatformCompiler(cl_platform_id) { return CL_SUCCESS; }
OPENCL cl_int clUnloadCompiler(void) { return CL_SUCCESS; }
