// A program that uses the runtime interface and says what it got, one line per check. No kernel has to compute
// anything: the executor that it runs on (runtime_executor.cpp) only writes each launch down.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

__device__ float table[4] = {1, 2, 3, 4};
__device__ float *pointer = table + 2;
__constant__ int constants[3];

struct Pair {
  double a;
  char b;
};

__global__ void kernel(float *out, int n, Pair pair, char last) { out[n] = pair.a * table[n & 3] + constants[0] + last + *pointer; }
template <int N>
__global__ void __launch_bounds__(128) bounded(int *out) {
  __shared__ int held[N];
  held[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = held[N - 1 - threadIdx.x];
}
extern __shared__ int dynamic[];
__global__ void large(int *out) { out[0] = dynamic[out[1]]; }

static void say(const char *name, long long value) { std::printf("%s=%lld\n", name, value), std::fflush(stdout); }
static void say(const char *name, cudaError_t error) { std::printf("%s=%s\n", name, cudaGetErrorName(error)), std::fflush(stdout); }

static void memory() {
  float *device = nullptr;
  say("malloc", cudaMalloc(&device, 64));
  float host[16];
  for (int i = 0; i < 16; i++) host[i] = float(i);
  say("copy.in", cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice));
  float back[16] = {};
  say("copy.out", cudaMemcpy(back, device, 64, cudaMemcpyDefault));
  say("copy.same", std::memcmp(host, back, 64) == 0);
  say("copy.beyond", cudaMemcpy(device, host, 65, cudaMemcpyHostToDevice));
  say("copy.last", cudaGetLastError());
  say("copy.cleared", cudaGetLastError());
  say("copy.no_device", cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice));
  say("set", cudaMemset(device, 0xff, 8));
  int words[3] = {};
  cudaMemcpy(words, device, 12, cudaMemcpyDeviceToHost);
  say("set.words", words[0] == -1 && words[1] == -1 && words[2] != -1);
  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, device + 3);
  say("pointer.device", attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device + 3);
  cudaPointerGetAttributes(&attributes, host);
  say("pointer.host", attributes.type == cudaMemoryTypeUnregistered);
  say("free", cudaFree(device));
  say("free.again", cudaFree(device));
  say("free.null", cudaFree(nullptr));
  size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  void *much = nullptr;
  say("malloc.much", cudaMalloc(&much, total + 1));
  say("malloc.null", much == nullptr);
  void *half = nullptr;
  cudaMalloc(&half, total / 2);
  size_t left = 0;
  cudaMemGetInfo(&left, &total);
  say("memory.used", (long long)(free - left) == (long long)(total / 2));
  cudaFree(half);
  cudaGetLastError();
}

static void rows() {
  unsigned char *device = nullptr;
  size_t pitch = 0;
  cudaMallocPitch(&device, &pitch, 10, 3);
  say("pitch", (long long)pitch);
  unsigned char host[30], back[30] = {};
  for (int i = 0; i < 30; i++) host[i] = (unsigned char)(i);
  say("rows.in", cudaMemcpy2D(device, pitch, host, 10, 10, 3, cudaMemcpyHostToDevice));
  say("rows.out", cudaMemcpy2D(back, 10, device, pitch, 10, 3, cudaMemcpyDeviceToHost));
  say("rows.same", std::memcmp(host, back, 30) == 0);
  say("rows.narrow", cudaMemcpy2D(device, 5, host, 10, 10, 3, cudaMemcpyHostToDevice));
  cudaMemset2D(device, pitch, 7, 2, 3);
  cudaMemcpy2D(back, 10, device, pitch, 10, 3, cudaMemcpyDeviceToHost);
  say("rows.set", back[11] == 7 && back[12] == 12 && back[20] == 7);
  cudaPitchedPtr cube;
  cudaMalloc3D(&cube, make_cudaExtent(8, 3, 2));
  std::vector<unsigned char> from(48), to(48);
  for (int i = 0; i < 48; i++) from[i] = (unsigned char)(i * 3);
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(from.data(), 8, 8, 3);
  p.dstPtr = cube;
  p.extent = make_cudaExtent(8, 3, 2);
  p.kind = cudaMemcpyHostToDevice;
  say("cube.in", cudaMemcpy3D(&p));
  p.srcPtr = cube;
  p.dstPtr = make_cudaPitchedPtr(to.data(), 8, 8, 3);
  p.kind = cudaMemcpyDeviceToHost;
  say("cube.out", cudaMemcpy3D(&p));
  say("cube.same", from == to);
  cudaGetLastError();
}

