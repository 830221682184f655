/* bench_unit.h - one real unit on the bench, with mock units around it.
 *
 * Parameters start with their defaults and ports are empty. Set what the test is about, join mocks
 * to the ports, call bench_init, then seal and run the chip as bench_chip.h says. */
#ifndef TESTS_UNIT_BENCH_UNIT_H
#define TESTS_UNIT_BENCH_UNIT_H

#include "ogive/unit.h"
#include "sim/bench_chip.h"

struct unit *bench_unit(struct sim *sim, struct domain *domain, const struct unit_type *type,
                        struct clock_ratio clock);
void bench_set(struct unit *unit, const char *param, u64 value);
void bench_set_real(struct unit *unit, const char *param, double value);
void bench_set_words(struct unit *unit, const char *param, const char *words);
void bench_set_choice(struct unit *unit, const char *param, const char *choice);
struct ports *bench_ports(struct unit *unit, const char *port);

/* Joins a mock to the next place of a port: as one that sends to the unit, one that receives from
 * it, or both. The mock gets the links as its next in and out. */
struct link *bench_feed(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                        u32 latency, u32 capacity);
struct link *bench_drain(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                         u32 latency, u32 capacity);
void bench_join(struct sim *sim, struct unit *unit, const char *port, struct mock *mock,
                u32 latency, u32 capacity);

/* Joins two real units, the first asking the second. */
void bench_ask(struct sim *sim, struct unit *asking, const char *asks, struct unit *serving,
               const char *serves, u32 latency, u32 capacity);

void bench_init(struct unit *unit);

/* Expects the unit to refuse with a message that contains `words`. */
void bench_init_refused(struct unit *unit, const char *words);

/* Brings the statistics up to a cycle of the unit's clock, as the end of a run does. */
void bench_report(struct unit *unit, cycle now);
u64 bench_stat(const struct unit *unit, const char *stat);

/* The note at an index: when, and what. */
void expect_note(const struct mock *mock, u32 index, cycle at, u64 what);

#endif
