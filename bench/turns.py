#!/usr/bin/env python3
"""turns.py - this program against another build of it, run in turns.

    ./run bench turns OTHER [--turns N] [-- ARGUMENTS OF ogive run]

OTHER is the `ogive` of another build, of the commit before a change, say. Both simulate the same
things turn by turn, the other one first, so that who else uses the machine slows both down alike.
Their statistics must be the same, digests included. Without arguments: RTX 2080, 256 x 256 and
1024 x 1024, primary, secondary and tertiary rays, one thread; Sponza from its published view if its
mesh is found (--meshes, $OGIVE_MESHES, meshes/), else the arcade.

Times are of the simulation alone, without its start and its report. The last two columns are the
ratio of the fastest turns and the median of the ratios turn by turn."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

from frames import PUBLISHED_VIEW, meshes_option, program_find, scene_find

TIMES = ('wall_seconds', 'cycles_per_wall_second')


def frames(meshes):
    for size in (256, 1024):
        for rays in ('primary', 'secondary', 'tertiary'):
            yield ('rtx2080', *scene_find(meshes), '--rays', rays, '--size', f'{size}x{size}',
                   '--threads', '1')


def simulate(program, arguments, folder):
    """One run: its statistics without times, its cycles, and its seconds of simulation."""
    out = os.path.join(folder, 'run')
    before, program_arguments = arguments, ()
    if '--' in arguments:
        cut = arguments.index('--')
        before, program_arguments = arguments[:cut], arguments[cut:]
    command = [program, 'run', *before, '--out', out, '--no-report', '--progress', 'none',
               *program_arguments]
    run = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.exit(f'turns: {" ".join(command)}\n{run.stderr}')
    with open(os.path.join(out, 'stats.json'), encoding='utf-8') as file:
        stats = json.load(file)
    subprocess.run(['rm', '-rf', out], check=True)
    seconds = stats['summary']['wall_seconds']
    for name in TIMES:
        del stats['summary'][name]
    return stats, stats['summary']['cycles'], seconds


def shown(arguments):
    hidden = set(PUBLISHED_VIEW)
    return ' '.join(word for word in arguments if word not in hidden)


def compare(other, this, arguments, turns, folder):
    """Both in turns; prints a line."""
    seconds = {other: [], this: []}
    for _ in range(turns):
        results = []
        for program in (other, this):
            stats, cycles, time = simulate(program, arguments, folder)
            results.append(stats)
            seconds[program].append(time)
        if results[0] != results[1]:
            sys.exit(f'turns: the two programs do not count the same: {shown(arguments)}')
    rate = {program: cycles / min(times) / 1e3 for program, times in seconds.items()}
    ratios = [a / b for a, b in zip(seconds[other], seconds[this])]
    print(f'{shown(arguments)}\n    {cycles} cycles  {rate[other]:8.1f} -> {rate[this]:8.1f} '
          f'k cycles/s  {rate[this] / rate[other]:5.2f} x  {statistics.median(ratios):5.2f} x',
          flush=True)


def main():
    words = argparse.ArgumentParser(prog='./run bench turns',
                                    description='this program against another build, in turns')
    words.add_argument('other', nargs='?', help='the program to compare with: BUILD/src/cli/ogive')
    words.add_argument('--turns', type=int, default=3, help='how often each runs (default: 3)')
    meshes_option(words)
    words.epilog = 'After --: the arguments of one `ogive run`, instead of the frames.'
    cut = sys.argv.index('--') if '--' in sys.argv else len(sys.argv)
    given, asked = words.parse_args(sys.argv[1:cut]), tuple(sys.argv[cut + 1:])
    if given.other is None:
        print('There is nothing to compare with: ./run bench turns OTHER')
        return
    this = program_find()
    for program in (given.other, this):
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            sys.exit(f'turns: {program}: no program that can be run')
    if given.turns < 1:
        sys.exit('turns: --turns must be at least 1')
    with tempfile.TemporaryDirectory(prefix='ogive-turns-') as folder:
        for arguments in [asked] if asked else frames(given.meshes):
            compare(os.path.abspath(given.other), this, arguments, given.turns, folder)


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
