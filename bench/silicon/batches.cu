// batches.cu - loads of warps that hit the L1 or read shared memory with bank conflicts, by how many loads a warp has
// under way at once and by which warps of an SM load: warp w is in sub-core w mod 4, so that warps 0 and 4 share one.
// Prints CSV: group,name,parameter,value,unit; the parameter is the number of loads in a batch, the name says which warps.
// nvcc -O3 -arch=sm_90 -o batches batches.cu && ./batches > batches.csv
#include "timing.cuh"

enum { ROUNDS = 64, WARPS = 16 };

// A warp waits for all loads of a batch before the next one.
template <int LOADS, int SHARED> __global__ void batch(ticks *out, unsigned *sum_of, const char *data, int stride, unsigned warps)
{
    __shared__ unsigned pool[8192];
    for (int i = threadIdx.x; i < 8192; i += blockDim.x)
        pool[i] = 0;
    unsigned near = (unsigned)__cvta_generic_to_shared(pool), sum = 0, offset = threadIdx.x % 32 * stride * 4;
    ticks first = 0, last = 0;
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
        if (!(warps >> threadIdx.x / 32 & 1))
            continue;
        first = now();
#pragma unroll 1
        for (int n = 0; n < ROUNDS; n++) {
            unsigned value[LOADS];
#pragma unroll
            for (int j = 0; j < LOADS; j++)
                if (SHARED)
                    asm volatile("ld.shared.u32 %0,[%1];" : "=r"(value[j]) : "r"(near + offset + j * 1024));
                else
                    asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(value[j]) : "l"(data + offset + j * 1024));
#pragma unroll
            for (int j = 0; j < LOADS; j++)
                offset += value[j]; // zero
        }
        last = now();
    }
    sum += offset;
    leave(out, warps >> threadIdx.x / 32 & 1 ? first : 0, last);
    sum_of[threadIdx.x] = sum;
}

static double active_span(unsigned warps)
{
    CHECK(cudaDeviceSynchronize());
    std::vector<ticks> t(64);
    CHECK(cudaMemcpy(t.data(), times, 64 * sizeof t[0], cudaMemcpyDeviceToHost));
    ticks first = 0, last = 0;
    for (int w = 0; w < WARPS; w++)
        if (warps >> w & 1) {
            first = first ? std::min(first, t[2 * w]) : t[2 * w];
            last = std::max(last, t[2 * w + 1]);
        }
    return (double)(last - first);
}

template <int LOADS, int SHARED> static void batch_row(const char *data, int stride, unsigned warps)
{
    char name[64];
    snprintf(name, sizeof name, "stride %d, warps %x", stride, warps);
    double t = median([=] {
        batch<LOADS, SHARED><<<1, 32 * WARPS>>>(times, sink, data, stride, warps);
        return active_span(warps);
    });
    row(SHARED ? "shared batch" : "l1 batch", name, LOADS, t / (ROUNDS * LOADS * __builtin_popcount(warps)), "cycles/warp-load of the SM");
}

template <int SHARED> static void batch_rows(const char *data)
{
    for (int stride : { 32, 8 })
        for (unsigned warps : { 0x1u, 0x3u, 0x5u, 0x7u, 0xfu, 0x11u, 0x13u, 0x33u, 0x1fu, 0x3fu, 0xffu, 0x111u, 0xffffu }) {
            batch_row<1, SHARED>(data, stride, warps);
            batch_row<2, SHARED>(data, stride, warps);
            batch_row<3, SHARED>(data, stride, warps);
            batch_row<4, SHARED>(data, stride, warps);
            batch_row<5, SHARED>(data, stride, warps);
            batch_row<6, SHARED>(data, stride, warps);
            batch_row<8, SHARED>(data, stride, warps);
            batch_row<12, SHARED>(data, stride, warps);
            batch_row<16, SHARED>(data, stride, warps);
        }
}

int main()
{
    unsigned *data;
    card_begin(&data, 1 << 20, "group,name,parameter,value,unit");
    batch_rows<0>((const char *)data);
    batch_rows<1>((const char *)data);
    return 0;
}
