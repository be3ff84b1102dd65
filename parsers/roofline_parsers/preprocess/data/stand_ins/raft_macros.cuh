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
