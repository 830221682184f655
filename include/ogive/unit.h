/* unit.h - everything that the author of a unit needs.
 *
 * A unit type is one file. It states once, in three lists, what can be set (parameters), what is
 * counted (statistics) and where wires attach (ports), then defines a struct, a step function, and
 * a descriptor:
 *
 *     #define SFU_PARAMS(P) P(cycles, latency, 1, 1, 512, "cycles from request to answer")
 *     #define SFU_STATS(S)  S(issued, "requests", SUM, WORK, "instructions executed")
 *     #define SFU_PORTS(T)  T(users, SERVES, SOME, "cores that share this unit")
 *     struct sfu { struct unit base; UNIT_FIELDS(SFU) ... };
 *     static cycle sfu_tick(struct unit *unit, cycle now) { ... }
 *     UNIT_TYPE(sfu, SFU, "shared functional unit", .tick = sfu_tick)
 *
 * Inside, p holds the parameters (fixed once built), s the statistics, w the wires: u->p.latency,
 * u->s.issued++, u->w.users.at[3].in. Parsing, checking, the manual, the statistics files and
 * checkpoints follow from the lists.
 *
 * tick(unit, now): receive what is visible (link_peek, link_pop), change state, send
 * (link_can_push, link_push). Return the next cycle in which the unit has something to do by
 * itself, or NEVER. It is called then, or earlier, when a message arrives, or when a link that
 * refused it has room; it may be called at any other cycle too and must then do nothing. In tick:
 * no allocation, no system calls, no other unit's data. */
#ifndef OGIVE_UNIT_H
#define OGIVE_UNIT_H

#include "ogive/arbiter.h"
#include "ogive/domain.h"
#include "ogive/link.h"
#include "ogive/ogive.h"
#include "ogive/purpose.h"
#include "ogive/types.h"

/* Changes whenever this header does in a way that a compiled unit would notice. */
#define OGIVE_UNIT_ABI 13

/* ---- Parameters: P(type, name, default, smallest, largest, help) ----
 *
 * number      a plain count                    P(number, ways, 4, 1, 64, "...")
 * cycles      written `20 cycles`              bytes      written `64 KiB`
 * hertz       written `1515 MHz`               bandwidth  written `448 GB/s` (bytes per second)
 * bits        written `16 bit`                 flag       true or false (bounds 0, 1)
 * real        a fraction or factor
 * choice      P(choice, policy, "lru", "lru|fifo|random", 0, "..."): u->p.policy is 0 for lru;
 *             UNIT_CHOICES(LIST) is such a text, of the names of a list, and
 *             enum { LIST(UNIT_CHOICE_VALUE, POLICY_) }; gives their numbers, POLICY_lru, ...
 * words       P(words, file, "", 0, 4096, "..."): free text; the bounds are lengths
 * table       P(table, execute, "", 0, 4096, "..."): a map of names to short texts, written
 *             { load: l1, fp_add: 2 cycles }; u->p.execute is "load: l1, fp_add: 2 cycles" */
enum param_type {
    PARAM_NUMBER,
    PARAM_CYCLES,
    PARAM_BYTES,
    PARAM_BITS,
    PARAM_HERTZ,
    PARAM_BANDWIDTH,
    PARAM_REAL,
    PARAM_FLAG,
    PARAM_CHOICE,
    PARAM_WORDS,
    PARAM_TABLE,
};

/* Every parameter takes eight bytes in the unit, so that the n-th is found by its number. */
union param_value {
    u64 integer;
    double real;
    const char *words;
};

struct param_row {
    const char *name, *help;
    enum param_type type;
    const char *choices; /* "a|b|c" */
    union param_value default_value, smallest, largest;
};

/* The text "a|b|c" of the list that #define LIST(C, with) C(a, with) C(b, with) C(c, with) is; its
 * rows may go on with what else is known of each choice. */
