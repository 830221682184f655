/* guest.c - a program that uses libogive and has functions of its own under names that the library
 * uses inside: none of the two calls the other's. Traces the mesh mesh.obj, which takes the program
 * `ogive` that was installed with the library. */
#include <ogive/ogive.h>
#include <stdio.h>
#include <stdlib.h>

/* Called by nobody. */
void judge(void);
void text_add(void);
void heap_copy(void);
void host_read(void);

void judge(void)
{
    abort();
}

void text_add(void)
{
    abort();
}

void heap_copy(void)
{
    abort();
}

void host_read(void)
{
    abort();
}

static bool guest_run(ogv_system *system, struct ogv_judgement *judgement, struct ogv_error *error)
{
    const struct ogv_workload work = {
        .scene = "mesh.obj", .rays = "primary", .width = 8, .height = 8
    };
    return ogv_system_load(system, &work, error) &&
           ogv_system_run(system, OGV_FOREVER, error) == OGV_END_FINISHED &&
           ogv_system_judge(system, judgement, error);
}

int main(void)
{
    struct ogv_error error = { 0 };
    struct ogv_judgement judgement = { 0 };
    ogv_arch *arch = ogv_arch_load("tiny", &error);
    ogv_system *system = arch ? ogv_system_create(arch, &error) : NULL;
    bool good = system && guest_run(system, &judgement, &error);
    if (!good)
        fprintf(stderr, "guest: %s\n", error.message);
    else if (judgement.rays && !judgement.wrong)
        printf("4 triangles are hit as Embree hits them\n");
    ogv_system_destroy(system);
    ogv_arch_destroy(arch);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
