// HIP for programs that are emulated: each of its names is CUDA's, as HIP's own headers for NVIDIA's platform have it.
// Those need an older CUDA; here is what programs use of them.
#pragma once
#include <cuda_runtime.h>
#include <cstring>

#ifndef __HIP_PLATFORM_NVIDIA__
#define __HIP_PLATFORM_NVIDIA__ 1
#endif
#define __HIP_PLATFORM_NVCC__ 1
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION 60000000

// Types
#define hipDeviceProp_t cudaDeviceProp
#define hipPointerAttribute_t cudaPointerAttributes
#define hipDeviceAttribute_t cudaDeviceAttr
#define hipLimit_t cudaLimit
#define hipFuncCache_t cudaFuncCache
#define hipSharedMemConfig cudaSharedMemConfig
#define hipMemcpyKind cudaMemcpyKind
#define hipFuncAttribute cudaFuncAttribute
#define hipMemoryAdvise cudaMemoryAdvise
#define hipTextureAddressMode cudaTextureAddressMode
#define hipTextureFilterMode cudaTextureFilterMode
#define hipTextureReadMode cudaTextureReadMode
#define hipError_t cudaError_t
#define hipEvent_t cudaEvent_t
#define hipStream_t cudaStream_t
#define hipArray_t cudaArray_t
#define hipArray_const_t cudaArray_const_t
#define hipPitchedPtr cudaPitchedPtr
#define hipExtent cudaExtent
#define hipPos cudaPos
#define hipMemcpy3DParms cudaMemcpy3DParms
#define hipChannelFormatDesc cudaChannelFormatDesc
#define hipChannelFormatKind cudaChannelFormatKind
#define hipTextureObject_t cudaTextureObject_t
#define hipSurfaceObject_t cudaSurfaceObject_t
#define hipResourceDesc cudaResourceDesc
#define hipTextureDesc cudaTextureDesc
#define hipResourceViewDesc cudaResourceViewDesc
#define hipFuncAttributes cudaFuncAttributes
#define hipGraph_t cudaGraph_t
#define hipGraphExec_t cudaGraphExec_t
#define hipGraphNode_t cudaGraphNode_t
#define hipGraphNodeType cudaGraphNodeType
#define hipStreamCaptureMode cudaStreamCaptureMode
#define hipStreamCaptureStatus cudaStreamCaptureStatus
#define hipMemPool_t cudaMemPool_t
#define hipPointerAttributes cudaPointerAttributes
#define hipHostFn_t cudaHostFn_t
#define hipKernelNodeParams cudaKernelNodeParams
#define hipMemsetParams cudaMemsetParams
#define hipStreamCallback_t cudaStreamCallback_t

