/* hello.c - every hart says that it is here; the last one prints. */
#include <ogive/device.h>

static uint32_t here;

int main(int argc, char **argv)
{
    if (ogv_atomic_add_u32(&here, 1) + 1 == ogv_harts())
        ogv_print("hello from %u harts%s%s\n", ogv_harts(), argc > 1 ? ", " : "",
                  argc > 1 ? argv[1] : "");
    return 0;
}