static void arrays() {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
  say("array", cudaMallocArray(&array, &format, 5, 3));
  float2 host[15], back[15] = {};
  for (int i = 0; i < 15; i++) host[i] = make_float2(float(i), float(-i));
  say("array.in", cudaMemcpy2DToArray(array, 0, 0, host, 40, 40, 3, cudaMemcpyHostToDevice));
  say("array.out", cudaMemcpy2DFromArray(back, 16, array, 8, 1, 16, 2, cudaMemcpyDeviceToHost));
  say("array.part", back[0].x == 6 && back[1].x == 7 && back[2].x == 11 && back[3].y == -12);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  say("texture", cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  say("texture.handle", texture != 0);
  say("texture.destroy", cudaDestroyTextureObject(texture));
  say("texture.again", cudaDestroyTextureObject(texture));
  say("array.free", cudaFreeArray(array));
  cudaGetLastError();
}

static void symbols() {
  const int host[3] = {5, 6, 7};
  int back[3] = {};
  say("symbol.in", cudaMemcpyToSymbol(constants, host, sizeof host));
  say("symbol.out", cudaMemcpyFromSymbol(back, constants, 8, 4));
  say("symbol.value", back[0] * 10 + back[1]);
  say("symbol.beyond", cudaMemcpyToSymbol(constants, host, 8, 8));
  size_t size = 0;
  cudaGetSymbolSize(&size, table);
  say("symbol.size", (long long)size);
  float values[4];
  cudaMemcpyFromSymbol(values, table, 16);
  say("symbol.initial", (long long)(values[0] + 10 * values[3]));
  float *at = nullptr, *held = nullptr;
  cudaGetSymbolAddress((void **)&at, table);
  cudaMemcpyFromSymbol(&held, pointer, sizeof held);
  say("symbol.pointer", held - at);
  say("symbol.unknown", cudaGetSymbolSize(&size, &size));
  cudaGetLastError();
}

static void launches() {
  int *out = nullptr;
  cudaMalloc(&out, 4096);
  kernel<<<dim3(2, 3), dim3(32, 2)>>>((float *)out, 7, Pair{1.5, 'x'}, 'y');
  say("launch", cudaGetLastError());
  bounded<128><<<1, 129>>>(out);
  say("launch.bound", cudaGetLastError());
  kernel<<<1, 2048>>>(nullptr, 0, Pair(), 'a');
  say("launch.block", cudaGetLastError());
  kernel<<<0, 32>>>(nullptr, 0, Pair(), 'a');
  say("launch.grid", cudaGetLastError());
  large<<<1, 32, 64 << 10>>>(out);
  say("launch.shared", cudaGetLastError());
  say("attribute", cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
  large<<<1, 32, 64 << 10>>>(out);
  say("launch.shared.set", cudaGetLastError());
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, bounded<128>);
  say("attributes.shared", (long long)attributes.sharedSizeBytes);
  say("attributes.threads", attributes.maxThreadsPerBlock);
  say("attributes.version", attributes.ptxVersion);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded<128>, 128, 0);
  say("occupancy", blocks);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, large, 64, 40 << 10);
  say("occupancy.shared", blocks);
  void *arguments[] = {&out};
  say("cooperative", cudaLaunchCooperativeKernel((const void *)bounded<128>, dim3(4), dim3(128), arguments));
  say("cooperative.large", cudaLaunchCooperativeKernel((const void *)bounded<128>, dim3(1 << 20), dim3(128), arguments));
  std::thread([&] { say("thread.error", cudaGetLastError()); }).join();
  say("cooperative.last", cudaGetLastError());
}

