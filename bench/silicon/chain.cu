// chain.cu - what a thread's loads, one after the other, take on a real GPU if it stores between them, as a search through a graph does:
// nothing, a word of its own, the word that it loaded, a word that all of an SM store to, one that the whole chip stores to.
//
//     nvcc -O3 -arch=native -o chain chain.cu && ./chain > chain.csv
//
// Prints CSV: group,name,parameter,value,unit; timing.cuh says how. Two lanes of each warp work, as few of a search's threads do.
#include "timing.cuh"

static const int ROUNDS = 64, WARPS = 4;

enum kind { NOTHING, OWN, LOADED, OF_THE_SM, OF_ALL, LOADED_AND_OF_ALL, SECTOR_OF_ALL };

static const char *const names[] = { "nothing stored",       "a word of its own stored",       "what was loaded stored",
                                     "a word of the SM stored", "a word of all stored", "what was loaded and a word of all stored",
                                     "words of one sector stored" };

template <int KIND, bool RELOAD> __global__ void chain(ticks *out, unsigned *kept, int *level, const int *edge, int *common, int *own,
                                                       const int *again, int mask, int now_)
{
    int lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int end = ROUNDS;
    __syncthreads();
    ticks t0 = now();
    if (lane % 16 == 0) {
        const int *e = edge + (size_t)thread / 16 * ROUNDS;
        for (int k = 0; k < end; k++) {
            int *at = &level[e[k] & mask];
            if (*(volatile int *)at < now_) { // always
                if (KIND == OWN) *(volatile int *)&own[thread] = now_;
                if (KIND == LOADED || KIND == LOADED_AND_OF_ALL) *(volatile int *)at = -1 - k;
                if (KIND == OF_THE_SM) *(volatile int *)&own[blockIdx.x * 32] = 1;
                if (KIND == OF_ALL || KIND == LOADED_AND_OF_ALL) *(volatile int *)common = 1;
                if (KIND == SECTOR_OF_ALL) *(volatile int *)&common[thread / 16 % 8] = 1;
                if (RELOAD) end = *(volatile const int *)&again[thread];
            } else {
                sum++;
            }
        }
    }
    __syncwarp();
    ticks t1 = now();
    leave(out, t0, t1);
    if (sum == 42424242) kept[0] = sum;
}

static int *level, *edge, *common, *own, *again;

template <int KIND, bool RELOAD> static void rows(int sms)
{
    for (int kib : { 64, 4096 })
        for (int blocks : { 1, 16, sms }) {
            double t = median([=] {
                chain<KIND, RELOAD><<<blocks, 32 * WARPS>>>(times, sink, level, edge, common, own, again, kib * 256 - 1, 5);
                return span(WARPS, blocks);
            });
            row("chain", std::string(names[KIND]) + (RELOAD ? ", a word loaded again" : "") + ", " + std::to_string(kib) + " KiB, blocks", blocks,
                t / ROUNDS, "cycles/round");
        }
}

int main()
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int sms = properties.multiProcessorCount, threads = sms * 32 * WARPS;
    CHECK(cudaMalloc(&times, 1 << 20));
    CHECK(cudaMalloc(&sink, 1 << 20));
    CHECK(cudaMalloc(&level, 4 << 20));
    CHECK(cudaMemset(level, 0xff, 4 << 20));
    CHECK(cudaMalloc(&common, 4096));
    CHECK(cudaMalloc(&own, threads * 32 * sizeof(int)));
    std::vector<int> e((size_t)threads / 16 * ROUNDS), a(threads, ROUNDS);
    unsigned x = 7;
    for (int &v : e) {
        x = x * 1664525u + 1013904223u;
        v = (int)(x >> 8);
    }
    CHECK(cudaMalloc(&edge, e.size() * 4));
    CHECK(cudaMemcpy(edge, e.data(), e.size() * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&again, a.size() * 4));
    CHECK(cudaMemcpy(again, a.data(), a.size() * 4, cudaMemcpyHostToDevice));
    fprintf(stderr, "%s, %d SMs\n", properties.name, sms);
    printf("group,name,parameter,value,unit\n");
    rows<NOTHING, false>(sms);
    rows<OWN, false>(sms);
    rows<LOADED, false>(sms);
    rows<OF_THE_SM, false>(sms);
    rows<OF_ALL, false>(sms);
    rows<SECTOR_OF_ALL, false>(sms);
    rows<LOADED_AND_OF_ALL, false>(sms);
    rows<NOTHING, true>(sms);
    rows<LOADED, true>(sms);
    rows<OF_ALL, true>(sms);
    rows<LOADED_AND_OF_ALL, true>(sms);
    return 0;
}
