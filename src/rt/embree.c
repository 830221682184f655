/* embree.c - see embree.h.
 *
 * The instruction set is held down to one that every x86-64 machine has, for the same results on
 * all of them: wider ones fuse multiplications and additions. */
#include "rt/embree.h"

#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>

static RTCDevice device;

static void device_create(void)
{
    fenv_t environment; /* Embree may leave the processor flushing denormal numbers to zero */
    fegetenv(&environment);
    device = rtcNewDevice("threads=1,user_threads=1,max_isa=sse4.2");
    fesetenv(&environment);
}

RTCDevice embree_device(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, device_create);
    return device;
}

void embree_cancel(void)
{
    void (*throw)(void);
    *(void **)&throw = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv"); /* of libstdc++ */
    if (throw)
        throw();
}

u32 embree_version(void)
{
    RTCDevice own = embree_device();
    return own ? (u32)rtcGetDeviceProperty(own, RTC_DEVICE_PROPERTY_VERSION) : 0;
}