#define UNIT_CHOICES(LIST)              (&(LIST(UNIT_CHOICE_WORD, ))[1])
#define UNIT_CHOICE_WORD(name, ...)     "|" #name
#define UNIT_CHOICE_VALUE(name, prefix) prefix##name,

/* ---- Statistics: S(name, unit of measure, over units, over a sample, help) ----
 *
 * All are 64-bit counters. S##_ARRAY(name, LIST) is one for each row of another such list, LIST(S):
 * u->s.name[n] is that of its n-th row, which has its own name as well. R(name, above, below, unit,
 * help) in NAME_RATIOS is the quotient of two of them; over several units it is the quotient of the
 * sums. */
enum stat_combine { SUM, MEAN, MAX }; /* over units */
enum stat_scale {
    WORK,
    RATE,
    FIXED
}; /* over a part of a frame: grows with the work, is a rate, does not change */

struct stat_row {
    const char *name, *measure, *help;
    enum stat_combine combine;
    enum stat_scale scale;
};

struct ratio_row {
    const char *name, *above, *below, *measure, *help;
};

/* ---- Energy: E(name, counter, picojoules, help) ----
 *
 * What an event costs, as published for 65 nm; the chip's `technology:` scales it. The counter is
 * one of the statistics, so that energy follows from what is counted anyway. Each line becomes a
 * parameter energy_NAME, and every unit has `leakage` and `area` besides. The help names the
 * source. Instead of a number: */
#define COST_UNKNOWN      (-1.0) /* nothing is published: reported as missing, never as zero */
#define COST_DERIVED      (-2.0) /* `costs` works it out from parameters */
#define COST_COUNTED      (-3.0) /* the counter is in picojoules itself; there is no parameter */

#define UNIT_ENERGIES_MAX 40 /* lines in a list */

struct energy_row {
    const char *name, *counter;
    double picojoules; /* or one of the above */
    const char *help;
};

/* At 65 nm; COST_UNKNOWN where nothing is known. */
struct unit_costs {
    double energy[UNIT_ENERGIES_MAX]; /* picojoules, by line of the list */
    double leakage;                   /* milliwatts */
    double area;                      /* square millimetres */
};

/* ---- Ports: T(name, role, how many, help) ---- */
enum port_role {
    SENDS,    /* one way, out */
    RECEIVES, /* one way, in */
    ASKS,     /* sends requests, gets answers */
    SERVES,   /* gets requests, sends answers */
};

#define UNIT_PORTS_MAX 16 /* lines in a port list */

enum port_many { ONE, MAYBE, SOME, ANY }; /* 1, 0-1, 1 or more, 0 or more */

struct port_row {
    const char *name, *help;
    enum port_role role;
    enum port_many many;
};

/* One joint: what the unit reads from and what it writes to. A one-way port has only one of them.
 */
struct port {
    struct link *in, *out;
};

/* What is noted of it apart, so that the joints of a unit are on few lines of the host's cache. */
struct port_note {
    cycle arrives;    /* when the oldest message of `in` does, if that comes from another domain */
    const char *peer; /* the name that the architecture file gives to the unit at the other end */
};

_Static_assert(sizeof(struct port) == 16 && sizeof(struct port_note) == 16,
               "four to a cache line each");

/* How an address finds its way to one of n: blocks of `interleave` bytes are dealt out in turn. 0:
 * not by address. */
struct route {
    u64 interleave;
    u32 ways;
};

struct ports {
    struct port *at;  /* with the notes before them, backwards */
    u64 *pending;     /* bit i: at[i].in holds a message, arrived or on its way */
    u64 pending_word; /* what `pending` points to, if there are no more than 64 ports */
    u32 count;
    struct route route;
    const struct domain *domain; /* of the unit */
};

static inline struct port_note *ports_note(const struct ports *ports, u32 port)
{
    return (struct port_note *)ports->at + ~(i64)port;
}

static inline cycle ports_arrives(const struct ports *ports, u32 port)
{
    return ports_note(ports, port)->arrives;
}

