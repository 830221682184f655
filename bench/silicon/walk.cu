// walk.cu - the software walk through a tree, as the headers of this project have it, on a graphics card.
//
//     ogive world SCENE --rays secondary --size 512x512 --nodes bvh6c --primitives tri64 --software -o FILE
//     nvcc -O3 -arch=native -fmad=false -I include -o walk bench/silicon/walk.cu && ./walk FILE [threads of a block]
//
// One thread per ray, in the order of the file; prints CSV: scene file, rays, block, best and median of 21 launches after 3 warm-ups.
// Without fused multiply-adds it computes the very bits that the host does: a sample of the rays is walked there, too, and compared.
// Hit rates come from Nsight Compute, of the last launch:
//     ncu --launch-skip 3 --launch-count 1 --cache-control none --clock-control none --csv --metrics METRICS ./walk FILE
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <ogive/rt_trace.h>
#include <ogive/rt_world.h>

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t error_ = (call);                                            \
        if (error_ != cudaSuccess) {                                            \
            fprintf(stderr, "walk: %s: %s\n", #call, cudaGetErrorString(error_)); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

enum { WARM_UPS = 3, LAUNCHES = 21, STACK = 16, SAMPLE = 61 };

RT_TRACE_DEFINE(walk_tree, bvh6c, tri64)

static __host__ __device__ uint32_t walk_ray(const struct rt_world *world, uint64_t index)
{
    struct rt_child stack[STACK];
    struct rt_tree tree = { rt_world_at(world, world->nodes), rt_world_at(world, world->blocks), 0 };
    struct rt_ray ray = ((const struct rt_ray *)rt_world_at(world, world->rays))[index];
    return walk_tree(&tree, &ray, stack, STACK, 0, 0).triangle;
}

static __global__ void walk(struct rt_world *world, uint64_t count)
{
    uint64_t index = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (index < count)
        ((uint32_t *)rt_world_at(world, world->hits))[index] = walk_ray(world, index);
}

static std::vector<uint64_t> file_read(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(name);
        exit(1);
    }
    std::vector<uint64_t> words((size_t)ftell(file) / 8);
    rewind(file);
    if (fread(words.data(), 8, words.size(), file) != words.size() || words.size() * 8 < sizeof(struct rt_world)) {
        fprintf(stderr, "walk: %s cannot be read\n", name);
        exit(1);
    }
    fclose(file);
    return words;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: walk FILE [threads of a block]\n");
        return 2;
    }
    std::vector<uint64_t> words = file_read(argv[1]);
    struct rt_world *host = (struct rt_world *)words.data(), *card;
    unsigned block = argc > 2 ? (unsigned)atoi(argv[2]) : 128;
    if (host->magic != RT_WORLD_MAGIC || host->bytes > words.size() * 8 || host->node_format != RT_NODES_bvh6c ||
        host->primitive_format != RT_PRIMITIVES_tri64 || !host->ray_count) {
        fprintf(stderr, "walk: %s is no scene of bvh6c and tri64 with rays\n", argv[1]);
        return 2;
    }
    CHECK(cudaMalloc((void **)&card, host->bytes));
    CHECK(cudaMemcpy(card, host, host->bytes, cudaMemcpyHostToDevice));
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    std::vector<float> times;
    for (int i = 0; i < WARM_UPS + LAUNCHES; i++) {
        float milliseconds;
        CHECK(cudaEventRecord(begin));
        walk<<<(unsigned)((host->ray_count + block - 1) / block), block>>>(card, host->ray_count);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaGetLastError());
        CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
        if (i >= WARM_UPS)
            times.push_back(milliseconds);
    }
    std::sort(times.begin(), times.end());
    std::vector<uint32_t> hits(host->ray_count);
    CHECK(cudaMemcpy(hits.data(), (char *)card + host->hits, hits.size() * 4, cudaMemcpyDeviceToHost));
    for (uint64_t i = 0; i < host->ray_count; i += SAMPLE)
        if (walk_ray(host, i) != hits[i]) {
            fprintf(stderr, "walk: ray %llu hits another triangle than on the host\n", (unsigned long long)i);
            return 1;
        }
    printf("%s,%llu,%u,%.4f,%.4f,ms,%.1f,Mrays/s\n", argv[1], (unsigned long long)host->ray_count, block, (double)times[0],
           (double)times[LAUNCHES / 2], (double)host->ray_count / (double)times[LAUNCHES / 2] / 1e3);
    return 0;
}
