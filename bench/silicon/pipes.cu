// pipes.cu - what one SM of a real GPU does, measured, where a model of its pipelines needs to know more: operations
// whose results others wait for, what threads of a warp tell each other, sectors and stores, loads that are under way, loops
// of unequal length, blocks that follow blocks.
//
//     nvcc -O3 -arch=native -o pipes pipes.cu && ./pipes > pipes.csv
//
// Prints CSV: group,name,parameter,value,unit. Times are SM clocks (clock64), the median of 9 repeats after 2 warm-ups,
// from the first warp's start to the last one's end.
#include "timing.cuh"

static const int CHAIN = 512;

// ---- Operations that wait for each other ----

enum op {
    INT_ADD, INT_SHIFT, INT_LEAST, INT_MUL_HIGH, INT_MAD_WIDE, SELECT, POPCOUNT, COUNT_ZEROS, FP_LEAST, FP_MUL,
    FP64_ADD, FLOAT_TO_INT, INT_TO_FLOAT, FLOAT_TO_DOUBLE, SINE, BALLOT, ANY, MATCH, REDUCE_ADD, SHUFFLE_UP, ATOMIC_SHARED,
    ATOMIC_CAS, OPS
};

template <int OP> __global__ void chain(ticks *out, unsigned *kept, unsigned *memory, int k, float b)
{
    __shared__ unsigned local[32];
    unsigned u = k + threadIdx.x, lane = threadIdx.x % 32;
    float x = b;
    double d = b;
    unsigned long long wide = k;
    local[lane] = 0;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 32
    for (int n = 0; n < CHAIN; n++) {
        if (OP == INT_ADD) asm volatile("add.s32 %0, %0, %1;\n\txor.b32 %0, %0, %1;" : "+r"(u) : "r"(k));
        if (OP == INT_SHIFT) asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(u) : "r"(k));
        if (OP == INT_LEAST) asm volatile("min.u32 %0, %0, %1;" : "+r"(u) : "r"(k));
        if (OP == INT_MUL_HIGH) asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(u) : "r"(k));
        if (OP == INT_MAD_WIDE) asm volatile("{.reg .u32 l; cvt.u32.u64 l, %0; mad.wide.u32 %0, l, %1, %0;}" : "+l"(wide) : "r"(k));
        if (OP == SELECT) asm volatile("slct.u32.s32 %0, %0, %1, %0;" : "+r"(u) : "r"(k));
        if (OP == POPCOUNT) asm volatile("popc.b32 %0, %0;" : "+r"(u));
        if (OP == COUNT_ZEROS) asm volatile("clz.b32 %0, %0;" : "+r"(u));
        if (OP == FP_LEAST) asm volatile("min.f32 %0, %0, %1;" : "+f"(x) : "f"(b));
        if (OP == FP_MUL) asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(x) : "f"(b));
        if (OP == FP64_ADD) asm volatile("add.rn.f64 %0, %0, %1;" : "+d"(d) : "d"((double)b));
        if (OP == FLOAT_TO_INT) asm volatile("{.reg .s32 i; cvt.rzi.s32.f32 i, %0; mov.b32 %0, i;}" : "+f"(x));
        if (OP == INT_TO_FLOAT) asm volatile("{.reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f;}" : "+r"(u));
        if (OP == FLOAT_TO_DOUBLE) asm volatile("{.reg .f64 q; cvt.f64.f32 q, %0; cvt.rn.f32.f64 %0, q;}" : "+f"(x));
        if (OP == SINE) asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
        if (OP == BALLOT) u = __ballot_sync(~0u, u & 1) + lane;
        if (OP == ANY) u += __any_sync(~0u, u == 77);
        if (OP == MATCH) u = __match_any_sync(~0u, u & 3);
        if (OP == REDUCE_ADD) u = __reduce_add_sync(~0u, u);
        if (OP == SHUFFLE_UP) u = __shfl_up_sync(~0u, u, 1);
        if (OP == ATOMIC_SHARED) u = atomicAdd(&local[lane], u & 1);
        if (OP == ATOMIC_CAS) u = atomicCAS(&memory[lane], u, u + 1);
    }
    ticks t1 = now();
    leave(out, t0, t1);
    kept[threadIdx.x] = u + (unsigned)x + (unsigned)d + (unsigned)wide;
}

