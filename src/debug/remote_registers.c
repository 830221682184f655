/* remote_registers.c - g, G, p and P. All registers are 64 bits, lowest byte first; of one whose
 * value is still on its way there are x's, which gdb shows as <unavailable>. */
#include <string.h>

#include "debug/remote.h"

#define DIGITS 16

static bool is_simt(const struct remote *remote)
{
    return strstr(remote->target->description(remote->target->context), "\"warp\"");
}

static u32 register_count(const struct remote *remote)
{
    return is_simt(remote) ? TARGET_REGISTERS : TARGET_REGISTERS_MIMD;
}

static void register_add(const struct target_registers *registers, u32 number, struct text *out)
{
    if (registers->known[number])
        hex_add(out, &registers->value[number], sizeof(u64)); /* hosts are little-endian */
    else
        text_add(out, "xxxxxxxxxxxxxxxx");
}

static void registers_read(struct remote *remote, u32 first, u32 count)
{
    struct target_registers registers = { 0 };
    struct text payload = { 0 };
    remote->target->registers(remote->target->context, remote->general, &registers);
    for (u32 i = first; i < first + count; i++)
        register_add(&registers, i, &payload);
    remote_answer_bytes(remote, payload.chars, payload.length);
    text_fini(&payload);
}

/* In all lanes of a warp. */
static void lanes_read(struct remote *remote, u32 number)
{
    u64 values[TARGET_LANES_MAX] = { 0 };
    u32 count = 0;
    struct text payload = { 0 };
    bool known =
        remote->target->lanes(remote->target->context, remote->general, number, values, &count);
    for (u32 i = 0; i < count && !known; i++)
        text_add(&payload, "xxxxxxxxxxxxxxxx");
    if (known)
        hex_add(&payload, values, count * sizeof *values);
    remote_answer_bytes(remote, text_get(&payload), payload.length);
    text_fini(&payload);
}

static bool register_set(struct remote *remote, u32 number, const char *digits, struct text *why)
{
    u64 value = 0;
    if (hex_bytes(digits, (u8 *)&value, sizeof value) != sizeof value) {
        text_add(why, "a register takes 16 digits");
        return false;
    }
    return remote->target->set_register(remote->target->context, remote->general, number, value,
                                        why);
}

static void remote_finish(struct remote *remote, bool good, struct text *why)
{
    if (good)
        remote_answer(remote, "OK");
    else
        remote_refuse(remote, "%s", text_get(why));
    text_fini(why);
}

/* gdb sends all, of which few differ; only these are set. */
static void registers_write(struct remote *remote, const char *digits)
{
    struct target_registers now = { 0 };
    struct text why = { 0 };
    bool good = strlen(digits) >= DIGITS * (size_t)register_count(remote);
    if (!good)
        text_add(&why, "that is not all registers");
    remote->target->registers(remote->target->context, remote->general, &now);
    for (u32 i = 0; good && i < register_count(remote); i++) {
        u64 value;
        const char *at = digits + DIGITS * (size_t)i;
        bool differs = hex_bytes(at, (u8 *)&value, sizeof value) == sizeof value && now.known[i] &&
                       value != now.value[i];
        good = !differs || register_set(remote, i, at, &why);
    }
    remote_finish(remote, good, &why);
}

static bool read_number(const struct remote *remote, const char **at, u32 *number)
{
    u64 value;
    u32 lanes = is_simt(remote) ? TARGET_LANES_COUNT : 0;
    if (!hex_number(at, &value) || value >= register_count(remote) + lanes)
        return false;
    *number = (u32)value;
    return true;
}

static void register_write(struct remote *remote, const char *at)
{
    struct text why = { 0 };
    u32 number;
    bool good = read_number(remote, &at, &number) && *at++ == '=';
    if (!good)
        text_add(&why, "no such register");
    else if (number >= TARGET_LANES)
        text_add(&why, "lanes are set one by one, each in its own thread");
    good = good && number < TARGET_LANES;
    remote_finish(remote, good && register_set(remote, number, at, &why), &why);
}

bool remote_registers(struct remote *remote, const char *packet)
{
    const char *at = packet + 1;
    u32 number;
    switch (*packet) {
    case 'g':
        registers_read(remote, 0, register_count(remote));
        return true;
    case 'G':
        registers_write(remote, at);
        return true;
    case 'p':
        if (!read_number(remote, &at, &number) || *at)
            remote_answer(remote, "E01");
        else if (number >= TARGET_LANES)
            lanes_read(remote, number - TARGET_LANES);
        else
            registers_read(remote, number, 1);
        return true;
    case 'P':
        register_write(remote, at);
        return true;
    default:
        return false;
    }
}