static inline const char *ports_peer(const struct ports *ports, u32 port)
{
    return ports_note(ports, port)->peer;
}

/* What so many joints take, and puts them there: for whoever builds units. The joints begin with a
 * cache line if the bytes do. */
static inline u64 ports_bytes(u32 count)
{
    return ((u64)count + 3) / 4 * 4 * sizeof(struct port_note) + count * sizeof(struct port);
}

static inline void ports_put(struct ports *ports, void *bytes, u32 count)
{
    ports->at = (struct port *)((struct port_note *)bytes + ((u64)count + 3) / 4 * 4);
}

/* Whether any link in holds a message. */
static inline bool ports_any(const struct ports *ports)
{
    u64 any = ports->pending[0];
    for (u32 word = 1; word * 64 < ports->count; word++)
        any |= ports->pending[word];
    return any;
}

/* Whether a message on a port that holds some can have arrived. Those from other domains are on
 * their way for long; this way their links need not be looked at meanwhile. */
static inline bool ports_due(const struct ports *ports, u32 port)
{
    return ports_arrives(ports, port) <= ports->domain->now;
}

/* The first port >= from whose link in holds a message that can have arrived, or NOBODY: for units
 * with many inputs. */
static inline u32 ports_pending(const struct ports *ports, u32 from)
{
    u32 word = from / 64;
    if (from >= ports->count)
        return NOBODY;
    u64 bits = ports->pending[word] & ~UINT64_C(0) << (from % 64);
    for (;;) {
        for (; bits; bits &= bits - 1) {
            u32 port = word * 64 + (u32)__builtin_ctzll(bits);
            if (ports_due(ports, port))
                return port;
        }
        if (++word * 64 >= ports->count)
            return NOBODY;
        bits = ports->pending[word];
    }
}

/* The first port >= from on which a message has arrived, or NOBODY. */
static inline u32 ports_arrived(const struct ports *ports, u32 from)
{
    u32 port = ports_pending(ports, from);
    while (port != NOBODY && !link_peek(ports->at[port].in))
        port = ports_pending(ports, port + 1);
    return port;
}

/* Lets a port's link report into the ports' pending words. For whoever builds units. */
static inline void ports_watch(struct ports *ports, u32 port)
{
    struct link *in = ports->at[port].in;
    link_watch(in, &ports->pending[port / 64], port % 64, &ports_note(ports, port)->arrives);
    ports->domain = in->to;
}

/* Whether what is at the other ends is in the same domain. */
static inline bool ports_are_near(const struct ports *ports)
{
    for (u32 i = 0; i < ports->count; i++) {
        const struct link *in = ports->at[i].in, *out = ports->at[i].out;
        if ((in && in->crosses) || (out && out->crosses))
            return false;
    }
    return true;
}

static inline u32 route_way(const struct route *route, u64 address)
{
    return (u32)(address / route->interleave % route->ways);
}

/* The address as the chosen one counts it, with the others' blocks taken out, and back. */
static inline u64 route_local(const struct route *route, u64 address)
{
    u64 turn = route->interleave * route->ways;
    return address / turn * route->interleave + address % route->interleave;
}

static inline u64 route_global(const struct route *route, u64 local, u32 way)
{
    u64 block = local / route->interleave * route->ways + way;
    return block * route->interleave + local % route->interleave;
}

/* ---- The descriptor ---- */
struct unit_words;
struct unit_pieces;
struct unit_ghosts;
struct program_role;
struct ray_role;
struct stream_role;
struct resource_row;
struct account_row;
struct figure_row;

struct unit_type {
    const char *name, *help;
    size_t bytes;
    const struct param_row *params; /* each list ends with a row whose name is NULL */
    const struct stat_row *stats;
    const struct ratio_row *ratios;
    const struct port_row *ports;
    size_t params_offset, stats_offset, ports_offset;

