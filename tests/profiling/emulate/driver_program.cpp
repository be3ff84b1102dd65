// A program of CUDA's driver interface: it loads a cubin, sets a variable, and launches a kernel.
// Each line that it prints is a name and what was found.
#include <cuda.h>

#include <cstdio>
#include <vector>

namespace {

void say(const char *name, CUresult result) {
  const char *text = nullptr;
  cuGetErrorName(result, &text);
  std::printf("%s %s\n", name, text);
}

void say(const char *name, double value) { std::printf("%s %g\n", name, value); }

}  // namespace

int main(int, char **words) {
  say("init", cuInit(0));
  int count = 0, threads = 0;
  unsigned version = 0;
  CUdevice device;
  CUcontext context, current;
  cuDeviceGetCount(&count);
  say("devices", count);
  say("device", cuDeviceGet(&device, 0));
  say("device.second", cuDeviceGet(&device, 1));
  cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
  say("warp", threads);
  say("context", cuDevicePrimaryCtxRetain(&context, 0));
  cuCtxSetCurrent(context);
  cuCtxGetCurrent(&current);
  say("context.same", current == context);

  CUmodule module;
  say("module.none", cuModuleLoad(&module, "absent.cubin"));
  say("module.text", cuModuleLoadData(&module, "//\n.version 8.0\n.target sm_86\n"));
  say("module", cuModuleLoad(&module, words[1]));
  CUfunction scale, none;
  say("function.none", cuModuleGetFunction(&none, module, "absent"));
  say("function", cuModuleGetFunction(&scale, module, "scale"));
  int registers = 0;
  cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale);
  say("registers", registers > 0);
  CUdeviceptr shift;
  std::size_t bytes = 0;
  say("global", cuModuleGetGlobal(&shift, &bytes, module, "shift"));
  say("global.bytes", double(bytes));
  cuMemsetD32(shift, 3, 1);

  int n = 1000;
  float by = 2;
  std::vector<float> values(n, 5);
  CUdeviceptr at;
  say("memory", cuMemAlloc(&at, n * sizeof(float)));
  say("memory.empty", cuMemAlloc(&shift, 0));
  cuMemcpyHtoD(at, values.data(), n * sizeof(float));
  CUstream stream;
  CUevent event;
  cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, CU_EVENT_DEFAULT);
  void *arguments[] = {&at, &by, &n};
  say("launch", cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  say("launch.wide", cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, stream, arguments, nullptr));
  cuEventRecord(event, stream);
  say("event", cuEventSynchronize(event));
  cuMemcpyDtoHAsync(values.data(), at, n * sizeof(float), stream);
  say("stream", cuStreamSynchronize(stream));
  say("first", values.front());
  say("last", values.back());
  say("free", cuMemFree(at));
  say("free.again", cuMemFree(at));
  say("event.destroyed", cuEventDestroy(event));
  say("absent", cuCtxGetApiVersion(context, &version));
  say("left", cuDevicePrimaryCtxRelease(0));
}
