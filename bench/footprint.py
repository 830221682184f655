#!/usr/bin/env python3
"""footprint.py - whose memory the host's last-level cache cannot hold.

    ./run bench footprint [--cache KiB] [--size WxH] [--meshes DIR | --scene FILE]

Simulates secondary rays on the RTX 2080 with one thread, in a build of its own that announces each
access to memory to a simulated cache (footprint.c), and prints the misses by what was allocated:
the unit types' structs, their arrays, links and their places. A server's processors share their
last level, of which a program may get a few MiB only, and behind it each line costs as much as
hundreds of instructions. The scene is Crytek Sponza as for `./run bench instructions`."""
import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile

from frames import program_find, scene_chosen, scene_option
from tables import table_print

WRAPPED = ('memcpy', 'memset', 'arena_alloc', 'unit_alloc', 'unit_alloc_aside', 'sim_add_unit',
           'sim_add_link', 'sim_run')
SHOWN_FROM = 0.003  # what has less of all misses is part of the rest


def command(words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f'footprint: {shlex.join(words)} failed\n{done.stdout}{done.stderr}')
    return done.stdout


def program_build(build, here):
    """The program with its accesses announced: a build folder beside that of the benchmark."""
    hooks = os.path.join(build, 'footprint.o')
    os.makedirs(build, exist_ok=True)
    command(['gcc', '-O2', '-fPIC', '-D_GNU_SOURCE', '-std=gnu11', '-Isrc', '-Iinclude', '-c',
             os.path.join(here, 'footprint.c'), '-o', hooks])
    wrap = ','.join('--wrap=' + name for name in WRAPPED)
    if not os.path.exists(os.path.join(build, 'build.ninja')):
        command(['meson', 'setup', build, '-Ddefault_library=static',
                 '-Dc_args=-fsanitize=thread --param=tsan-instrument-func-entry-exit=0 '
                 '-fno-builtin-memcpy -fno-builtin-memset',
                 f'-Dc_link_args={hooks} -ldl -Wl,{wrap}'])
    command(['ninja', '-C', build, 'src/cli/ogive'])
    return os.path.join(build, 'src/cli/ogive')


def places_read(text):
    """What footprint.c wrote: accesses, misses of the first level, and rows of misses by loads and
    by stores, bytes, name."""
    lines = text.splitlines()
    accesses, near = (int(word) for word in lines[0].split())
    rows = []
    for line in lines[1:]:
        loads, stores, size, *name = line.split(' ', 3)
        rows.append((int(loads), int(stores), int(size), name[0] if name and name[0] else 'others'))
    return accesses, near, rows


def place_name(name, resolve):
    """'@1afd4e 704' is an element's size and where it was asked for."""
    if not name.startswith('@'):
        return name
    address, size = name[1:].split()
    function, place = resolve(address)
    return f'{os.path.relpath(place)} {function}: {int(size):,} B each'


def resolver(program):
    def resolve(address):
        function, place = command(['addr2line', '-ife', program, '0x' + address]).splitlines()[:2]
        return function, place.split(' ')[0]
    return resolve


def table_rows(rows, rays, resolve):
    """The table's rows, as words: the most misses first, then the rest and all."""
    total = sum(loads + stores for loads, stores, _, _ in rows)
    shown = sorted((row for row in rows if row[0] + row[1] >= SHOWN_FROM * max(total, 1)),
                   key=lambda row: -row[0] - row[1])
    rest = [sum(row[i] for row in rows if row not in shown) for i in range(3)]
    named = [(*row[:3], place_name(row[3], resolve)) for row in shown]
    named += [(*rest, 'the rest'), (*(sum(row[i] for row in rows) for i in range(3)), 'all')]
    return [('allocated', 'misses', 'share', 'per ray', 'by stores', 'KiB')] + [
        (name, f'{loads + stores:,}', f'{100 * (loads + stores) / max(total, 1):.1f}%',
         f'{(loads + stores) / rays:,.1f}', f'{stores:,}', f'{size / 1024:,.0f}')
        for loads, stores, size, name in named]


def main():
    parser = argparse.ArgumentParser(prog='./run bench footprint',
                                     description='whose memory the host\'s cache cannot hold')
    scene_option(parser)
    parser.add_argument('--cache', metavar='KiB', type=int, default=6144,
                        help='size of the simulated last level, in KiB (default: 6144)')
    parser.add_argument('--size', metavar='WxH', default='256x256',
                        help='of the frame in pixels (default: 256x256)')
    options = parser.parse_args()
    if options.cache < 64:
        parser.error('--cache: at least 64 KiB')
    if not os.path.exists('meson.build'):
        sys.exit('footprint: start it by `./run bench footprint`, in the folder of the sources')
    here = os.path.dirname(os.path.abspath(__file__))
    scene = scene_chosen(options)
    print(f'RTX 2080, secondary rays, {options.size}, {os.path.basename(scene[1])}, '
          f'a last level of {options.cache:,} KiB', flush=True)
    build = os.path.normpath(os.path.join(os.path.dirname(program_find()), '../..'))
    program = program_build(build + '-footprint', here)
    with tempfile.TemporaryDirectory(prefix='ogive-bench-') as folder:
        out, results = os.path.join(folder, 'misses'), os.path.join(folder, 'results')
        command([program, 'run', 'rtx2080', *scene, '--rays', 'secondary', '--size', options.size,
                 '--threads', '1', '--progress', 'none', '--no-report', '--out', results],
                env=os.environ | {'OGIVE_FOOTPRINT_KIB': str(options.cache),
                                  'OGIVE_FOOTPRINT_OUT': out})
        with open(out) as file:
            accesses, near, rows = places_read(file.read())
        with open(os.path.join(results, 'stats.json')) as file:
            rays = json.load(file)['summary']['rays']
    print(f'{accesses:,} accesses, {near:,} misses of 32 KiB\n')
    table_print(table_rows(rows, rays, resolver(program)))


if __name__ == '__main__':
    main()
