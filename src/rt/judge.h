/* judge.h - whether a hit found by our traversal is right, given the reference's.
 *
 * Both tests of a triangle round to single precision, and differently: near edges, between surfaces
 * that lie on each other, and in the last bits of t they may disagree, and neither is wrong. What
 * is allowed is stated here in terms of geometry, and computed in double precision.
 *
 * Rounding. With e = 2^-24 and R the distance from the ray's origin to the triangle's farthest
 * corner, every corner is moved by a few e R when it is brought into the ray's frame, so a ray that
 * passes an edge by less than
 *
 *     rounding = 8 e R
 *
 * may be on either side of it. Cancellation in the edge functions adds to the error of t, for
 * triangles that look like needles: with L the longest edge, l the longest as seen along the ray
 * and a the area as seen along the ray,
 *
 *     slack = rounding + 2 e L l^2 / 2a
 *
 * A hit (triangle, t) is *valid* if t_min <= t <= t_max, the point of the ray at t lies within
 * slack of the triangle, u and v are those of a point of the triangle, and that one lies within
 * slack of the ray.
 *
 * Two valid hits are a *tie* if each one's point lies within both slacks of the other's triangle.
 *
 * A ray is *covered* before t if it, and 16 parallel rays around it at distances of once and twice
 * the rounding, all hit something in front of t by more than the slack: something is there that no
 * rounding can hide, be it one triangle or several that share edges.
 *
 * Our hit is right if it is valid (or none) and
 *     SAME  the reference names the same triangle, or neither names one; or
 *     TIE   it is a tie with the reference's; or
 *     EDGE  the ray is not covered before our hit (or before t_max, if we have none).
 * Otherwise it is wrong: a hit that is not there, or a miss of one that is.
 *
 * Edges are rare in any picture; a proof also limits how many there may be. */
#ifndef RT_JUDGE_H
#define RT_JUDGE_H

#include "ogive/rt_ray.h"
#include "rt/mesh.h"

enum verdict { VERDICT_SAME, VERDICT_TIE, VERDICT_EDGE, VERDICT_WRONG };

#define VERDICTS       4

/* In steps of 2^-24 of what the formulas say; see above. */
#define JUDGE_ROUNDING 8
#define JUDGE_NEEDLE   2

enum verdict judge(const struct mesh *mesh, const struct rt_ray *ray, const struct rt_hit *ours,
                   const struct rt_hit *reference);

/* How far off a hit is, as a part of what is allowed: valid if at most 1. */
double judge_error(const struct mesh *mesh, const struct rt_ray *ray, const struct rt_hit *hit);

#endif
