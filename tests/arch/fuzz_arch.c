/* fuzz_arch.c - any bytes at all as an architecture file: read and checked, or refused with a
 * message. What is accepted must mean the same when it is written out and read again. */
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/plan.h"
#include "base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The chip that the text describes, written out; NULL if it is none. */
static char *export_text(const char *text, size_t length, struct ogv_error *error)
{
    ogv_arch *arch = arch_parse("text", text, length, ARCH_ALONE, error);
    struct plan *plan = arch ? plan_create(arch, error) : NULL;
    struct text out = { 0 };
    if (plan)
        plan_export(plan, &out);
    plan_destroy(plan);
    ogv_arch_destroy(arch);
    return out.chars;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ogv_error error = { 0 };
    ogv_memory_allow(4 * GiB); /* what the machine has differs from one moment to the next */
    char *once = export_text((const char *)data, size, &error);
    if (!once) {
        if (error.kind != OGV_ERROR_USER || !error.message[0])
            ogv_bug("refused without a reason");
        return 0;
    }
    char *twice = export_text(once, strlen(once), &error);
    if (!twice)
        ogv_bug("what was written cannot be read: %s\n%s", error.message, once);
    if (strcmp(once, twice))
        ogv_bug("written once:\n%s\nand again:\n%s", once, twice);
    free(once);
    free(twice);
    return 0;
}