// Constants
#define hipSuccess cudaSuccess
#define hipErrorInvalidValue cudaErrorInvalidValue
#define hipErrorInitializationError cudaErrorInitializationError
#define hipErrorInvalidConfiguration cudaErrorInvalidConfiguration
#define hipErrorInvalidDevice cudaErrorInvalidDevice
#define hipErrorInvalidDevicePointer cudaErrorInvalidDevicePointer
#define hipErrorInvalidMemcpyDirection cudaErrorInvalidMemcpyDirection
#define hipErrorInvalidResourceHandle cudaErrorInvalidResourceHandle
#define hipErrorLaunchFailure cudaErrorLaunchFailure
#define hipErrorLaunchOutOfResources cudaErrorLaunchOutOfResources
#define hipErrorNoDevice cudaErrorNoDevice
#define hipErrorNotReady cudaErrorNotReady
#define hipErrorNotSupported cudaErrorNotSupported
#define hipErrorPeerAccessAlreadyEnabled cudaErrorPeerAccessAlreadyEnabled
#define hipErrorUnknown cudaErrorUnknown
#define hipErrorHostMemoryAlreadyRegistered cudaErrorHostMemoryAlreadyRegistered
#define hipErrorStreamCaptureUnsupported cudaErrorStreamCaptureUnsupported
#define hipMemcpyHostToHost cudaMemcpyHostToHost
#define hipMemcpyHostToDevice cudaMemcpyHostToDevice
#define hipMemcpyDeviceToHost cudaMemcpyDeviceToHost
#define hipMemcpyDeviceToDevice cudaMemcpyDeviceToDevice
#define hipMemcpyDefault cudaMemcpyDefault
#define hipStreamDefault cudaStreamDefault
#define hipStreamNonBlocking cudaStreamNonBlocking
#define hipStreamPerThread cudaStreamPerThread
#define hipEventDefault cudaEventDefault
#define hipEventBlockingSync cudaEventBlockingSync
#define hipEventDisableTiming cudaEventDisableTiming
#define hipEventInterprocess cudaEventInterprocess
#define hipHostRegisterDefault cudaHostRegisterDefault
#define hipHostRegisterPortable cudaHostRegisterPortable
#define hipHostRegisterMapped cudaHostRegisterMapped
#define hipMemAttachGlobal cudaMemAttachGlobal
#define hipMemAttachHost cudaMemAttachHost
#define hipMemAttachSingle cudaMemAttachSingle
#define hipCpuDeviceId cudaCpuDeviceId
#define hipLimitStackSize cudaLimitStackSize
#define hipLimitPrintfFifoSize cudaLimitPrintfFifoSize
#define hipLimitMallocHeapSize cudaLimitMallocHeapSize
#define hipFuncCachePreferNone cudaFuncCachePreferNone
#define hipFuncCachePreferShared cudaFuncCachePreferShared
#define hipFuncCachePreferL1 cudaFuncCachePreferL1
#define hipFuncCachePreferEqual cudaFuncCachePreferEqual
#define hipSharedMemBankSizeDefault cudaSharedMemBankSizeDefault
#define hipSharedMemBankSizeFourByte cudaSharedMemBankSizeFourByte
#define hipSharedMemBankSizeEightByte cudaSharedMemBankSizeEightByte
#define hipChannelFormatKindSigned cudaChannelFormatKindSigned
#define hipChannelFormatKindUnsigned cudaChannelFormatKindUnsigned
#define hipChannelFormatKindFloat cudaChannelFormatKindFloat
#define hipChannelFormatKindNone cudaChannelFormatKindNone
#define hipResourceTypeArray cudaResourceTypeArray
#define hipResourceTypeMipmappedArray cudaResourceTypeMipmappedArray
#define hipResourceTypeLinear cudaResourceTypeLinear
#define hipResourceTypePitch2D cudaResourceTypePitch2D
#define hipAddressModeWrap cudaAddressModeWrap
#define hipAddressModeClamp cudaAddressModeClamp
#define hipAddressModeMirror cudaAddressModeMirror
#define hipAddressModeBorder cudaAddressModeBorder
#define hipFilterModePoint cudaFilterModePoint
#define hipFilterModeLinear cudaFilterModeLinear
#define hipReadModeElementType cudaReadModeElementType
#define hipReadModeNormalizedFloat cudaReadModeNormalizedFloat
#define hipArrayDefault cudaArrayDefault
#define hipArrayLayered cudaArrayLayered
#define hipArraySurfaceLoadStore cudaArraySurfaceLoadStore
#define hipArrayCubemap cudaArrayCubemap
#define hipStreamCaptureModeGlobal cudaStreamCaptureModeGlobal
#define hipStreamCaptureModeThreadLocal cudaStreamCaptureModeThreadLocal
#define hipStreamCaptureModeRelaxed cudaStreamCaptureModeRelaxed
#define hipStreamCaptureStatusNone cudaStreamCaptureStatusNone
#define hipStreamCaptureStatusActive cudaStreamCaptureStatusActive
#define hipMemAdviseSetReadMostly cudaMemAdviseSetReadMostly
#define hipMemAdviseUnsetReadMostly cudaMemAdviseUnsetReadMostly
#define hipMemAdviseSetPreferredLocation cudaMemAdviseSetPreferredLocation
#define hipMemAdviseUnsetPreferredLocation cudaMemAdviseUnsetPreferredLocation
#define hipMemAdviseSetAccessedBy cudaMemAdviseSetAccessedBy
#define hipMemAdviseUnsetAccessedBy cudaMemAdviseUnsetAccessedBy
#define hipMemPoolAttrReleaseThreshold cudaMemPoolAttrReleaseThreshold
#define hipDeviceScheduleAuto cudaDeviceScheduleAuto
#define hipDeviceScheduleSpin cudaDeviceScheduleSpin
#define hipDeviceScheduleYield cudaDeviceScheduleYield
#define hipDeviceScheduleBlockingSync cudaDeviceScheduleBlockingSync
#define hipDeviceMapHost cudaDeviceMapHost
#define hipDeviceLmemResizeToMax cudaDeviceLmemResizeToMax
#define hipComputeModeDefault cudaComputeModeDefault
#define hipComputeModeProhibited cudaComputeModeProhibited
#define hipMemoryTypeHost cudaMemoryTypeHost
#define hipMemoryTypeDevice cudaMemoryTypeDevice
#define hipMemoryTypeManaged cudaMemoryTypeManaged
#define hipMemoryTypeUnregistered cudaMemoryTypeUnregistered
#define hipErrorOutOfMemory cudaErrorMemoryAllocation
#define hipErrorInvalidHandle cudaErrorInvalidResourceHandle
#define hipHostMallocDefault cudaHostAllocDefault
#define hipHostMallocPortable cudaHostAllocPortable
#define hipHostMallocMapped cudaHostAllocMapped
#define hipHostMallocWriteCombined cudaHostAllocWriteCombined
#define hipHostMallocCoherent cudaHostAllocDefault
#define hipHostMallocNonCoherent cudaHostAllocDefault
#define hipHostMallocNumaUser cudaHostAllocDefault
#define hipHostAllocDefault cudaHostAllocDefault
#define hipHostAllocPortable cudaHostAllocPortable
#define hipHostAllocMapped cudaHostAllocMapped
#define hipEventReleaseToDevice cudaEventDefault
#define hipEventReleaseToSystem cudaEventDefault
#define hipFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define hipFuncAttributePreferredSharedMemoryCarveout cudaFuncAttributePreferredSharedMemoryCarveout
#define hipDeviceAttributeWarpSize cudaDevAttrWarpSize
#define hipDeviceAttributeMultiprocessorCount cudaDevAttrMultiProcessorCount
#define hipDeviceAttributeMaxThreadsPerBlock cudaDevAttrMaxThreadsPerBlock
#define hipDeviceAttributeMaxBlockDimX cudaDevAttrMaxBlockDimX
#define hipDeviceAttributeMaxBlockDimY cudaDevAttrMaxBlockDimY
#define hipDeviceAttributeMaxBlockDimZ cudaDevAttrMaxBlockDimZ
#define hipDeviceAttributeMaxGridDimX cudaDevAttrMaxGridDimX
#define hipDeviceAttributeMaxGridDimY cudaDevAttrMaxGridDimY
#define hipDeviceAttributeMaxGridDimZ cudaDevAttrMaxGridDimZ
#define hipDeviceAttributeMaxSharedMemoryPerBlock cudaDevAttrMaxSharedMemoryPerBlock
#define hipDeviceAttributeSharedMemPerBlockOptin cudaDevAttrMaxSharedMemoryPerBlockOptin
#define hipDeviceAttributeMaxSharedMemoryPerMultiprocessor cudaDevAttrMaxSharedMemoryPerMultiprocessor
#define hipDeviceAttributeMaxRegistersPerBlock cudaDevAttrMaxRegistersPerBlock
#define hipDeviceAttributeMaxThreadsPerMultiProcessor cudaDevAttrMaxThreadsPerMultiProcessor
#define hipDeviceAttributeClockRate cudaDevAttrClockRate
#define hipDeviceAttributeMemoryClockRate cudaDevAttrMemoryClockRate
#define hipDeviceAttributeMemoryBusWidth cudaDevAttrGlobalMemoryBusWidth
#define hipDeviceAttributeL2CacheSize cudaDevAttrL2CacheSize
#define hipDeviceAttributeComputeCapabilityMajor cudaDevAttrComputeCapabilityMajor
#define hipDeviceAttributeComputeCapabilityMinor cudaDevAttrComputeCapabilityMinor
#define hipDeviceAttributeConcurrentKernels cudaDevAttrConcurrentKernels
#define hipDeviceAttributeConcurrentManagedAccess cudaDevAttrConcurrentManagedAccess
#define hipDeviceAttributeManagedMemory cudaDevAttrManagedMemory
#define hipDeviceAttributePageableMemoryAccess cudaDevAttrPageableMemoryAccess
#define hipDeviceAttributeCooperativeLaunch cudaDevAttrCooperativeLaunch
#define hipDeviceAttributeMemoryPoolsSupported cudaDevAttrMemoryPoolsSupported
#define hipDeviceAttributeUnifiedAddressing cudaDevAttrUnifiedAddressing
#define hipDeviceAttributeCanMapHostMemory cudaDevAttrCanMapHostMemory
#define hipDeviceAttributeTotalConstantMemory cudaDevAttrTotalConstantMemory
#define hipDeviceAttributeAsyncEngineCount cudaDevAttrAsyncEngineCount
#define hipDeviceAttributeIntegrated cudaDevAttrIntegrated

