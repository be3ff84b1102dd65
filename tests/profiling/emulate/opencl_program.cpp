// A host program that launches the kernels of opencl_kernels.cl, which it is given the path of. Each line that it
// prints is a name and what was found.
#include <CL/cl.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

namespace {

cl_device_id device;
cl_context context;
cl_command_queue queue;
cl_program program;
int last_error;

void say(const char *name, double value) { std::printf("%s %g\n", name, value); }

cl_program built(const std::string &source, const char *options, int *error) {
  const char *text = source.c_str();
  cl_program made = clCreateProgramWithSource(context, 1, &text, nullptr, nullptr);
  *error = clBuildProgram(made, 1, &device, options, nullptr, nullptr);
  return made;
}

std::string log_of(cl_program of) {
  std::size_t bytes = 0;
  clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string text(bytes, ' ');
  clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr);
  return text;
}

cl_kernel kernel(const char *name) { return clCreateKernel(program, name, &last_error); }

template <typename T>
cl_mem buffer(const std::vector<T> &values) {
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(T),
                        const_cast<T *>(values.data()), &last_error);
}

template <typename T>
std::vector<T> read(cl_mem memory, std::size_t count) {
  std::vector<T> values(count);
  last_error = clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr, nullptr);
  return values;
}

template <typename T>
void give(cl_kernel to, cl_uint at, const T &value) {
  last_error = clSetKernelArg(to, at, sizeof value, &value);
}

int launch(cl_kernel what, std::vector<std::size_t> global, std::vector<std::size_t> local,
           std::vector<std::size_t> offset = {}, cl_event *event = nullptr) {
  return clEnqueueNDRangeKernel(queue, what, cl_uint(global.size()), offset.empty() ? nullptr : offset.data(),
                                global.data(), local.empty() ? nullptr : local.data(), 0, nullptr, event);
}

void arithmetic() {
  const int n = 250;
  std::vector<float> single(256, 2);
  std::vector<double> twice(256, 3);
  cl_mem a = buffer(single), b = buffer(twice);
  cl_kernel k = kernel("arithmetic");
  give(k, 0, a);
  give(k, 1, b);
  give(k, 2, n);
  cl_event event;
  say("arithmetic.launch", launch(k, {256}, {64}, {}, &event));
  cl_ulong times[4];
  for (int i = 0; i < 4; i++) {
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], nullptr);
  }
  say("arithmetic.times", times[0] < times[1] && times[1] < times[2] && times[2] < times[3]);
  say("arithmetic.single", read<float>(a, 256)[249]);  // 2 * 2 + 3 * 4 + 3
  say("arithmetic.beyond", read<float>(a, 256)[250]);
  say("arithmetic.double", read<double>(b, 256)[0]);
  say("arithmetic.indivisible", launch(k, {250}, {64}));
  say("arithmetic.wide", launch(k, {4096}, {2048}));
}

void offsets() {
  cl_mem whole = buffer(std::vector<int>(1024, -1));
  cl_buffer_region region = {512 * sizeof(int), 256 * sizeof(int)};
  cl_mem part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &last_error);
  say("offsets.part", last_error);
  cl_kernel k = kernel("offsets");
  const int first = 10000;
  give(k, 0, part);
  give(k, 1, first);
  say("offsets.launch", launch(k, {64}, {32}, {3}));
  const auto values = read<int>(whole, 1024);
  say("offsets.before", values[512 + 2]);
  say("offsets.first", values[512 + 3]);   // offset 3, group 0, item 0
  say("offsets.last", values[512 + 66]);   // offset 3, group 1, item 31
  region = {8, 64};
  clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &last_error);
  say("offsets.misaligned", last_error);
}

void shape() {
  cl_mem out = buffer(std::vector<int>(12 * 6 * 4));
  cl_kernel k = kernel("shape");
  give(k, 0, out);
  say("shape.launch", launch(k, {12, 6, 4}, {4, 3, 2}));
  say("shape.three", read<int>(out, 288)[287]);
  say("shape.chosen", launch(k, {12, 6}, {}));
  say("shape.two", read<int>(out, 72)[71]);
}

