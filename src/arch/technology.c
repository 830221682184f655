/* technology.c - the table of nodes, and the factors on energy, leakage and area between two
 * rows of it. */
#include "arch/technology.h"

#include <math.h>

/* Area against 65 nm and coefficients of energy, of high-performance transistors: Stillmaker and
 * Baas 2017; supplies: those of the Predictive Technology Model, on which they build. 5 nm is not
 * among them: TSMC states 1.8 times the density and 30% less power at the same speed for N5
 * against N7 (2020). */
struct node_row {
    double nm, area, a, b, c, supply;
};

static const struct node_row rows[] = {
    { 130, 4.3, 7.171, -6.709, 2.904, 1.3 },
    { 90, 1.9, 4.762, -4.781, 2.092, 1.2 },
    { 65, 1.0, 3.755, -4.398, 1.975, 1.1 },
    { 45, 0.66, 1.018, -0.3107, 0.1539, 1.0 },
    { 32, 0.31, 0.8367, -0.4341, 0.1701, 0.9 },
    { 20, 0.14, 0.373, -0.1582, 0.04104, 0.9 },
    { 16, 0.13, 0.2958, -0.1241, 0.03024, 0.85 },
    { 14, 0.12, 0.2363, -0.09675, 0.02239, 0.8 },
    { 10, 0.068, 0.2068, -0.09311, 0.02375, 0.75 },
    { 7, 0.039, 0.1776, -0.09097, 0.02447, 0.7 },
    { 5, 0.039 / 1.8, 0.7 * 0.1776, 0.7 * -0.09097, 0.7 * 0.02447, 0.7 },
};

#define ROWS (sizeof rows / sizeof *rows)

/* The two rows around a node, and how far it is from the first to the second, in logarithms. */
static const struct node_row *rows_around(double nm, double *way)
{
    const struct node_row *row = rows;
    while (row + 2 < rows + ROWS && nm < row[1].nm)
        row++;
    *way = log(row[0].nm / nm) / log(row[0].nm / row[1].nm);
    return row;
}

static double value_between(double first, double second, double way)
{
    return first * pow(second / first, way);
}

static double energy_at(const struct node_row *row, double volts)
{
    return (row->a * volts + row->b) * volts + row->c;
}

double technology_supply(double node_nm)
{
    double way;
    const struct node_row *row = rows_around(node_nm, &way);
    return value_between(row[0].supply, row[1].supply, way);
}

struct technology_scale technology_scale(const struct technology *technology)
{
    double way, base_way, volts = technology->supply_v;
    const struct node_row *row = rows_around(technology->node_nm, &way);
    const struct node_row *base = &rows_around(TECHNOLOGY_NODE_NM, &base_way)[1];
    double area = value_between(row[0].area, row[1].area, way);
    return (struct technology_scale){
        .energy = value_between(energy_at(&row[0], volts), energy_at(&row[1], volts), way) /
                  energy_at(base, base->supply),
        .area = area,
        .leakage = area * volts / base->supply,
    };
}
