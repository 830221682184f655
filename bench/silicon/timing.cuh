// timing.cuh - how the benchmarks beside it measure: SM clocks (clock64), the median of 9 repeats after 2 warm-ups, from
// a block's first warp's start to its last one's end; of several blocks, the one that took longest.
#pragma once
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t error_ = (call);                                                             \
        if (error_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error_));      \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

typedef long long ticks;

static ticks *times; // first and last clock of each warp
static unsigned *sink;
static const int REPEATS = 9, WARM_UPS = 2;

__device__ __forceinline__ ticks now()
{
    ticks t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

__device__ __forceinline__ void leave(ticks *out, ticks first, ticks last)
{
    if (threadIdx.x % 32 == 0) {
        ticks *at = out + ((ticks)blockIdx.x * 32 + threadIdx.x / 32) * 2;
        at[0] = first;
        at[1] = last;
    }
}

static double span(int warps, int blocks = 1)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<ticks> t(64 * blocks);
    CHECK(cudaMemcpy(t.data(), times, t.size() * sizeof t[0], cudaMemcpyDeviceToHost));
    ticks longest = 0;
    for (int b = 0; b < blocks; b++) {
        ticks first = t[64 * b], last = 0;
        for (int w = 0; w < warps; w++) {
            first = std::min(first, t[64 * b + 2 * w]);
            last = std::max(last, t[64 * b + 2 * w + 1]);
        }
        longest = std::max(longest, last - first);
    }
    return (double)longest;
}

template <class F> static double median(F run)
{
    std::vector<double> v;
    for (int i = 0; i < REPEATS + WARM_UPS; i++) {
        double x = run();
        if (i >= WARM_UPS)
            v.push_back(x);
    }
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

static void row(const char *group, const std::string &name, double parameter, double value, const char *unit)
{
    printf("%s,\"%s\",%g,%.4g,%s\n", group, name.c_str(), parameter, value, unit);
    fflush(stdout);
}

/* Room for times and results, and `bytes` of zeros for the program; says which card it is. Returns its SMs. */
static int card_begin(unsigned **data, size_t bytes, const char *heading)
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaMalloc(&times, 1 << 20));
    CHECK(cudaMalloc(&sink, 1 << 20));
    CHECK(cudaMalloc(data, bytes));
    CHECK(cudaMemset(*data, 0, bytes));
    fprintf(stderr, "%s, %d SMs\n", properties.name, properties.multiProcessorCount);
    printf("%s\n", heading);
    return properties.multiProcessorCount;
}