void local_memory() {
  std::vector<int> values(256);
  std::iota(values.begin(), values.end(), 0);
  cl_mem in = buffer(values), out = buffer(std::vector<int>(4));
  cl_kernel k = kernel("sum");
  give(k, 0, in);
  give(k, 1, out);
  clSetKernelArg(k, 2, 64 * sizeof(int), nullptr);
  say("local.unset", launch(k, {256}, {64}));
  clSetKernelArg(k, 3, 64 * sizeof(int), nullptr);
  say("local.launch", launch(k, {256}, {64}));
  say("local.sum", read<int>(out, 4)[1]);  // 64 + ... + 127, + 3 + 7
  cl_ulong bytes = 0;
  clGetKernelWorkGroupInfo(k, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, nullptr);
  say("local.bytes", double(bytes));
  clSetKernelArg(k, 3, 1 << 20, nullptr);
  say("local.much", launch(k, {256}, {64}));
  cl_mem columns = buffer(std::vector<int>(32));
  cl_kernel conflicts = kernel("conflicts");
  clSetKernelArg(conflicts, 0, 32 * 32 * sizeof(int), nullptr);
  give(conflicts, 1, columns);
  launch(conflicts, {32}, {32});
  say("local.conflicts", read<int>(columns, 32)[0]);
}

void constants() {
  std::vector<float> few = {1, 2, 3, 4, 5, 6, 7, 8};
  cl_mem first = buffer(few), second = buffer(std::vector<float>{0.5f, 0.25f, 0.125f, 0.0625f});
  cl_mem out = buffer(std::vector<float>(32));
  cl_kernel k = kernel("constants");
  give(k, 0, first);
  give(k, 1, second);
  give(k, 2, out);
  say("constants.launch", launch(k, {32}, {32}));
  say("constants.seventh", read<float>(out, 32)[7]);  // 8 + 0.0625 + 1000
}

void atomics() {
  cl_mem counters = buffer(std::vector<int>(5));
  cl_kernel k = kernel("atomics");
  give(k, 0, counters);
  clSetKernelArg(k, 1, sizeof(int), nullptr);
  say("atomics.launch", launch(k, {256}, {64}));
  const auto found = read<int>(counters, 5);
  for (const int value : found) say("atomics.counter", value);
}

void vectors() {
  cl_mem in = buffer(std::vector<float>(128, 1)), out = buffer(std::vector<float>(128));
  cl_kernel k = kernel("vectors");
  give(k, 0, in);
  give(k, 1, out);
  launch(k, {32}, {32});
  say("vectors.last", read<float>(out, 128)[127]);
  cl_mem results = buffer(std::vector<float>(16));
  cl_mem eight = buffer(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  cl_kernel functions = kernel("functions");
  give(functions, 0, eight);
  give(functions, 1, results);
  launch(functions, {1}, {1});
  for (const float value : read<float>(results, 13)) say("functions", value);
}

void pictures() {
  const std::size_t width = 8, height = 4;
  std::vector<float> texels(width * height);
  std::iota(texels.begin(), texels.end(), 0.0f);
  const cl_image_format format = {CL_R, CL_FLOAT};
  cl_mem image = clCreateImage2D(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, width, height, 0,
                                 texels.data(), &last_error);
  say("pictures.image", last_error);
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &last_error);
  cl_mem out = buffer(std::vector<float>(width * height));
  cl_kernel k = kernel("pictures");
  const int columns = int(width);
  give(k, 0, image);
  give(k, 1, sampler);
  give(k, 2, out);
  give(k, 3, columns);
  say("pictures.launch", launch(k, {width, height}, {8, 4}));
  const auto found = read<float>(out, width * height);
  say("pictures.inside", found[9]);   // 9, and halfway between 9 and 10
  say("pictures.edge", found[15]);    // 15, and halfway between 15 and the border's 0
}

