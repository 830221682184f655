#!/usr/bin/env python3
"""Puts stand-ins for the two tree trunks into San Miguel, whose public copy lacks them.

    bench/san-miguel-trunks.py san-miguel.ply out/san-miguel.ply [LEAVES [SEED]]

Two trunks branch in three until a branch has at most LEAVES leaves (default 40: 428,312 triangles),
and lead to all leaves of the canopies, which are the pairs of triangles above 2.5 m that touch
nothing else. This is no copy of the real trunks: it is to see how much it matters that they are
missing (docs/fidelity.md). Needs python3-numpy."""
import sys

import numpy as np

random = np.random.default_rng(int(sys.argv[4]) if len(sys.argv) > 4 else 1)


def mesh_read(path):
    with open(path, 'rb') as file:
        header = file.readline()
        if header != b'ply\n':
            sys.exit(f'{path}: is no PLY file')
        while not header.endswith(b'end_header\n'):
            line = file.readline()
            if not line:
                sys.exit(f'{path}: the header has no end')
            header += line
        counts = {words[1]: int(words[2]) for words in map(bytes.split, header.splitlines())
                  if words[0] == b'element'}
        vertices = np.frombuffer(file.read(counts[b'vertex'] * 12), '<f4').reshape(-1, 3)
        faces = np.frombuffer(file.read(), np.dtype([('n', 'u1'), ('i', '<i4', 3)]))['i']
        if len(faces) != counts[b'face']:
            sys.exit(f'{path}: has not the triangles that its header says')
        return vertices, faces


def mesh_write(path, vertices, faces):
    rows = np.zeros(len(faces), np.dtype([('n', 'u1'), ('i', '<i4', 3)]))
    rows['n'], rows['i'] = 3, faces
    with open(path, 'wb') as file:
        file.write(b'ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\n'
                   b'property float y\nproperty float z\nelement face %d\nproperty list uchar int '
                   b'vertex_indices\nend_header\n' % (len(vertices), len(faces)))
        file.write(vertices.astype('<f4').tobytes() + rows.tobytes())


def leaves_find(vertices, faces):
    """Where they are, twice each: by triangle."""
    uses = np.sort(np.bincount(faces.ravel())[faces], axis=1)
    centres = vertices[faces].mean(1)
    return centres[(uses == (1, 2, 2)).all(1) & (centres[:, 1] > 2.5)]


def clusters(points, count, rounds):
    middles = points[random.choice(len(points), count, replace=False)]
    for _ in range(rounds):
        nearest = np.argmin(((points[:, None] - middles[None])**2).sum(2), 1)
        for i in range(count):
            if (nearest == i).any():
                middles[i] = points[nearest == i].mean(0)
    return [points[nearest == i] for i in range(count) if (nearest == i).any()]


class Trees:
    def __init__(self, first, leaves_most):
        self.first, self.leaves_most, self.vertices, self.faces = first, leaves_most, [], []

    def branch(self, start, end, radius_start, radius_end, sides, parts, bend):
        along = end - start
        length = np.linalg.norm(along)
        across = np.cross(along, (0.3, 0.9, 0.2))
        across /= np.linalg.norm(across)
        other = np.cross(along / length, across)
        base = self.first + len(self.vertices)
        for part in range(parts + 1):
            centre = start + along * part / parts
            if 0 < part < parts:
                centre = centre + random.normal(size=3) * bend * length
            radius = radius_start + (radius_end - radius_start) * part / parts
            for angle in 2 * np.pi * np.arange(sides) / sides:
                self.vertices.append(centre + radius * (np.cos(angle) * across + np.sin(angle) * other))
        for a in range(base, base + parts * sides):
            b = a + 1 if (a + 1 - base) % sides else a + 1 - sides
            self.faces += [(a, b, a + sides), (b, b + sides, a + sides)]

    def grow(self, start, leaves, radius):
        if len(leaves) <= self.leaves_most:
            self.branch(start, leaves.mean(0), radius, 0.003, 4, 2, 0.05)
            return
        for part in clusters(leaves, 3, 6):
            end = start + (part.mean(0) - start) * 0.7
            radius_end = radius * max(0.3, (len(part) / len(leaves))**0.5)
            self.branch(start, end, radius, radius_end, 6 if len(leaves) < 4000 else 10,
                        2 if len(leaves) < 1000 else 6, 0.04)
            self.grow(end, part, radius_end)


def main():
    if len(sys.argv) not in (3, 4, 5):
        sys.exit(__doc__)
    vertices, faces = mesh_read(sys.argv[1])
    trees = Trees(len(vertices), 2 * int(sys.argv[3] if len(sys.argv) > 3 else 40))
    for canopy in clusters(leaves_find(vertices, faces), 2, 20):
        x, _, z = canopy.mean(0)
        trees.branch(np.array((x, 0, z)), np.array((x, 3, z)), 0.35, 0.3, 16, 20, 0.005)
        trees.grow(np.array((x, 3, z)), canopy, 0.25)
    mesh_write(sys.argv[2], np.concatenate((vertices, trees.vertices)),
               np.concatenate((faces, trees.faces)))
    print(f'{len(trees.faces)} triangles added')


if __name__ == '__main__':
    main()
