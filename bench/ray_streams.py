#!/usr/bin/env python3
"""ray_streams.py - machines that bring rays to data beside machines that bring data to rays.

    ./run bench ray-streams [--machines NAME[:SETTING[:SETTING...]],...]
                            [--scenes NAME[:WxH],...] [--rays KIND,...] [--size WxH] [--jobs N]
                            [--keep DIR] [--page FILE]

Traces one ray per pixel of each kind through each scene on each machine, and prints what came of
it: rays per second, bytes of DRAM for each ray by what they were for, energy, row hits. Hits are
compared with the reference's in every run. With --page, the table goes into that page, between the
comments that mark its place, and charts of the traffic over time beside the page.

With --keep, whatever is done stays done: a run whose folder has its figures is not made again, if
it is the same command of the same program, so that the benchmark can be stopped and started again.
A run that fails is said at the end, and does not stop the others. --no-runs makes the table from
what such a folder has, whichever program and machine it comes from.

On a machine without the compiler for device programs, --programs names a folder in which
--build-programs has put them, on one that has it."""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

from frames import PUBLISHED_VIEW, SAN_MIGUEL_VIEW, meshes_option, program_find
from pages import table_put

# Those that are not shipped with this build are left out.
MACHINES = ('rtx2080', 'trax-rt-compressed', 'trax-sw', 'strata', 'strata-sw',
            'rtx2080-strata', 'dual-streaming', 'dual-streaming-sw', 'rtx2080-dual-streaming')
SCENES = ('sponza', 'san-miguel', 'arcade', 'forest')
KINDS = ('primary', 'secondary', 'tertiary')
VIEWS = {'sponza': PUBLISHED_VIEW, 'san-miguel': SAN_MIGUEL_VIEW}
PURPOSES = ('scene', 'ray', 'hit', 'frame', 'stack', 'other')
COLUMNS = ('scene', 'ray', 'hit', 'other')  # of the table; the rest is in `other`
CHART_KIND = 'secondary'
INTERVAL = 1000  # cycles, for charts


# --- running ---------------------------------------------------------------------------------

def machines_choose(program, asked):
    """Of what was asked for, or of all that the study knows, what this build can run."""
    listed = subprocess.run([program, 'archs'], check=True, capture_output=True, text=True).stdout
    there = {line.split()[0] for line in listed.splitlines() if line.split()}
    if not asked:
        return [name for name in MACHINES if name.split(':')[0] in there]
    for name in asked.split(','):
        arch = name.split(':')[0]
        if arch not in there and not os.path.isfile(arch):
            sys.exit(f'ray-streams: no machine {arch}; `ogive archs` lists them')
    return asked.split(',')


def scene_words(scene, meshes):
    """Options for a scene: a mesh of the folder with its view, or a shipped one."""
    for ending in ('.ply', '.ply.xz'):
        mesh = os.path.join(meshes, scene + ending)
        if os.access(mesh, os.R_OK):
            return ['--scene', mesh, *VIEWS.get(scene, ())]
    return ['--scene', scene]


def scenes_choose(program, asked, meshes, size):
    """Names and sizes. Meshes that are not there are left out, and said to be."""
    listed = subprocess.run([program, 'scenes'], check=True, capture_output=True, text=True).stdout
    shipped = {line.split()[0] for line in listed.splitlines() if line.split()}
    chosen = []
    for words in (asked.split(',') if asked else SCENES):
        scene, _, own = words.partition(':')
        if scene in shipped or scene_words(scene, meshes)[1] != scene:
            chosen.append((scene, own or size))
        else:
            print(f'ray-streams: {meshes} has no {scene}: left out', file=sys.stderr)
    return chosen


def run_words(program, machine, words, out):
    arch, *settings = machine.split(':')
    command = [program, 'run', arch, *words, '--out', out, '--threads', '1', '--no-report',
               '--progress', 'none', '--interval', str(INTERVAL)]
    for setting in settings:
        command += ['--set', setting]
    return command


class RunFailed(Exception):
    """A command that did not end well; what it said."""


def command_run(command):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        raise RunFailed(f'{" ".join(command)}\n{run.stdout}')