void questions() {
  char name[200] = {};
  cl_uint count = 0;
  std::size_t group = 0, demanded[3] = {};
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr);
  std::printf("device %s\n", name);
  say("device.cpu", clGetDeviceIDs(nullptr, CL_DEVICE_TYPE_CPU, 1, &device, &count));
  say("name.short", clGetDeviceInfo(device, CL_DEVICE_NAME, 3, name, nullptr));
  kernel("absent");
  say("kernel.absent", last_error);
  cl_kernel k = kernel("demanding");
  clGetKernelWorkGroupInfo(k, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof group, &group, nullptr);
  clGetKernelWorkGroupInfo(k, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof demanded, demanded, nullptr);
  say("demanding.most", double(group));
  say("demanding.compiled", double(demanded[0]));
  cl_mem out = buffer(std::vector<int>(128));
  give(k, 0, out);
  say("demanding.other", launch(k, {128}, {32}));
  say("demanding.chosen", launch(k, {128}, {}));
  say("demanding.result", read<int>(out, 128)[127]);
  say("argument.size", clSetKernelArg(k, 0, 4, &group));
  say("argument.index", clSetKernelArg(k, 1, 8, &out));
  say("pipe", clCreatePipe(context, 0, 4, 4, nullptr, &last_error) == nullptr);
}

void maps() {
  std::vector<int> own(64, 5);
  cl_mem used = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 64 * sizeof(int), own.data(), &last_error);
  const int pattern = 9;
  clEnqueueFillBuffer(queue, used, &pattern, sizeof pattern, 16 * sizeof(int), 16 * sizeof(int), 0, nullptr, nullptr);
  int *at = static_cast<int *>(clEnqueueMapBuffer(queue, used, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, 64 * sizeof(int),
                                                  0, nullptr, nullptr, &last_error));
  say("maps.own", at == own.data());
  say("maps.filled", at[20]);
  at[0] = 77;
  clEnqueueUnmapMemObject(queue, used, at, 0, nullptr, nullptr);
  say("maps.written", read<int>(used, 1)[0]);
  say("maps.twice", clEnqueueUnmapMemObject(queue, used, at, 0, nullptr, nullptr));
  cl_mem other = buffer(std::vector<int>(64));
  say("maps.copied", clEnqueueCopyBuffer(queue, used, other, 0, 4 * sizeof(int), 8, 0, nullptr, nullptr));
  say("maps.copy", read<int>(other, 8)[4]);
  say("maps.beyond", clEnqueueReadBuffer(queue, other, CL_TRUE, 60 * sizeof(int), 32, own.data(), 0, nullptr, nullptr));
}

void builds() {
  int error = 0;
  cl_program wrong = built("__kernel void k(__global int *p) { p[0] = missing; }\n", "", &error);
  say("build.wrong", error);
  say("build.told", log_of(wrong).find("use of undeclared identifier 'missing'") != std::string::npos);
  cl_program absent = built("__kernel void k(__global int *p) { printf(\"%d\", p[0]); }\n", "", &error);
  say("build.absent", error);
  std::printf("build.function %s\n", log_of(absent).c_str());
  built("__kernel void k(__global int *p) { p[0] = N; }\n", "-D N=4 -cl-mad-enable", &error);
  say("build.options", error);
  built("__kernel void k(__global int *p) { p[0] = 1; }\n", "-unheard-of", &error);
  say("build.unknown", error);
}

void outside() {
  cl_mem out = buffer(std::vector<int>(64));
  cl_kernel k = kernel("outside");
  const int n = 40;
  give(k, 0, out);
  give(k, 1, n);
  say("outside.launch", launch(k, {64}, {64}));
  say("outside.finish", clFinish(queue));
}

}  // namespace

int main(int, char **words) {
  cl_platform_id platform;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, nullptr);
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &last_error);
  queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &last_error);
  std::ifstream file(words[1]);
  int error = 0;
  program = built({std::istreambuf_iterator<char>(file), {}}, "", &error);
  say("build", error);
  if (error != CL_SUCCESS) std::printf("%s\n", log_of(program).c_str());
  arithmetic();
  offsets();
  shape();
  local_memory();
  constants();
  atomics();
  vectors();
  pictures();
  questions();
  maps();
  builds();
  outside();
}