// Functions
#define hipMalloc cudaMalloc
#define hipFree cudaFree
#define hipMallocManaged cudaMallocManaged
#define hipMallocPitch cudaMallocPitch
#define hipMalloc3D cudaMalloc3D
#define hipMallocArray cudaMallocArray
#define hipMalloc3DArray cudaMalloc3DArray
#define hipFreeArray cudaFreeArray
#define hipMallocAsync cudaMallocAsync
#define hipFreeAsync cudaFreeAsync
#define hipMallocFromPoolAsync cudaMallocFromPoolAsync
#define hipHostAlloc cudaHostAlloc
#define hipHostRegister cudaHostRegister
#define hipHostUnregister cudaHostUnregister
#define hipHostGetDevicePointer cudaHostGetDevicePointer
#define hipHostGetFlags cudaHostGetFlags
#define hipMemcpy cudaMemcpy
#define hipMemcpyAsync cudaMemcpyAsync
#define hipMemcpy2D cudaMemcpy2D
#define hipMemcpy2DAsync cudaMemcpy2DAsync
#define hipMemcpy3D cudaMemcpy3D
#define hipMemcpy3DAsync cudaMemcpy3DAsync
#define hipMemcpyPeer cudaMemcpyPeer
#define hipMemcpyPeerAsync cudaMemcpyPeerAsync
#define hipMemcpyToSymbol cudaMemcpyToSymbol
#define hipMemcpyToSymbolAsync cudaMemcpyToSymbolAsync
#define hipMemcpyFromSymbol cudaMemcpyFromSymbol
#define hipMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync
#define hipMemcpy2DToArray cudaMemcpy2DToArray
#define hipMemcpy2DFromArray cudaMemcpy2DFromArray
#define hipMemcpyToArray cudaMemcpyToArray
#define hipMemset cudaMemset
#define hipMemsetAsync cudaMemsetAsync
#define hipMemset2D cudaMemset2D
#define hipMemset2DAsync cudaMemset2DAsync
#define hipMemset3D cudaMemset3D
#define hipMemGetInfo cudaMemGetInfo
#define hipGetSymbolAddress cudaGetSymbolAddress
#define hipGetSymbolSize cudaGetSymbolSize
#define hipPointerGetAttributes cudaPointerGetAttributes
#define hipDeviceSynchronize cudaDeviceSynchronize
#define hipDeviceReset cudaDeviceReset
#define hipDeviceGetAttribute cudaDeviceGetAttribute
#define hipGetDeviceProperties cudaGetDeviceProperties
#define hipGetDevice cudaGetDevice
#define hipGetDeviceCount cudaGetDeviceCount
#define hipSetDevice cudaSetDevice
#define hipSetDeviceFlags cudaSetDeviceFlags
#define hipChooseDevice cudaChooseDevice
#define hipDeviceGetLimit cudaDeviceGetLimit
#define hipDeviceSetLimit cudaDeviceSetLimit
#define hipDeviceSetCacheConfig cudaDeviceSetCacheConfig
#define hipDeviceGetCacheConfig cudaDeviceGetCacheConfig
#define hipDeviceSetSharedMemConfig cudaDeviceSetSharedMemConfig
#define hipDeviceCanAccessPeer cudaDeviceCanAccessPeer
#define hipDeviceEnablePeerAccess cudaDeviceEnablePeerAccess
#define hipDeviceDisablePeerAccess cudaDeviceDisablePeerAccess
#define hipDeviceGetStreamPriorityRange cudaDeviceGetStreamPriorityRange
#define hipDeviceGetPCIBusId cudaDeviceGetPCIBusId
#define hipDeviceGetDefaultMemPool cudaDeviceGetDefaultMemPool
#define hipMemPoolSetAttribute cudaMemPoolSetAttribute
#define hipMemPoolGetAttribute cudaMemPoolGetAttribute
#define hipMemPoolTrimTo cudaMemPoolTrimTo
#define hipDriverGetVersion cudaDriverGetVersion
#define hipRuntimeGetVersion cudaRuntimeGetVersion
#define hipGetLastError cudaGetLastError
#define hipPeekAtLastError cudaPeekAtLastError
#define hipGetErrorString cudaGetErrorString
#define hipGetErrorName cudaGetErrorName
#define hipStreamCreate cudaStreamCreate
#define hipStreamCreateWithFlags cudaStreamCreateWithFlags
#define hipStreamCreateWithPriority cudaStreamCreateWithPriority
#define hipStreamDestroy cudaStreamDestroy
#define hipStreamSynchronize cudaStreamSynchronize
#define hipStreamQuery cudaStreamQuery
#define hipStreamWaitEvent cudaStreamWaitEvent
#define hipStreamAddCallback cudaStreamAddCallback
#define hipStreamGetFlags cudaStreamGetFlags
#define hipStreamGetPriority cudaStreamGetPriority
#define hipStreamAttachMemAsync cudaStreamAttachMemAsync
#define hipStreamBeginCapture cudaStreamBeginCapture
#define hipStreamEndCapture cudaStreamEndCapture
#define hipStreamIsCapturing cudaStreamIsCapturing
#define hipLaunchHostFunc cudaLaunchHostFunc
#define hipEventCreate cudaEventCreate
#define hipEventCreateWithFlags cudaEventCreateWithFlags
#define hipEventDestroy cudaEventDestroy
#define hipEventRecord cudaEventRecord
#define hipEventSynchronize cudaEventSynchronize
#define hipEventQuery cudaEventQuery
#define hipEventElapsedTime cudaEventElapsedTime
#define hipFuncSetAttribute cudaFuncSetAttribute
#define hipFuncGetAttributes cudaFuncGetAttributes
#define hipFuncSetCacheConfig cudaFuncSetCacheConfig
#define hipFuncSetSharedMemConfig cudaFuncSetSharedMemConfig
#define hipLaunchKernel cudaLaunchKernel
#define hipLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define hipOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#define hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
#define hipOccupancyMaxPotentialBlockSize cudaOccupancyMaxPotentialBlockSize
#define hipCreateTextureObject cudaCreateTextureObject
#define hipDestroyTextureObject cudaDestroyTextureObject
#define hipCreateSurfaceObject cudaCreateSurfaceObject
#define hipDestroySurfaceObject cudaDestroySurfaceObject
#define hipCreateChannelDesc cudaCreateChannelDesc
#define hipGetChannelDesc cudaGetChannelDesc
#define hipGraphCreate cudaGraphCreate
#define hipGraphDestroy cudaGraphDestroy
#define hipGraphClone cudaGraphClone
#define hipGraphInstantiate cudaGraphInstantiate
#define hipGraphLaunch cudaGraphLaunch
#define hipGraphExecDestroy cudaGraphExecDestroy
#define hipGraphAddKernelNode cudaGraphAddKernelNode
#define hipGraphAddMemcpyNode cudaGraphAddMemcpyNode
#define hipGraphAddMemsetNode cudaGraphAddMemsetNode
#define hipGraphAddEmptyNode cudaGraphAddEmptyNode
#define hipGraphGetNodes cudaGraphGetNodes
#define make_hipExtent make_cudaExtent
#define make_hipPitchedPtr make_cudaPitchedPtr
#define make_hipPos make_cudaPos
#define hipHostFree cudaFreeHost
#define hipFreeHost cudaFreeHost
#define hipMemcpyWithStream cudaMemcpyAsync
#define HIP_SYMBOL(symbol) symbol
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \
  do { kernel<<<(grid), (block), (bytes), (stream)>>>(__VA_ARGS__); } while (0)
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z

