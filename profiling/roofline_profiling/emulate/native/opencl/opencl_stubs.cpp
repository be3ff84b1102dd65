// Every other name of OpenCL's interface, so that programs link: each says its name on stderr. Those that return an
// object return none, and set no error: what a program makes of that is its own. No header of OpenCL is included, as
// the functions' types are of no account here.
#include <string>

namespace emu {
int not_emulated(const std::string &what);  // opencl_object.cpp; cl_int is an int
}

// Returns CL_INVALID_OPERATION.
#define FUNCTION(name) \
  extern "C" __attribute__((visibility("default"))) int name() { return emu::not_emulated(#name); }
// Returns a null pointer.
#define OBJECT(name)                                                       \
  extern "C" __attribute__((visibility("default"))) void *name() {         \
    emu::not_emulated(#name);                                              \
    return nullptr;                                                        \
  }

OBJECT(clCreatePipe) OBJECT(clSVMAlloc) OBJECT(clCreateProgramWithIL) OBJECT(clCreateProgramWithBuiltInKernels)
OBJECT(clLinkProgram) OBJECT(clEnqueueMapImage) OBJECT(clCreateImageWithProperties) OBJECT(clGetExtensionFunctionAddress)
OBJECT(clGetExtensionFunctionAddressForPlatform) OBJECT(clCreateFromGLBuffer) OBJECT(clCreateFromGLTexture)
OBJECT(clCreateFromGLTexture2D) OBJECT(clCreateFromGLTexture3D) OBJECT(clCreateFromGLRenderbuffer)
OBJECT(clCreateEventFromGLsyncKHR)
FUNCTION(clSVMFree) FUNCTION(clCompileProgram) FUNCTION(clSetKernelArgSVMPointer) FUNCTION(clSetKernelExecInfo)
FUNCTION(clEnqueueNativeKernel) FUNCTION(clEnqueueSVMFree) FUNCTION(clEnqueueSVMMemcpy) FUNCTION(clEnqueueSVMMemFill)
FUNCTION(clEnqueueSVMMap) FUNCTION(clEnqueueSVMUnmap) FUNCTION(clEnqueueSVMMigrateMem) FUNCTION(clEnqueueCopyImage)
FUNCTION(clEnqueueFillImage) FUNCTION(clCreateSubDevices) FUNCTION(clGetPipeInfo) FUNCTION(clGetKernelSubGroupInfo)
FUNCTION(clGetDeviceAndHostTimer) FUNCTION(clGetHostTimer) FUNCTION(clSetProgramReleaseCallback)
FUNCTION(clSetProgramSpecializationConstant) FUNCTION(clSetContextDestructorCallback) FUNCTION(clEnqueueAcquireGLObjects)
FUNCTION(clEnqueueReleaseGLObjects) FUNCTION(clGetGLContextInfoKHR) FUNCTION(clGetGLObjectInfo)
FUNCTION(clGetGLTextureInfo)
