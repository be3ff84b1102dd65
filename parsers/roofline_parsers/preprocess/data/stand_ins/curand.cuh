// Random numbers of cuRAND in kernels: Marsaglia's xorwow and Philox 4x32-10, as cuRAND's guide names them.
#pragma once
struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    int boxmuller_flag;
    int boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// What a step of 4^k subsequences does to the state, a matrix of bits for each k.
static __device__ unsigned int roofline_xorwow_matrices[32][800];

__device__ inline unsigned int curand(curandStateXORWOW *s) {
    unsigned int t = s->v[0] ^ (s->v[0] >> 2);
    s->v[0] = s->v[1];
    s->v[1] = s->v[2];
    s->v[2] = s->v[3];
    s->v[3] = s->v[4];
    s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
    s->d += 362437;
    return s->v[4] + s->d;
}

__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *s) {
    unsigned int x = (unsigned int)seed ^ 0xaad26b49u;
    unsigned int y = (unsigned int)(seed >> 32) ^ 0xf7dcefddu;
    unsigned int t0 = 1099087573u * x;
    unsigned int t1 = 2591861531u * y;
    unsigned int v[5];
    v[0] = 123456789u + t0;
    v[1] = 362436069u ^ t0;
    v[2] = 521288629u + t1;
    v[3] = 88675123u ^ t1;
    v[4] = 5783321u + t0;
    // Two bits of the subsequence at a time: the state is multiplied by a matrix as often as they say.
    for (int digit = 0; digit < 16; ++digit) {
        unsigned int times = (unsigned int)(subsequence >> (2 * digit)) & 3u;
        for (unsigned int again = 0; again < 3; ++again) {
            if (again >= times) continue;
            unsigned int r[5] = {0, 0, 0, 0, 0};
            for (int bit = 0; bit < 32; ++bit) {
                #pragma unroll
                for (int i = 0; i < 5; ++i) {
                    if (v[i] & (1u << bit)) {
                        #pragma unroll
                        for (int k = 0; k < 5; ++k) r[k] ^= roofline_xorwow_matrices[digit][5 * (i * 32 + bit) + k];
                    }
                }
            }
            #pragma unroll
            for (int k = 0; k < 5; ++k) v[k] = r[k];
        }
    }
    #pragma unroll
    for (int k = 0; k < 5; ++k) s->v[k] = v[k];
    s->d = 6615241u + t1 + t0 + (unsigned int)offset * 362437u;
    s->boxmuller_flag = 0;
    s->boxmuller_flag_double = 0;
}

__device__ inline uint4 roofline_philox(uint4 c, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        unsigned int high0 = __umulhi(0xD2511F53u, c.x), low0 = 0xD2511F53u * c.x;
        unsigned int high1 = __umulhi(0xCD9E8D57u, c.z), low1 = 0xCD9E8D57u * c.z;
        c = make_uint4(high1 ^ c.y ^ key.x, low1, high0 ^ c.w ^ key.y, low0);
        key.x += 0x9E3779B9u;
        key.y += 0xBB67AE85u;
    }
    return c;
}
__device__ inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10 *s) {
    s->ctr = make_uint4((unsigned int)(offset / 4), (unsigned int)(offset >> 34), (unsigned int)subsequence, (unsigned int)(subsequence >> 32));
    s->key.x = (unsigned int)seed;
    s->key.y = (unsigned int)(seed >> 32);
    s->STATE = (unsigned int)offset & 3u;
    s->boxmuller_flag = 0;
    s->boxmuller_flag_double = 0;
    s->output = roofline_philox(s->ctr, s->key);
}
__device__ inline uint4 curand4(curandStatePhilox4_32_10 *s) {
    uint4 r = s->output;
    s->ctr.x += 1;
    s->output = roofline_philox(s->ctr, s->key);
    return r;
}
__device__ inline unsigned int curand(curandStatePhilox4_32_10 *s) {
    unsigned int at = s->STATE;
    unsigned int r = at == 0 ? s->output.x : at == 1 ? s->output.y : at == 2 ? s->output.z : s->output.w;
    s->STATE = at + 1;
    if (s->STATE == 4) {
        s->STATE = 0;
        s->ctr.x += 1;
        s->output = roofline_philox(s->ctr, s->key);
    }
    return r;
}

__device__ inline float roofline_uniform(unsigned int x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ inline double roofline_uniform_double(unsigned int x, unsigned int y) {
    unsigned long long z = (unsigned long long)x ^ ((unsigned long long)y << 21);
    return z * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
__device__ inline float2 roofline_box_muller(unsigned int x, unsigned int y) {
    float u = x * 2.3283064e-10f + 1.1641532e-10f;
    float v = y * 1.46291807e-9f + 7.3145904e-10f;
    float s = sqrtf(-2.0f * logf(u));
    float2 r;
    __sincosf(v, &r.x, &r.y);
    r.x *= s;
    r.y *= s;
    return r;
}
template <class S> __device__ inline float curand_uniform(S *s) { return roofline_uniform(curand(s)); }
template <class S> __device__ inline double curand_uniform_double(S *s) { return roofline_uniform_double(curand(s), curand(s)); }
template <class S> __device__ inline float2 curand_normal2(S *s) { return roofline_box_muller(curand(s), curand(s)); }
template <class S> __device__ inline float curand_normal(S *s) {
    if (s->boxmuller_flag != 1) {
        float2 v = roofline_box_muller(curand(s), curand(s));
        s->boxmuller_extra = v.y;
        s->boxmuller_flag = 1;
        return v.x;
    }
    s->boxmuller_flag = 0;
    return s->boxmuller_extra;
}
template <class S> __device__ inline float curand_log_normal(S *s, float mean, float stddev) { return expf(mean + stddev * curand_normal(s)); }
template <class S> __device__ inline double curand_normal_double(S *s) {
    if (s->boxmuller_flag_double != 1) {
        double u = roofline_uniform_double(curand(s), curand(s));
        double v = roofline_uniform_double(curand(s), curand(s)) * 2.0;
        double a, b;
        double root = sqrt(-2.0 * log(u));
        sincospi(v, &a, &b);
        s->boxmuller_extra_double = b * root;
        s->boxmuller_flag_double = 1;
        return a * root;
    }
    s->boxmuller_flag_double = 0;
    return s->boxmuller_extra_double;
}
__device__ inline float4 curand_uniform4(curandStatePhilox4_32_10 *s) {
    uint4 x = curand4(s);
    return make_float4(roofline_uniform(x.x), roofline_uniform(x.y), roofline_uniform(x.z), roofline_uniform(x.w));
}
__device__ inline float4 curand_normal4(curandStatePhilox4_32_10 *s) {
    uint4 x = curand4(s);
    float2 a = roofline_box_muller(x.x, x.y), b = roofline_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