inline cudaError_t hipHostMalloc(void **at, size_t bytes, unsigned flags = 0) { return cudaHostAlloc(at, bytes, flags); }
template <typename T>
cudaError_t hipHostMalloc(T **at, size_t bytes, unsigned flags = 0) {
  return cudaHostAlloc((void **)at, bytes, flags);
}
template <typename T>
cudaError_t hipMallocHost(T **at, size_t bytes) {
  return cudaMallocHost((void **)at, bytes);
}

#if CUDART_VERSION >= 13000
inline cudaMemLocation hip_location(int device) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}
inline cudaError_t hipMemPrefetchAsync(const void *at, size_t bytes, int device, cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(at, bytes, hip_location(device), 0, stream);
}
inline cudaError_t hipMemAdvise(const void *at, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(at, bytes, advice, hip_location(device));
}
#else
#define hipMemPrefetchAsync cudaMemPrefetchAsync
#define hipMemAdvise cudaMemAdvise
#endif

// Functions of a warp without a mask: all of its lanes take part, as on AMD's GPUs.
#define HIP_ALL_LANES 0xffffffffu
#ifndef ROOFLINE_REMOVED_NAMES
template <typename T>
__device__ inline T __shfl(T value, int lane, int width = 32) {
  return __shfl_sync(HIP_ALL_LANES, value, lane, width);
}
template <typename T>
__device__ inline T __shfl_up(T value, unsigned by, int width = 32) {
  return __shfl_up_sync(HIP_ALL_LANES, value, by, width);
}
template <typename T>
__device__ inline T __shfl_down(T value, unsigned by, int width = 32) {
  return __shfl_down_sync(HIP_ALL_LANES, value, by, width);
}
template <typename T>
__device__ inline T __shfl_xor(T value, int mask, int width = 32) {
  return __shfl_xor_sync(HIP_ALL_LANES, value, mask, width);
}
#endif
// CCCL has a class of the name __any, which the macro below must not see.
#if __has_include(<cuda/std/__functional/invoke.h>)
#include <cuda/std/__functional/invoke.h>
#endif
#undef __all
#undef __any
#undef __ballot
#define __all(predicate) __all_sync(HIP_ALL_LANES, predicate)
#define __any(predicate) __any_sync(HIP_ALL_LANES, predicate)
#define __ballot(predicate) ((unsigned long long)__ballot_sync(HIP_ALL_LANES, predicate))
template <typename T>
__device__ inline void unsafeAtomicAdd(T *at, T value) {
  atomicAdd(at, value);
}