static void streams() {
  cudaStream_t stream, other;
  cudaEvent_t start, end;
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  float milliseconds = -1;
  say("event.unrecorded", cudaEventElapsedTime(&milliseconds, start, end));
  cudaEventRecord(start, stream);
  static int called = 0;
  cudaLaunchHostFunc(stream, [](void *data) { *(int *)data += 1; }, &called);
  cudaEventRecord(end, stream);
  say("event", cudaEventElapsedTime(&milliseconds, start, end));
  say("event.time", milliseconds >= 0 && milliseconds < 1000);
  say("host", called);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *device = nullptr;
  cudaMalloc(&device, 128);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(device, 1, 64, stream);
  cudaEventRecord(start, stream);
  cudaStreamWaitEvent(other, start, 0);
  bounded<32><<<1, 32, 0, other>>>(device);
  cudaEventRecord(end, other);
  cudaStreamWaitEvent(stream, end, 0);
  cudaLaunchHostFunc(stream, [](void *data) { *(int *)data += 10; }, &called);
  say("capture.quiet", called);
  say("capture.end", cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  say("capture.nodes", (long long)nodes);
  say("graph", cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphLaunch(exec, stream);
  say("graph.launch", cudaGraphLaunch(exec, stream));
  say("graph.called", called);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(start, stream);
  cudaStreamWaitEvent(other, start, 0);
  cudaMemsetAsync(device, 1, 64, other);
  say("capture.unjoined", cudaStreamEndCapture(stream, &graph));
  say("stream.destroy", cudaStreamDestroy(stream));
  say("stream.again", cudaStreamSynchronize(stream));
  cudaGetLastError();
}

static void nodes() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  int *device = nullptr;
  cudaMalloc(&device, 16);
  int back[4] = {};
  cudaGraphNode_t copy, set;
  cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, back, device, 16, cudaMemcpyDeviceToHost);
  cudaMemsetParams p = {};
  p.dst = device;
  p.elementSize = 4;
  p.width = 4;
  p.height = 1;
  p.value = 42;
  cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &p);
#if CUDART_VERSION >= 13000
  cudaGraphAddDependencies(graph, &set, &copy, nullptr, 1);
#else
  cudaGraphAddDependencies(graph, &set, &copy, 1);
#endif
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, 0);
  say("nodes.order", back[3]);
  p.value = 43;
  cudaGraphExecMemsetNodeSetParams(exec, set, &p);
  cudaGraphLaunch(exec, 0);
  say("nodes.changed", back[0]);
}

static void device() {
  cudaDeviceProp p;
  say("device", cudaGetDeviceProperties(&p, 0));
  say("device.sm", p.major * 10 + p.minor);
  say("device.multiprocessors", p.multiProcessorCount);
  say("device.optin", (long long)p.sharedMemPerBlockOptin);
  say("device.name", std::strcmp(p.name, "test device"));
  say("device.last_field", p.unifiedFunctionPointers);
  int clock = 0;
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  say("device.clock", clock);
  say("device.two", cudaSetDevice(1));
  cudaGetLastError();
}

static void failure() {
  kernel<<<666, 1>>>(nullptr, 0, Pair(), 'a');  // the executor says that this one reads beyond memory
  say("failed.sync", cudaDeviceSynchronize());
  void *at = nullptr;
  say("failed.malloc", cudaMalloc(&at, 4));
  cudaGetLastError();
  say("failed.stays", cudaGetLastError());
  say("failed.reset", cudaDeviceReset());
  say("failed.after", cudaMalloc(&at, 4));
  cudaIpcMemHandle_t handle;
  say("unsupported", cudaIpcGetMemHandle(&handle, at));
}

int main() {
  memory();
  rows();
  arrays();
  symbols();
  launches();
  streams();
  nodes();
  device();
  failure();
}
