// What RAFT calls the qualifiers of device functions.
#pragma once
#ifndef DI
#define DI inline __device__
#endif
#ifndef HDI
#define HDI inline __host__ __device__
#endif
#ifndef HD
#define HD __host__ __device__
#endif
#ifndef _RAFT_HOST_DEVICE
#define _RAFT_HOST_DEVICE __host__ __device__
#endif
#ifndef _RAFT_DEVICE
#define _RAFT_DEVICE __device__
#endif
#ifndef _RAFT_HOST
#define _RAFT_HOST __host__
#endif
#ifndef _RAFT_FORCEINLINE
#define _RAFT_FORCEINLINE __forceinline__
#endif
#ifndef RAFT_INLINE_FUNCTION
#define RAFT_INLINE_FUNCTION __host__ __device__ __forceinline__
#endif
#ifndef RAFT_DEVICE_INLINE_FUNCTION
#define RAFT_DEVICE_INLINE_FUNCTION __device__ __forceinline__
#endif
#ifndef RAFT_KERNEL
#define RAFT_KERNEL static __global__ void
#endif