    /* Checks parameters against each other, allocates with unit_alloc, takes on the first work. May
     * be NULL. */
    bool (*init)(struct unit *unit, struct ogv_error *error);
    cycle (*tick)(struct unit *unit, cycle now);

    /* Brings the statistics up to `now` (own clock) without changing anything else: a unit that
     * slept through a stall adds it here. May be NULL. */
    void (*report)(struct unit *unit, cycle now);

    /* What `tick` may not do, such as unit_alloc: called between two windows, on one thread, after
     * a unit of the domain called unit_call. Must change nothing that is simulated. May be NULL. */
    void (*attend)(struct unit *unit);

    /* How many threads the unit has that each wait for an answer of their own, as at a barrier;
     * known from its parameters alone. NULL: that cannot be said. */
    u64 (*harts)(const struct unit *unit);

    /* For the report of a hang: says with unit_say, in one line, what the unit waits for. Says
     * nothing if that is no more than the next message. May be NULL. */
    void (*waits)(const struct unit *unit, struct unit_words *words);

    /* For units that memory requests pass through or end in, so that the host can load programs and
     * read results. All may be NULL. */

    /* The link on which a request for this address leaves; the address becomes what the unit behind
     * it counts. */
    struct link *(*toward)(struct unit *unit, u64 *address);

    /* Where the bytes from this address on are stored, and how many lie together there; NULL if
     * there is no such address. */
    u8 *(*stored)(struct unit *unit, u64 address, u64 *length);

    /* From this address on so many bytes are for a purpose (purpose.h), which their traffic is
     * counted by. False: there are too many ranges. */
    bool (*mark)(struct unit *unit, u64 address, u64 bytes, enum purpose purpose);

    /* Bytes of simulated memory behind this unit, known from its parameters alone. They take room
     * in this machine only where something is written, so they do not count as the unit's state. */
    u64 (*holds)(const struct unit *unit);

    /* Puts the bytes of one sector that are newer here than in the memory behind into `data`. */
    void (*newer)(struct unit *unit, u64 sector_address, u8 *data);

    /* What events cost: UNIT_ENERGY(NAME). Without it nothing is known. */
    const struct energy_row *energy;

    /* Fills in what follows from parameters, of a unit that has been built. `costs` holds the
     * numbers of the list, and leakage and area as unknown. May be NULL. */
    void (*costs)(const struct unit *unit, struct unit_costs *costs);

    /* Where leakage and area come from, if `costs` sets them. */
    const char *leakage_help, *area_help;

    /* ---- Roles: what the unit is to the rest of the program. All may be NULL. ---- */

    const struct program_role *programs; /* it runs programs (program.h) */
    const struct ray_role *rays;         /* it traces rays (tracer.h) */
    const struct stream_role *streams;   /* it keeps rays by treelet (stream_role.h) */

    /* The statistic that counts pieces of work handed out to programs, one per request. */
    const char *pieces;

    /* Hands out only some of the pieces, if it has not begun yet; see unit_pieces. */
    void (*choose)(struct unit *unit, const struct unit_pieces *chosen);

    /* Takes requests of units that are not simulated with its own; see unit_ghosts. For caches. */
    void (*haunt)(struct unit *unit, const struct unit_ghosts *ghosts);

    /* Explaining itself (explain.h): what it has that others wait for, where the cycles of its
     * threads or rays went, and what it adds to the few figures that sum up a run. Each list ends
     * with a row whose name or words are NULL. */
    const struct resource_row *resources;
    const struct account_row *accounts;
    const struct figure_row *figures;

    /* The unit that the waiting counted by a statistic was for, if not for itself. */
    const struct unit *(*awaits)(const struct unit *unit, const char *stat);

    /* Names of the parameters, with spaces between, that grow with the chip: half the chip has half
     * of them. */
    const char *scales;

    /* Those among them that say how much of its past a unit holds. A part whose memory is to
     * answer as that of the whole keeps all of it; NULL: none. */
    const char *keeps;