template <int OP> static void chain_row(const char *name, unsigned *memory)
{
    double t = median([=] {
        chain<OP><<<1, 32>>>(times, sink, memory, 7, 1.0000001f);
        return span(1);
    });
    row("latency", name, 1, t / CHAIN, "cycles/op");
}

static void chains(unsigned *memory)
{
    chain_row<INT_ADD>("int32 add and xor", memory);
    chain_row<INT_SHIFT>("funnel shift", memory);
    chain_row<INT_LEAST>("int32 min (two become one instruction)", memory);
    chain_row<INT_MUL_HIGH>("int32 multiply high", memory);
    chain_row<INT_MAD_WIDE>("int32 multiply-add to 64 bit", memory);
    chain_row<SELECT>("select by sign", memory);
    chain_row<POPCOUNT>("popcount", memory);
    chain_row<COUNT_ZEROS>("count leading zeros", memory);
    chain_row<FP_LEAST>("fp32 min", memory);
    chain_row<FP_MUL>("fp32 multiply", memory);
    chain_row<FP64_ADD>("fp64 add", memory);
    chain_row<FLOAT_TO_INT>("fp32 to int32", memory);
    chain_row<INT_TO_FLOAT>("int32 to fp32", memory);
    chain_row<FLOAT_TO_DOUBLE>("fp32 to fp64 and back", memory);
    chain_row<SINE>("sine approx, with its range reduction", memory);
    chain_row<BALLOT>("ballot and add", memory);
    chain_row<ANY>("any and add", memory);
    chain_row<MATCH>("match any", memory);
    chain_row<REDUCE_ADD>("reduce add", memory);
    chain_row<SHUFFLE_UP>("shuffle up", memory);
    chain_row<ATOMIC_SHARED>("atomic add in shared memory, own word", memory);
    chain_row<ATOMIC_CAS>("atomic compare and swap at the L2, own word", memory);
}

// ---- Sectors: a load of a warp that touches n of them, all in the L2 or all in the L1 ----

__global__ void sectors(ticks *out, unsigned *kept, const unsigned *data, int touched, unsigned mask, int l1)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = 0;
    unsigned offset = lane % touched * 8 + lane / touched % 8;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        ticks t0 = now();
#pragma unroll 4
        for (int n = 0; n < 64; n++) {
            const unsigned *p = data + ((offset + (warp * 64 + n) * 256) & mask);
            unsigned a;
            if (l1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(a) : "l"(p));
            else asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(a) : "l"(p));
            sum += a;
        }
        __syncthreads();
        ticks t1 = now();
        leave(out, t0, t1);
    }
    kept[threadIdx.x] = sum;
}

__global__ void stores(ticks *out, unsigned *data, int stride, unsigned mask)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 4
    for (int n = 0; n < 64; n++) data[(lane * stride + (warp * 64 + n) * 1024) & mask] = n;
    __threadfence();
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

static void widths(unsigned *data)
{
    for (int l1 = 0; l1 < 2; l1++)
        for (int warps : { 1, 8, 32 })
            for (int touched : { 1, 2, 4, 8, 16, 32 }) {
                double t = median([=] {
                    sectors<<<1, 32 * warps>>>(times, sink, data, touched, l1 ? 8191 : (1 << 20) - 1, l1);
                    return span(warps);
                });
                row("sectors", std::string(l1 ? "L1" : "L2") + " loads, " + std::to_string(warps) + " warps, sectors per load", touched,
                    t / (64.0 * warps), "cycles/warp-load of the SM");
            }
    for (int warps : { 1, 8, 32 })
        for (int stride : { 1, 2, 4, 8, 16, 32 }) {
            double t = median([=] {
                stores<<<1, 32 * warps>>>(times, data, stride, (1 << 22) - 1);
                return span(warps);
            });
            row("stores", std::to_string(warps) + " warps, stride in words", stride, t / (64.0 * warps), "cycles/warp-store of the SM, with a fence at the end");
        }
}

