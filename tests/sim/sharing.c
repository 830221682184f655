/* sharing.c - windows with little work stay on one thread, whatever else the process computes. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "bench_chip.h"

#define WINDOW   64  /* of a chip without links between its domains */
#define WINDOWS  768 /* three times what is judged at once */
#define NAP_EACH 16  /* windows: then a unit waits, so that others of the process get to compute */
#define NAP_NS   2000000
#define BURNERS  2

static atomic_bool burning;

static void *burn(void *argument)
{
    while (atomic_load(&burning))
        ;
    return argument;
}

/* Notes in `value` if another thread than the first ever runs it. */
static cycle step_note_thread(struct mock *mock, cycle now)
{
    u64 self = (u64)pthread_self();
    if (!mock->left)
        mock->left = self;
    mock->value += mock->left != self;
    return now + WINDOW;
}

static cycle step_nap(struct mock *mock, cycle now)
{
    const struct timespec nap = { .tv_nsec = NAP_NS };
    if (now / WINDOW % NAP_EACH == 0)
        nanosleep(&nap, NULL);
    return step_note_thread(mock, now);
}

static void computing_of_others_is_not_taken_for_work(void **state)
{
    pthread_t burners[BURNERS];
    struct mock *mocks[4];
    (void)state;
    if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
        skip(); /* there is nothing to choose */
    struct sim *sim = bench_create();
    for (u32 i = 0; i < 4; i++) {
        mocks[i] = bench_mock(sim, bench_domain(sim), i ? step_note_thread : step_nap);
        unit_hold(&mocks[i]->base, 1);
    }
    bench_seal(sim, (struct sim_options){ 0 });
    sim_set_options(sim, &(struct sim_options){ .threads = 0 }); /* as it thinks best */
    assert_true(sim_threads(sim) > 1);
    atomic_store(&burning, true);
    for (u32 i = 0; i < BURNERS; i++)
        assert_int_equal(pthread_create(&burners[i], NULL, burn, NULL), 0);
    enum sim_end end = bench_run(sim, WINDOWS * WINDOW);
    atomic_store(&burning, false);
    for (u32 i = 0; i < BURNERS; i++)
        pthread_join(burners[i], NULL);
    assert_int_equal(end, SIM_REACHED);
    for (u32 i = 0; i < 4; i++) {
        assert_int_equal(mocks[i]->ticks, WINDOWS);
        assert_int_equal(mocks[i]->left, (u64)pthread_self());
        assert_int_equal(mocks[i]->value, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        bench_test(computing_of_others_is_not_taken_for_work),
    };
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
