// joins.cu - how many sectors the L2 of a real GPU is asked for when several SMs load the same bytes at about the same time: n SMs, chosen
// by the card or all in one GPC (a cluster of thread blocks), the next one `skew` cycles after the one before.
//
//     nvcc -O3 -arch=native -o joins joins.cu
//     ncu --csv --metrics sm__cycles_elapsed.max,lts__t_sectors.sum,lts__t_sectors_op_read.sum,lts__t_sectors_srcunit_tex.sum,\
//         lts__t_requests_srcunit_tex.sum,lts__t_sectors_srcunit_ltcfabric.sum,l1tex__m_xbar2l1tex_read_sectors.sum ./joins
//
// Prints a line for each launch, in their order: launch,SMs,in one GPC,skew in cycles,bytes that each SM loads. The profiler's rows are in
// the same order. What is loaded is in the L2 before: a launch of the same kernel by one SM (launch 0, not of interest) brings it there.
#include "timing.cuh"

static const int SHARED = 200 * 1024, WORDS = 1 << 18; // 1 MiB

__global__ void joins(unsigned *arrived, unsigned *kept, const unsigned *data, int skew, int blocks)
{
    extern __shared__ unsigned all_of_it[];
    unsigned sum = 0;
    if (threadIdx.x == 0) { // all of them begin together
        all_of_it[0] = atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < (unsigned)blocks) __nanosleep(100);
    }
    __syncthreads();
    for (ticks from = now() + (ticks)skew * blockIdx.x; now() < from;) {}
#pragma unroll 4
    for (int i = threadIdx.x; i < WORDS; i += 1024) {
        unsigned value;
        asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(value) : "l"(data + i));
        sum ^= value;
    }
    if (sum == 4242424242u) kept[0] = sum;
}

static void launch(int blocks, bool together, int skew, unsigned *data)
{
    static int number;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    CHECK(cudaMemset(times, 0, 4));
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(1024);
    config.dynamicSmemBytes = SHARED;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = together ? blocks : 1;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = together ? 1 : 0;
    CHECK(cudaLaunchKernelEx(&config, joins, (unsigned *)times, sink, (const unsigned *)data, skew, blocks));
    CHECK(cudaDeviceSynchronize());
    printf("%d,%d,%d,%d,%d\n", number++, blocks, together, skew, WORDS * 4);
}

int main()
{
    unsigned *data;
    int sms = card_begin(&data, WORDS * sizeof *data, "launch,SMs,in one GPC,skew in cycles,bytes of each SM");
    CHECK(cudaFuncSetAttribute(joins, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CHECK(cudaFuncSetAttribute(joins, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    launch(1, false, 0, data);
    for (int blocks : { 1, 2, 4, 8, 16, 32, 64, sms })
        launch(blocks, false, 0, data);
    for (int blocks : { 2, 4, 8, 16 })
        launch(blocks, true, 0, data);
    for (int skew : { 8, 32, 128, 512, 2048 })
        launch(sms, false, skew, data);
    for (int skew : { 32, 128, 256, 512, 1024, 2048, 4096, 8192 })
        launch(2, true, skew, data);
    for (int skew : { 32, 128, 512, 2048 })
        launch(16, true, skew, data);
    return 0;
}