    /* The flag among its parameters that allows a clock which is not that of the hardware it stands
     * for. NULL: any clock will do. */
    const char *any_clock;

    /* For a debugger: where the bytes from this address on are that only units linked to this one
     * see, and how many lie together there; NULL if there is no such address. */
    u8 *(*local)(struct unit *unit, u64 address, u64 *length);

    /* The same: bytes i of one sector with bit i of `mask` are now those of `data`, wherever the
     * unit has a copy. For units that have `newer`. */
    void (*change)(struct unit *unit, u64 sector_address, const u8 *data, u32 mask);

    /* The same: the hardware thread whose atomic operation the unit executed last, and how many it
     * has executed. For units in which data lives. */
    u32 (*served)(const struct unit *unit, u64 *executed);
};

/* Pieces of work that are to be done, of all that there are, in the order in which they are; in the
 * chip's own memory. Instead of the n-th number, programs get that of the n-th piece, and behind
 * the last one UNIT_PIECES_END, which no piece has. */
#define UNIT_PIECES_END UINT32_MAX

struct unit_pieces {
    u64 count;
    const u32 *numbers;
};

/* Requests to a cache of units that are not simulated, in the chip's own memory: up to four sectors
 * in a row, counted from the first that the list is about, to be read; or a quarter of one, to be
 * written. UNIT_GHOST_TURN is set in those that simulated units are to make: as many sectors of
 * these as simulated units have asked for, so far the others have come, too. */
#define UNIT_GHOST_TURN        UINT32_C(0x80000000)
#define UNIT_GHOST_WRITE       UINT32_C(0x10000000)
#define UNIT_GHOST_MOST        UNIT_GHOST_WRITE /* sectors that a list may be about */
#define UNIT_GHOST_COUNT_SHIFT 29
#define UNIT_GHOST_SECTORS     4 /* at most */

struct unit_ghosts {
    u64 first, last; /* sectors that the list is about, as users say them */
    u64 count;
    const u32 *requests;
    u32 brought; /* of 2^32 lines that miss: would be here, brought by units that nobody knows of,
                  */
    u64 shared;  /* if they hold this sector or one behind it */
};

static inline u32 unit_ghost(u32 sector, u32 count)
{
    return sector | (count - 1) << UNIT_GHOST_COUNT_SHIFT;
}

static inline u32 unit_ghost_sector(u32 request)
{
    return request & (UNIT_GHOST_MOST - 1);
}

static inline u32 unit_ghost_write(u32 sector, u32 quarter)
{
    return sector | UNIT_GHOST_WRITE | quarter << UNIT_GHOST_COUNT_SHIFT;
}

static inline u32 unit_ghost_quarter(u32 request)
{
    return (request >> UNIT_GHOST_COUNT_SHIFT) % UNIT_GHOST_SECTORS;
}

/* Sectors. */
static inline u32 unit_ghost_count(u32 request)
{
    return request & UNIT_GHOST_WRITE
               ? 1
               : (request >> UNIT_GHOST_COUNT_SHIFT) % UNIT_GHOST_SECTORS + 1;
}

static inline u64 unit_piece(const struct unit_pieces *chosen, u64 n)
{
    return !chosen ? n : n < chosen->count ? chosen->numbers[n] : UNIT_PIECES_END;
}

static inline bool unit_hands_out_pieces(const struct unit_type *type)
{
    return type->choose;
}

static inline bool unit_runs_programs(const struct unit_type *type)
{
    return type->programs;
}

static inline bool unit_traces_rays(const struct unit_type *type)
{
    return type->rays;
}

/* Memory for a unit's own state, zeroed, for as long as the unit lives; fails with a message if
 * there is no more. */
void *unit_alloc(struct unit *unit, u64 count, u64 size, struct ogv_error *error);

/* The same for what is seldom touched: kept apart, so that the rest lies close together. */
void *unit_alloc_aside(struct unit *unit, u64 count, u64 size, struct ogv_error *error);