def stats_read(folder):
    with open(os.path.join(folder, 'stats.json'), encoding='utf-8') as file:
        return json.load(file)


def figures_kept(folder, key):
    """The figures of a run that was made before, by this key if there is one, or None."""
    try:
        with open(os.path.join(folder, 'figures.json'), encoding='utf-8') as file:
            kept = json.load(file)
    except (OSError, ValueError):
        return None
    return kept['figures'] if key in (None, kept.get('key')) else None


def figures_keep(folder, key, figures):
    path = os.path.join(folder, 'figures.json')
    with open(path + '.part', 'w', encoding='utf-8') as file:
        json.dump({'key': key, 'figures': figures}, file, indent=1)
    os.replace(path + '.part', path)


def run_measure(program, machine, words, folder):
    """One run, unless it was made before; the figures of the table."""
    out = os.path.join(folder, 'run')
    command = run_words(program, machine, words, out)
    key = [*command[1:], file_hash(program)]
    found = figures_kept(folder, key)
    if not found:
        shutil.rmtree(out, ignore_errors=True)
        command_run(command)
        found = figures_read(out)
        figures_keep(folder, key, found)
    return found


@functools.cache
def file_hash(path):
    if not os.path.isfile(path):
        return ''
    with open(path, 'rb') as file:
        return hashlib.file_digest(file, 'sha256').hexdigest()


def figures_read(out):
    stats = stats_read(out)
    groups = stats['groups'].values()

    def total(name):
        return sum(group.get(name, 0) for group in groups)

    summary = stats['summary']
    rays = summary['rays']
    bytes_of = {purpose: total(f'bytes_read_{purpose}') + total(f'bytes_written_{purpose}')
                for purpose in PURPOSES}
    rows = total('row_hits') + total('row_misses') + total('row_conflicts')
    return {'cycles': summary['cycles'], 'mrays_per_s': summary.get('mrays_per_s'),
            'nj_per_ray': summary.get('nj_per_ray'), 'bytes': bytes_of, 'rays': rays,
            'row_hits': total('row_hits') / rows if rows else None}


def chart_make(program, folder, path):
    command_run([program, 'plot', os.path.join(folder, 'run'), '--traffic', '--size', '640x300',
                 '-o', path])


def file_name(*words):
    plain = '-'.join(words)
    return ''.join(c if c.isalnum() or c in '-_' else '-' for c in plain)


def program_path(folder, machine):
    return os.path.join(folder, file_name(machine) + '.elf')


def programs_build(program, machines, folder):
    """Programs for machines, as they would be compiled for a run on each."""
    os.makedirs(folder, exist_ok=True)
    for machine in machines:
        with tempfile.TemporaryDirectory(prefix='ogive-ray-streams-') as scratch:
            out = os.path.join(scratch, 'run')
            command_run(run_words(program, machine,
                                  ['--scene', 'cornell', '--rays', 'primary', '--size', '8x8'], out))
            with open(os.path.join(out, 'run.json'), encoding='utf-8') as file:
                run = json.load(file)
        made = run['workload']
        command = [program, 'programs', 'build', run['options']['program'], '--nodes',
                   made['nodes'], '--primitives', made['primitives'], '-o',
                   program_path(folder, machine)]
        if 'treelet_bytes' in made:
            command += ['--treelets', f'{made["treelet_bytes"]}B']
        if made.get('joined'):
            command += ['--joined']
        command_run(command)