// ---- Loads under way: how many bytes an SM gets per cycle if each thread waits for that many together ----

template <int LOADS> __global__ void under_way(ticks *out, unsigned *kept, const unsigned *data, size_t start)
{
    const unsigned *at = data + start + threadIdx.x;
    unsigned sum = 0;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 1
    for (int n = 0; n < 32; n++) {
        unsigned value[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; j++) asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value[j]) : "l"(at + j * blockDim.x));
#pragma unroll
        for (int j = 0; j < LOADS; j++) sum |= value[j];
        at += LOADS * blockDim.x + sum; // all data are zero
    }
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
    kept[threadIdx.x] = sum;
}

template <int LOADS> static void under_way_rows(const unsigned *data)
{
    static size_t turn;
    for (int far = 0; far < 2; far++)
        for (int warps : { 1, 4, 16, 32 }) {
            double t = median([=] {
                size_t start = far ? turn++ % 120 << 20 : 0; // 4 MiB further each time: more than the L2 holds
                under_way<LOADS><<<1, 32 * warps>>>(times, sink, data, start);
                return span(warps);
            });
            row("under way", std::string(far ? "DRAM" : "L2") + ", " + std::to_string(LOADS) + " loads per thread at once", warps,
                warps * 32.0 * 32 * LOADS * 4 / t, "bytes/cycle of the SM (parameter: warps)");
        }
}

// ---- Threads that come apart ----

__global__ void uneven(ticks *out, unsigned *kept, int longest, float b)
{
    float x = b;
    unsigned lane = threadIdx.x % 32;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 1
    for (int n = 0; n < 64; n++) {
#pragma unroll 1
        for (unsigned i = 0; i < 1 + lane * longest / 32; i++) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(b));
        __syncwarp();
    }
    ticks t1 = now();
    leave(out, t0, t1);
    kept[threadIdx.x] = (unsigned)x;
}

// ---- Blocks ----

__global__ void empty_blocks(unsigned *kept)
{
    if (kept == nullptr) kept[blockIdx.x] = 1;
}

static void blocks(int sms)
{
    cudaEvent_t from, to;
    cudaDeviceProp properties;
    int khz = 0;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int threads : { 32, 256, 1024 }) {
        auto run = [&](int count) {
            return median([&] {
                float ms;
                CHECK(cudaEventRecord(from));
                empty_blocks<<<count, threads>>>(sink);
                CHECK(cudaEventRecord(to));
                CHECK(cudaEventSynchronize(to));
                CHECK(cudaEventElapsedTime(&ms, from, to));
                return ms * 1e-3 * khz * 1e3;
            });
        };
        double few = run(sms * 64), many = run(sms * 1024);
        row("blocks", "empty blocks, threads per block", threads, (many - few) / (1024 - 64), "cycles/block of an SM, at the highest clock");
    }
}

int main()
{
    unsigned *data;
    int sms = card_begin(&data, (size_t)512 << 20, "group,name,parameter,value,unit");
    chains(data);
    widths(data);
    under_way_rows<1>(data);
    under_way_rows<2>(data);
    under_way_rows<4>(data);
    under_way_rows<8>(data);
    for (int longest : { 0, 32, 64, 128 }) {
        double t = median([=] {
            uneven<<<1, 32>>>(times, sink, longest, 1.0000001f);
            return span(1);
        });
        row("divergence", "loops of 1 to n fma by lane", longest, t / 64, "cycles for all lanes");
    }
    blocks(sms);
    return 0;
}
