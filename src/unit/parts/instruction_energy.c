/* instruction_energy.c - pipelines by class, and what nobody has published. */
#include "unit/parts/instruction_energy.h"

/* By class. */
static const struct {
    u8 class;
    double mm2;
} pipelines[] = {
    { CLASS_INT_ADD, MM2_INT_ADD }, { CLASS_INT_LOGIC, MM2_INT_ADD },
    { CLASS_BRANCH, MM2_INT_ADD },  { CLASS_INT_MUL, MM2_INT_MUL },
    { CLASS_FP_ADD, MM2_FP_ADD },   { CLASS_FP_MUL, MM2_FP_MUL },
    { CLASS_FP_DIV, MM2_FP_DIV },   { CLASS_FP_COMPARE, MM2_FP_COMPARE },
    { CLASS_FP_SQRT, MM2_FP_DIV },  { CLASS_FP_CONVERT, MM2_FP_CONVERT },
    { CLASS_INT_DIV, MM2_FP_DIV },
};

double pipelines_area(const struct executor *classes)
{
    double mm2 = 0;
    for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; i++)
        if (classes[pipelines[i].class].port == PORT_NONE)
            mm2 += pipelines[i].mm2;
    return mm2;
}

void custom_energies(const struct executor *customs, double *energies)
{
    const struct isa *isa = isa_shared();
    for (u32 i = 0; i < isa_custom_count(isa); i++)
        if (isa_custom_at(isa, i)->execute && customs[i].port == PORT_NONE)
            energies[isa_custom_at(isa, i)->space] = COST_UNKNOWN;
}
