/* rtcore_queue.c - the queues of an RT core, which share one array of links, keep the order of
 * coming whatever is taken out of them. */
#include <string.h>

#include "ogive/random.h"
#include "unit/bench_unit.h"
#include "unit/rtcore/rtcore.h"

#define SLOTS  24
#define QUEUES 3
#define STEPS  20000

/* The same with slots that move up. */
struct model {
    u32 slots[SLOTS], count;
};

static u32 model_take(struct model *model, u32 place)
{
    u32 slot = model->slots[place];
    model->count--;
    memmove(&model->slots[place], &model->slots[place + 1],
            (model->count - place) * sizeof *model->slots);
    return slot;
}

static void queues_equal(const struct rtcore *u, const struct rtcore_queue *queue,
                         const struct model *model)
{
    assert_int_equal(queue->count, model->count);
    u32 slot = queue->head;
    for (u32 i = 0; i < model->count; i++, slot = u->next[slot])
        assert_int_equal(slot, model->slots[i]);
}

/* Moves a slot from one queue to the end of another, or of the same. */
static void slot_move(struct rtcore *u, struct rtcore_queue *queues, struct model *models,
                      u64 *random)
{
    u32 from = (u32)random_below(random, QUEUES), to = (u32)random_below(random, QUEUES);
    if (!models[from].count)
        return;
    u32 place = (u32)random_below(random, models[from].count);
    u32 before = place ? models[from].slots[place - 1] : NOBODY;
    u32 slot = place ? queue_pop_behind(u, &queues[from], before) : queue_pop(u, &queues[from]);
    assert_int_equal(slot, model_take(&models[from], place));
    queue_push(u, &queues[to], slot);
    models[to].slots[models[to].count++] = slot;
}

static void slots_stay_in_the_order_of_coming(void **state)
{
    static struct rtcore u;
    u16 next[SLOTS];
    struct rtcore_queue queues[QUEUES] = { { 0 } };
    struct model models[QUEUES] = { { { 0 }, 0 } };
    u64 random = 5;
    (void)state;
    u.next = next;
    for (u32 i = 0; i < SLOTS; i++) {
        queue_push(&u, &queues[0], i);
        models[0].slots[models[0].count++] = i;
    }
    for (u32 step = 0; step < STEPS; step++) {
        slot_move(&u, queues, models, &random);
        for (u32 i = 0; i < QUEUES; i++)
            queues_equal(&u, &queues[i], &models[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_stay_in_the_order_of_coming),
    };
    return cmocka_run_group_tests_name("rtcore_queue", tests, NULL, NULL);
}