def all_measure(program, given, machines, scenes):
    """Figures by scene, size, kind and machine, and what failed."""
    figures, failed = {}, []

    def measure(scene, size, kind, machine):
        words = [*scene_words(scene, given.meshes), '--rays', kind, '--size', size]
        if given.programs:
            words += ['--program', program_path(given.programs, machine)]
        with tempfile.TemporaryDirectory(prefix='ogive-ray-streams-') as scratch:
            folder = scratch
            if given.keep:
                folder = os.path.join(given.keep, file_name(scene, size, kind, machine))
            if given.no_runs:
                found = figures_kept(folder, None)
            else:
                os.makedirs(folder, exist_ok=True)
                found = run_measure(program, machine, words, folder)
            if found and given.page and kind == CHART_KIND and not given.no_charts:
                chart_make(program, folder, chart_path(given.page, scene, machine))
        return found

    pool = concurrent.futures.ThreadPoolExecutor(given.jobs)
    asked = {pool.submit(measure, *scene, kind, machine): (*scene, kind, machine)
             for scene in scenes for kind in given.rays.split(',') for machine in machines}
    try:
        for done in concurrent.futures.as_completed(asked):
            try:
                found = done.result()
                if not found:
                    print('ray-streams: not kept:', ', '.join(asked[done]), file=sys.stderr)
                    continue
                figures[asked[done]] = found
                print(', '.join(asked[done]), figures[asked[done]]['cycles'], file=sys.stderr,
                      flush=True)
            except RunFailed as error:
                failed.append(str(error))
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C begins no more runs
    return {key: figures[key] for key in asked.values() if key in figures}, failed


# --- saying ----------------------------------------------------------------------------------

def number(value, digits):
    return '' if value is None else f'{value:.{digits}f}'


def table_lines(figures):
    yield ('| scene | pixels | rays | machine | cycles | Mrays/s | bytes per ray | ' +
           ' | '.join(f'for {name}' for name in COLUMNS) + ' | row hits | nJ per ray |')
    yield '|---|--:|---|---|' + '--:|' * (5 + len(COLUMNS))
    for (scene, size, kind, machine), found in figures.items():
        per_ray = {name: count / found['rays'] for name, count in found['bytes'].items()}
        whole = sum(per_ray.values())
        shown = {name: per_ray[name] for name in COLUMNS}
        shown['other'] = whole - sum(shown[name] for name in COLUMNS if name != 'other')
        share = found['row_hits']
        yield (f'| {scene} | {size.replace("x", " x ")} | {kind} | `{machine}` | {found["cycles"]} | '
               f'{number(found["mrays_per_s"], 1)} | {whole:.1f} | ' +
               ' | '.join(f'{shown[name]:.1f}' for name in COLUMNS) +
               f' | {"" if share is None else f"{100 * share:.1f}%"} | '
               f'{number(found["nj_per_ray"], 2)} |')


def chart_path(page, scene, machine):
    return os.path.splitext(page)[0] + '-' + file_name(scene, machine) + '.svg'


def main():
    words = argparse.ArgumentParser(prog='./run bench ray-streams',
                                    description='machines of ray streams beside others')
    words.add_argument('--machines', help='names, with commas; settings behind colons '
                                          '(default: all of the study that are shipped)')
    words.add_argument('--scenes', help='names, with commas; a size of its own behind a colon '
                                        '(default: ' + ','.join(SCENES) + ')')
    words.add_argument('--rays', default=','.join(KINDS), help='kinds, with commas')
    words.add_argument('--size', default='256x256', help='pixels, one ray each (default: 256x256)')
    words.add_argument('--jobs', type=int, default=os.cpu_count(), help='runs at the same time')
    words.add_argument('--keep', metavar='DIR', help='folder for the results of all runs')
    words.add_argument('--no-runs', action='store_true',
                       help='make no run: the table has what the folder of --keep has')
    words.add_argument('--page', metavar='FILE', help='page whose table and charts are renewed')
    words.add_argument('--table', default='ray-streams', metavar='NAME',
                       help='which table of the page (default: ray-streams)')
    words.add_argument('--no-charts', action='store_true', help='of the page, the table only')
    words.add_argument('--programs', metavar='DIR', help='folder with programs built beforehand')
    words.add_argument('--build-programs', metavar='DIR', help='build these, and no more')
    meshes_option(words)
    given = words.parse_args()
    program = program_find()
    machines = machines_choose(program, given.machines)
    if given.no_runs and not given.keep:
        words.error('--no-runs: which folder? --keep DIR')
    scenes = scenes_choose(program, given.scenes, given.meshes, given.size)
    if given.build_programs:
        programs_build(program, machines, given.build_programs)
        return
    figures, failed = all_measure(program, given, machines, scenes)
    lines = list(table_lines(figures))
    print('\n'.join(lines))
    if given.page:
        table_put(given.table, given.page, lines)
    if failed:
        sys.exit('ray-streams: ' + '\nray-streams: '.join(failed))


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
