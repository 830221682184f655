/* technology.h - from 65 nm, for which energies and areas are published, to other nodes.
 *
 * The rule is that of Stillmaker and Baas, "Scaling equations for the accurate prediction of CMOS
 * device performance from 180 nm to 7 nm", Integration 58 (2017): energy of an operation is
 * a V^2 + b V + c with a, b, c by node, area a factor by node. Between two nodes of the table, a
 * power law; docs/energy.md has the table and its limits. */
#ifndef ARCH_TECHNOLOGY_H
#define ARCH_TECHNOLOGY_H

#include "ogive/types.h"

#define TECHNOLOGY_NODE_NM     65.0 /* of published numbers */
#define TECHNOLOGY_SMALLEST_NM 5.0
#define TECHNOLOGY_LARGEST_NM  130.0
#define TECHNOLOGY_SUPPLY_MIN  0.5
#define TECHNOLOGY_SUPPLY_MAX  1.5

struct technology {
    double node_nm, supply_v;
};

/* What the numbers of 65 nm at its usual supply are multiplied by. */
struct technology_scale {
    double energy, area, leakage;
};

/* The usual supply of a node. */
double technology_supply(double node_nm);
struct technology_scale technology_scale(const struct technology *technology);

#endif
