// memory.cu - what the memory of a real GPU does, measured, when all of its SMs use it at once: stores, atomics and loads
// whose lanes go to different sectors, words that many add to, and loads beside stores.
//
//     nvcc -O3 -arch=native -o memory memory.cu && ./memory > memory.csv
//
// Prints CSV: group,name,parameter,value,unit; timing.cuh says how.
#include "timing.cuh"

static const int ROUNDS = 64;
static const size_t WORDS = (size_t)1 << 28; // 1 GiB

__device__ __forceinline__ unsigned next_random(unsigned x)
{
    return x * 1664525u + 1013904223u;
}

// ---- Stores and atomics: each warp goes through memory of its own, `stride` words from lane to lane ----

enum kind { STORE, ADD, ADD_RETURNED };

template <int KIND> __global__ void writes(ticks *out, unsigned *kept, unsigned *data, int stride, unsigned mask)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, sum = 0;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 4
    for (int n = 0; n < ROUNDS; n++) {
        unsigned *at = &data[(lane * stride + (warp * ROUNDS + n) * 32 * stride) & mask];
        if (KIND == STORE) *at = n;
        if (KIND == ADD) atomicAdd(at, 1u);
        if (KIND == ADD_RETURNED) sum ^= atomicAdd(at, 1u);
    }
    __threadfence();
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
    if (sum == 4242424242u) kept[0] = sum;
}

template <int KIND> static void writes_rows(const char *name, unsigned *data, int sms)
{
    for (int blocks : { 1, sms })
        for (int warps : { 8, 32 })
            for (int stride : { 1, 2, 4, 8, 16, 32 }) {
                double t = median([=] {
                    writes<KIND><<<blocks, 32 * warps>>>(times, sink, data, stride, (1 << 22) - 1);
                    return span(warps, blocks);
                });
                row("writes", std::string(name) + ", " + std::to_string(blocks) + " SMs, " + std::to_string(warps) + " warps, stride in words",
                    stride, t / ROUNDS / warps, "cycles/warp-instruction of an SM");
            }
}

// ---- Additions to a few words: random ones, as in a histogram ----

__global__ void bins(ticks *out, unsigned *data, unsigned count, unsigned apart)
{
    unsigned x = next_random(next_random(blockIdx.x * blockDim.x + threadIdx.x));
    __syncthreads();
    ticks t0 = now();
#pragma unroll 4
    for (int n = 0; n < ROUNDS; n++) {
        x = next_random(x);
        atomicAdd(&data[(x >> 8) % count * apart], 1u);
    }
    __threadfence();
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

static void bins_rows(unsigned *data, int sms)
{
    for (int blocks : { 1, sms })
        for (unsigned apart : { 1u, 8u, 32u, 1024u })
            for (unsigned count : { 1u, 8u, 32u, 256u, 4096u }) {
                double t = median([=] {
                    bins<<<blocks, 256>>>(times, data, count, apart);
                    return span(8, blocks);
                });
                row("bins", std::string("add to one of n words, ") + std::to_string(apart) + " words apart, " + std::to_string(blocks) + " SMs", count, t / ROUNDS / 8,
                    "cycles/warp-instruction of an SM");
            }
}

// ---- Loads: each lane takes `words` words in a row from a random place ----

__global__ void gather(ticks *out, unsigned *kept, const unsigned *data, unsigned together, unsigned mask)
{
    unsigned x = next_random((blockIdx.x * blockDim.x + threadIdx.x) / together * 2654435761u), sum = 0;
    unsigned within = threadIdx.x % together * 8;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 4
    for (int n = 0; n < ROUNDS; n++) {
        unsigned value;
        x = next_random(x);
        const unsigned *at = &data[((x >> 4 & mask) & ~(together * 8 - 1)) + within];
        asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value) : "l"(at));
        sum ^= value;
    }
    if (sum == 4242424242u) kept[0] = sum;
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

static void gather_rows(const unsigned *data, int sms)
{
    for (int far = 0; far < 2; far++)
        for (int blocks : { 1, sms })
            for (int warps : { 8, 32 })
                for (unsigned together : { 1u, 2u, 4u, 8u }) {
                    double t = median([=] {
                        gather<<<blocks, 32 * warps>>>(times, sink, data, together, far ? (1u << 28) - 1 : (1u << 22) - 1);
                        return span(warps, blocks);
                    });
                    row("gather", std::string(far ? "DRAM, " : "L2, ") + std::to_string(blocks) + " SMs, " + std::to_string(warps) + " warps, sectors in a row",
                        together, t / ROUNDS / warps, "cycles/warp-load of an SM, 32 sectors");
                }
}

// ---- Two SMs: which of them share a way to the L2 ----

__global__ void two_sms(ticks *out, unsigned *data, unsigned one, unsigned other)
{
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    __syncthreads();
    ticks t0 = now();
    if (sm == one || sm == other) {
#pragma unroll 4
        for (int n = 0; n < ROUNDS; n++) data[((lane + (warp * ROUNDS + n) * 32) * 8) & ((1 << 22) - 1)] = n;
        __threadfence();
    }
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

static void two_sms_rows(unsigned *data, int sms)
{
    for (unsigned other : { 0u, 1u, 2u, 3u, 16u, 64u }) {
        double t = median([=] {
            two_sms<<<sms, 1024>>>(times, data, 0, other);
            return span(32, sms);
        });
        row("two SMs", "stores of 32 sectors, SM 0 and SM n", other, t / ROUNDS / 32, "cycles/warp-instruction of an SM");
    }
}

// ---- Loads beside a store ----

__global__ void beside(ticks *out, unsigned *kept, unsigned *data, int stride, int loads)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    unsigned *own = data + (1 << 20);
    for (int i = 0; i < 4096; i += 1024) sum += own[threadIdx.x + i];
    __syncthreads();
    ticks t0 = now();
#pragma unroll 1
    for (int n = 0; n < ROUNDS; n++) {
        if (stride) data[(lane * stride + (warp * ROUNDS + n) * 1024) & 0xfffff] = n;
#pragma unroll 8
        for (int i = 0; i < loads; i++) {
            unsigned value;
            asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(value) : "l"(own + ((threadIdx.x + 32 * (n + i)) & 4095)));
            sum ^= value;
        }
    }
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
    kept[threadIdx.x] = sum;
}

static void beside_rows(unsigned *data)
{
    for (int stride : { 0, 1, 8 })
        for (int loads : { 0, 8, 16, 32, 64 }) {
            double t = median([=] {
                beside<<<1, 1024>>>(times, sink, data, stride, loads);
                return span(32);
            });
            row("beside", "loads found in the L1 beside a store of stride " + std::to_string(stride), loads, t / ROUNDS / 32, "cycles/round of a warp");
        }
}

int main()
{
    unsigned *data;
    int sms = card_begin(&data, WORDS * sizeof *data, "group,name,parameter,value,unit");
    writes_rows<STORE>("store", data, sms);
    writes_rows<ADD>("add", data, sms);
    writes_rows<ADD_RETURNED>("add with its result", data, sms);
    bins_rows(data, sms);
    gather_rows(data, sms);
    two_sms_rows(data, sms);
    beside_rows(data);
    return 0;
}
