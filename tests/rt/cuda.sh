#!/bin/bash
# cuda.sh SOURCE - the headers of ray tracing compile as CUDA, for the host and for a card.
#
# clang reads CUDA without NVIDIA's own headers if it is told what they would say. That the walk
# computes the same on a card is for whoever has one: bench/silicon/walk.cu compares.
set -u
cd "$1" || exit 1
command -v clang >/dev/null || exit 77

formats() { # formats LIST: the names in a list of rt_formats.h
    sed -n "/define $1(F/,/^\$/p" include/ogive/rt_formats.h | sed -n 's/.* F(\([a-z0-9]*\), with).*/\1/p'
}

source_make() {
    cat <<'END'
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __CUDACC__ 1
extern "C" {
__device__ int __ffs(int bits);
__device__ int __clzll(long long bits);
__device__ void *memcpy(void *to, const void *from, __SIZE_TYPE__ bytes);
}
#include <ogive/rt_trace.h>
#include <ogive/rt_world.h>
#define WALK(format, blocks_of) \
    RT_TRACE_DEFINE(walk_##format##_##blocks_of, format, blocks_of) \
    __global__ void launch_##format##_##blocks_of(const struct rt_world *world, struct rt_hit *hit) \
    { \
        struct rt_child stack[16]; \
        struct rt_tree tree = { rt_world_at(world, world->nodes), rt_world_at(world, world->blocks), 0 }; \
        const struct rt_ray *ray = (const struct rt_ray *)rt_world_at(world, world->rays); \
        *hit = walk_##format##_##blocks_of(&tree, ray, stack, 16, 0, 0); \
    }
END
    for nodes in $(formats RT_NODE_FORMATS); do
        for primitives in $(formats RT_PRIMITIVE_FORMATS); do
            echo "WALK($nodes, $primitives)"
        done
    done
}

source_make | grep -q '^WALK(bvh6c, tri64)$' || { echo "no formats found in rt_formats.h" >&2; exit 1; }
for side in device host; do
    source_make | clang -x cuda -std=c++17 -nocudainc -nocudalib "--cuda-$side-only" --cuda-gpu-arch=sm_80 \
        -Wno-unknown-cuda-version -Werror -fsyntax-only -I include - || exit 1
done
