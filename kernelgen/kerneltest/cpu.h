// What CUDA C needs to be compiled as C++ and run by one thread, for tests of what the translation means.
#include <math.h>
#include <string.h>

#define __device__
#define __global__
#define __shared__ static
#define SHARED_MEMORY(name, bytes) alignas(16) static unsigned char name[bytes]
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __syncthreads()

struct cpu_dim { unsigned x, y, z; };
static const cpu_dim blockDim = {1, 1, 1}, threadIdx = {0, 0, 0};
static cpu_dim blockIdx;

static inline unsigned long long __shfl_down_sync(unsigned, unsigned long long v, unsigned) { return v; }

template <typename To, typename From> static inline To cpu_bits(From v) {
    To to;
    static_assert(sizeof to == sizeof v, "");
    memcpy(&to, &v, sizeof to);
    return to;
}
static inline float __int_as_float(int v) { return cpu_bits<float>(v); }
static inline int __float_as_int(float v) { return cpu_bits<int>(v); }
static inline double __longlong_as_double(long long v) { return cpu_bits<double>(v); }
static inline long long __double_as_longlong(double v) { return cpu_bits<long long>(v); }
static inline float __fsqrt_rn(float v) { return sqrtf(v); }
static inline double __dsqrt_rn(double v) { return sqrt(v); }

template <typename T> static inline void atomicAdd(T *p, T v) { *p += v; }
template <typename T> static inline void atomicMin(T *p, T v) { *p = v < *p ? v : *p; }
template <typename T> static inline void atomicMax(T *p, T v) { *p = v > *p ? v : *p; }
template <typename T> static inline T atomicCAS(T *p, T old, T v) {
    T is = *p;
    if (is == old) *p = v;
    return is;
}

