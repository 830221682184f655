/* fuzz_mesh.c - libFuzzer target: whatever the bytes, the PLY reader refuses them, leaves them to
 * another reader, or returns a mesh that is sound. ASCII, both byte orders and strips are in the
 * corpus.
 *
 *     fuzz_mesh tests/rt/corpus/fuzz_mesh */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rt/ply.h"

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size);

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t size)
{
    char path[64];
    struct mesh mesh = { 0 };
    struct ogv_error error = { 0 };
    bool other = false;
    int file = memfd_create("mesh", MFD_CLOEXEC);
    if (file < 0 || write(file, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    bool good = ply_load(path, &mesh, &other, &error);
    if (!good && !error.message[0])
        abort();
    if (good && !other && !mesh_check(&mesh, path, &error))
        abort();
    mesh_free(&mesh);
    close(file);
    return 0;
}
