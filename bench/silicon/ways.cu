// ways.cu - which ways from SMs to the L2 are shared, measured on a real GPU: stores and loads of n SMs, chosen by the card or all in
// one GPC (a cluster of thread blocks), and stores of all SMs to few bytes.
//
//     nvcc -O3 -arch=native -o ways ways.cu && ./ways > ways.csv
//
// Prints CSV: group,name,parameter,value,unit; timing.cuh says how. A block takes the shared memory of an SM, so that each has its own.
#include "timing.cuh"

static const int ROUNDS = 64, WARPS = 32, SHARED = 200 * 1024;
static const unsigned MASK = (1u << 22) - 1; // 16 MiB

enum kind { STORE, LOAD };

template <int KIND> __global__ void ways(ticks *out, unsigned *kept, unsigned *data, int stride, unsigned mask)
{
    extern __shared__ unsigned all_of_it[];
    unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, sum = 0;
    if (threadIdx.x == 0) all_of_it[0] = 0;
    __syncthreads();
    ticks t0 = now();
#pragma unroll 8
    for (int n = 0; n < ROUNDS; n++) {
        unsigned *at = &data[(lane * stride + (warp * ROUNDS + n) * 32 * stride) & mask];
        if (KIND == STORE) {
            *at = n;
        } else {
            unsigned value;
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value) : "l"(at));
            sum ^= value;
        }
    }
    if (sum == 4242424242u) kept[0] = sum;
    if (KIND == STORE) __threadfence();
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

template <int KIND> static void launch(int blocks, int cluster, unsigned *data, int stride, unsigned mask)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(32 * WARPS);
    config.dynamicSmemBytes = SHARED;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = cluster > 1 ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, ways<KIND>, times, sink, data, stride, mask));
}

template <int KIND> static void rows(const char *name, unsigned *data, int sms)
{
    CHECK(cudaFuncSetAttribute(ways<KIND>, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CHECK(cudaFuncSetAttribute(ways<KIND>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    for (int together = 0; together < 2; together++)
        for (int stride : { 1, 8, 32 })
            for (int blocks : { 1, 2, 4, 8, 12, 16, 32, 64, 96, sms }) {
                if (together && (blocks < 2 || blocks > 16)) continue;
                double t = median([=] {
                    launch<KIND>(blocks, together ? blocks : 1, data, stride, MASK);
                    return span(WARPS, blocks);
                });
                row("ways", std::string(name) + (together ? " of n SMs in one GPC" : " of n SMs") + ", stride " + std::to_string(stride), blocks,
                    t / ROUNDS / WARPS, "cycles/warp-instruction of an SM");
            }
    for (int stride : { 1, 8 })
        for (unsigned kib : { 1, 2, 4, 16, 64, 256, 1024, 4096 }) {
            double t = median([=] {
                launch<KIND>(sms, 1, data, stride, kib * 256 - 1);
                return span(WARPS, sms);
            });
            row("ways", std::string(name) + " of all SMs within n KiB, stride " + std::to_string(stride), kib, t / ROUNDS / WARPS,
                "cycles/warp-instruction of an SM");
        }
}

int main()
{
    unsigned *data;
    int sms = card_begin(&data, (MASK + 1ull) * sizeof *data, "group,name,parameter,value,unit");
    rows<STORE>("store", data, sms);
    rows<LOAD>("load from the L2", data, sms);
    return 0;
}