/* For init: "this cannot be, because ..."; the unit's path is put in front. Returns false. */
bool unit_refuse(struct ogv_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* For waits: adds to the line; adds the path of a unit ("sm[3].l1"). */
void unit_say(struct unit_words *words, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void unit_say_path(struct unit_words *words, const struct unit *unit);

/* For `report`: the cycle after the last event of the whole run, if the work is done, else `now`.
 * The end is noticed only when a window is over; a unit that has been idle since may leave the
 * cycles from there on out of its account. Then it takes back what earlier reports have added. */
cycle unit_end(const struct unit *unit, cycle now);

/* The unit's own clock, for models whose times are nanoseconds; 0 where the chip does not say. */
u64 unit_clock_hz(const struct unit *unit);

/* ---- What the lists are made of ---- */
#define UNIT_FIELDS(NAME)               \
    struct {                            \
        NAME##_PORTS(UNIT_PORT_FIELD)   \
    } w;                                \
    struct {                            \
        NAME##_PARAMS(UNIT_PARAM_FIELD) \
    } p;                                \
    struct {                            \
        NAME##_STATS(UNIT_STAT_FIELD)   \
    } s;

#define UNIT_PARAM_FIELD(type, name, default_, smallest, largest, help) UNIT_FIELD_##type name;
#define UNIT_STAT_FIELD(name, measure, combine, scale, help)            u64 name;
#define UNIT_STAT_ONE(name, measure, combine, scale, help)              1 +
#define UNIT_PORT_FIELD(name, role, many, help)                         struct ports name;

#define UNIT_FIELD_number                                               u64
#define UNIT_FIELD_cycles                                               cycle
#define UNIT_FIELD_bytes                                                u64
#define UNIT_FIELD_bits                                                 u64
#define UNIT_FIELD_hertz                                                u64
#define UNIT_FIELD_bandwidth                                            u64
#define UNIT_FIELD_real                                                 double
#define UNIT_FIELD_flag                                                 u64
#define UNIT_FIELD_choice                                               u64
#define UNIT_FIELD_words                                                const char *
#define UNIT_FIELD_table                                                const char *

/* By number and by name. */
#define UNIT_STAT_FIELD_ARRAY(name, LIST) \
    union {                               \
        u64 name[LIST(UNIT_STAT_ONE) 0];  \
        struct {                          \
            LIST(UNIT_STAT_FIELD)         \
        };                                \
    };

#define UNIT_PARAM_ROW(type, name, default_, smallest, largest, help) \
    UNIT_ROW_##type(name, default_, smallest, largest, help),
#define UNIT_STAT_ROW(name, measure, combine, scale, help) { #name, measure, help, combine, scale },
#define UNIT_STAT_ROW_ARRAY(name, LIST)                    LIST(UNIT_STAT_ROW)
#define UNIT_RATIO_ROW(name, above, below, measure, help)  { #name, #above, #below, measure, help },
#define UNIT_PORT_ROW(name, role, many, help)              { #name, help, role, many },

#define UNIT_ROW_INTEGER(type, name, default_, smallest, largest, help)               \
    {                                                                                 \
#name, help, type, NULL,                                                      \
            { .integer = default_ }, { .integer = smallest }, { .integer = largest }, \
    }
#define UNIT_ROW_number(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_NUMBER, name, default_, smallest, largest, help)
#define UNIT_ROW_cycles(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_CYCLES, name, default_, smallest, largest, help)
#define UNIT_ROW_bytes(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_BYTES, name, default_, smallest, largest, help)
#define UNIT_ROW_bits(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_BITS, name, default_, smallest, largest, help)
#define UNIT_ROW_hertz(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_HERTZ, name, default_, smallest, largest, help)
#define UNIT_ROW_bandwidth(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_BANDWIDTH, name, default_, smallest, largest, help)
#define UNIT_ROW_flag(name, default_, smallest, largest, help) \
    UNIT_ROW_INTEGER(PARAM_FLAG, name, default_, smallest, largest, help)
#define UNIT_ROW_real(name, default_, smallest_, largest_, help)               \
    {                                                                          \
#name, help, PARAM_REAL, NULL,                                         \
            { .real = default_ }, { .real = smallest_ }, { .real = largest_ }, \
    }
#define UNIT_ROW_choice(name, default_, choices, unused, help)                   \
    {                                                                            \
#name, help, PARAM_CHOICE, choices, { .words = default_ }, { 0 }, { 0 }, \
    }
#define UNIT_ROW_words(name, default_, shortest, longest, help)                     \
    {                                                                               \
#name, help, PARAM_WORDS, NULL,                                             \
            { .words = default_ }, { .integer = shortest }, { .integer = longest }, \
    }

#define UNIT_ROW_table(name, default_, shortest, longest, help)                     \
    {                                                                               \
#name, help, PARAM_TABLE, NULL,                                             \
            { .words = default_ }, { .integer = shortest }, { .integer = longest }, \
    }

#define UNIT_ENERGY_ROW(name, counter, picojoules, help) { #name, #counter, picojoules, help },

#define UNIT_ENERGY(NAME)                 \
    .energy = (const struct energy_row[]) \
    {                                     \
        NAME##_ENERGY(UNIT_ENERGY_ROW)    \
        {                                 \
            0                             \
        }                                 \
    }

#define UNIT_TYPE(name_, NAME, help_, ...)                                                       \
    static const struct param_row name_##_param_rows[] = { NAME##_PARAMS(UNIT_PARAM_ROW){ 0 } }; \
    static const struct stat_row name_##_stat_rows[] = { NAME##_STATS(UNIT_STAT_ROW){ 0 } };     \
    static const struct ratio_row name_##_ratio_rows[] = { NAME##_RATIOS(UNIT_RATIO_ROW){ 0 } }; \
    static const struct port_row name_##_port_rows[] = { NAME##_PORTS(UNIT_PORT_ROW){ 0 } };     \
    _Static_assert(sizeof((struct name_ *)0)->s / sizeof(u64) + 1 ==                             \
                       sizeof name_##_stat_rows / sizeof *name_##_stat_rows,                     \
                   "the n-th counter is that of the n-th row");                                  \
    extern const struct unit_type unit_type_##name_;                                             \
    const struct unit_type unit_type_##name_ = { .name = #name_,                                 \
                                                 .help = help_,                                  \
                                                 .bytes = sizeof(struct name_),                  \
                                                 .params = name_##_param_rows,                   \
                                                 .stats = name_##_stat_rows,                     \
                                                 .ratios = name_##_ratio_rows,                   \
                                                 .ports = name_##_port_rows,                     \
                                                 .params_offset = offsetof(struct name_, p),     \
                                                 .stats_offset = offsetof(struct name_, s),      \
                                                 .ports_offset = offsetof(struct name_, w),      \
                                                 __VA_ARGS__ };

/* ---- Units outside the tree ----
 *
 * A shared object with unit types ends with OGIVE_UNITS(&unit_type_mine, &unit_type_other) and is
 * named in the architecture file under `unit_path:`. */
struct unit_library {
    u32 abi;
    u32 count;
    const struct unit_type *const *types;
};

#define OGIVE_UNITS(...)                                                      \
    static const struct unit_type *const ogive_unit_list[] = { __VA_ARGS__ }; \
    extern const struct unit_library ogive_unit_library;                      \
    const struct unit_library ogive_unit_library = {                          \
        OGIVE_UNIT_ABI,                                                       \
        sizeof ogive_unit_list / sizeof *ogive_unit_list,                     \
        ogive_unit_list,                                                      \
    };

/* For a shared object that brings instructions (custom.h) but no units. */
#define OGIVE_UNITS_NONE                                 \
    extern const struct unit_library ogive_unit_library; \
    const struct unit_library ogive_unit_library = { OGIVE_UNIT_ABI, 0, NULL };

#endif
