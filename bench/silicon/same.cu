// same.cu - stores and additions of all SMs to few bytes, measured on a real GPU: n SMs, each warp-instruction covers the same 128 bytes, one
// sector or one word of them; and blocks that each end with one addition, as reductions do.
//
//     nvcc -O3 -arch=native -o same same.cu && ./same > same.csv
//
// Prints CSV: group,name,parameter,value,unit; timing.cuh says how.
#include "timing.cuh"

static const int ROUNDS = 64, WARPS = 8;

enum kind { STORE, ADD, ADD_FLOAT };

template <int KIND> __global__ void same(ticks *out, unsigned *data, unsigned mask, unsigned blocks_apart)
{
    unsigned lane = threadIdx.x % 32, at = (lane & mask) + blocks_apart * (threadIdx.x / 32);
    __syncthreads();
    ticks t0 = now();
#pragma unroll 4
    for (int n = 0; n < ROUNDS; n++) {
        if (KIND == STORE) *(volatile unsigned *)&data[at] = n;
        if (KIND == ADD) atomicAdd(&data[at], 1u);
        if (KIND == ADD_FLOAT) atomicAdd((float *)&data[at], 1.0f);
    }
    __threadfence();
    __syncthreads();
    ticks t1 = now();
    leave(out, t0, t1);
}

template <int KIND> static void rows(const char *name, unsigned *data, int sms)
{
    static const struct { const char *what; unsigned mask, apart; } shapes[] = {
        { "one word", 0, 0 }, { "one sector", 7, 0 }, { "one line", 31, 0 }, { "a line for each warp, the same of all SMs", 31, 32 }
    };
    for (auto shape : shapes)
        for (int blocks : { 1, 16, 64, sms }) {
            double t = median([=] {
                same<KIND><<<blocks, 32 * WARPS>>>(times, data, shape.mask, shape.apart);
                return span(WARPS, blocks);
            });
            row("same", std::string(name) + ", " + shape.what + ", SMs", blocks, t / ROUNDS / WARPS, "cycles/warp-instruction of an SM");
        }
}

int main()
{
    unsigned *data;
    int sms = card_begin(&data, 1 << 20, "group,name,parameter,value,unit");
    rows<STORE>("store", data, sms);
    rows<ADD>("add", data, sms);
    rows<ADD_FLOAT>("add of floats", data, sms);
    return 0;
}
