// Kernels for the tests of launches.

typedef long long int64;

template <typename T> struct Slice {
    T *data;
    int64 len, cap;
};

struct Arrays {
    Slice<double> x, y;
    double factor;
};

// axpy adds factor·x to y, with arguments laid out as in Go: a struct that holds slices.
extern "C" __global__ void axpy(int64 lo, int64 hi, const __grid_constant__ Arrays a) {
    const int64 i = lo + int64(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < hi) a.y.data[i] = a.y.data[i] + a.factor * a.x.data[i];
}

// number writes 100·j + i to element (i, j) of a grid of 10 columns.
extern "C" __global__ void number(int64 lo_i, int64 hi_i, int64 lo_j, int64 hi_j, Slice<int> out) {
    const int64 i = lo_i + int64(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64 j = lo_j + int64(blockIdx.y) * blockDim.y + threadIdx.y;
    if (i < hi_i && j < hi_j) out.data[10 * j + i] = int(100 * j + i);
}

extern "C" __global__ void nothing(int64 lo, int64 hi) {}

// stray writes to address 8, which is not mapped.
extern "C" __global__ void stray(int64 lo, int64 hi) { *(volatile int *)8 = 1; }
