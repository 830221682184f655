#!/usr/bin/env python3
"""predict.py - how far predictions are off, in the tables of Zatel's evaluation and ours.

    ./run bench predict [--tables NAME,...] [--machines NAME,...] [--scenes NAME,...] [--size WxH]
                        [--samples N] [--jobs N] [--keep DIR] [--meshes DIR] [--page FILE]
                        [--rows LABEL;...]

Simulates each whole frame once, predicts it in many ways, and prints means over scenes of relative
errors, how many of the 95% intervals hold the truth, and speed-ups. Whole frames and predictions
are kept in DIR, so that the same call goes on where it was interrupted. With --page, the tables go
into that page, between the comments that mark their place."""
import argparse
import json
import os
import subprocess
import sys

from frames import PUBLISHED_VIEW, meshes_option, program_find
from pages import table_put

MACHINES = ('mobile', 'rtx2060', 'rtx2080', 'mobile-simt', 'rtx2060-simt')
SCENES = ('cornell', 'arcade', 'city', 'forest', 'hairball', 'spheres', 'sponza', 'bunny', 'bath',
          'party')
VIEWS = {
    'sponza': PUBLISHED_VIEW,
    # LumiBench's.
    'bath': ('--eye=3.281,20.036,40.007', '--target=3.056,19.762,39.072'),
    'party': ('--eye=-63.88,4.68,59.86', '--target=-63.14,4.70,59.20'),
}

# Column, and the figure of evaluation.json. What a machine has not is left out.
FIGURES = (('cycles', 'cycles'), ('IPC', 'ipc'), ('L1 misses', 'l1_miss_rate'),
           ('L2 misses', 'l2_miss_rate'), ('DRAM bandwidth', 'dram_bandwidth_share'),
           ('DRAM efficiency', 'dram_efficiency'), ('RT occupancy', 'sm.rt.occupancy'), ('energy', 'energy_j'))

ZATEL = ('--method', 'zatel')


def per_cent(*shares):
    return [f'{share}%' for share in shares]


# Name, title, rows: label and options of `ogive predict`.
TABLES = (
    ('methods', 'Methods', [
        ('ogive', ()),
        ('ogive, all counted', ('--counted', '100%')),
        ('ogive, 3 turns', ('--turns', '3')),
        ('ogive, alone', ('--alone',)),
        ('ogive, alone, 5%', ('--alone', '--share', '5%')),
        ('zatel', ZATEL),
        ('zatel-code', ('--method', 'zatel-code')),
    ]),
    ('shares', 'Share of pixels, whole machine, as Zatel chooses them', [
        (share, (*ZATEL, '--parts', '1', '--share', share))
        for share in per_cent(5, 10, 20, 30, 40, 50, 60)]),
    ('parts', 'Parts of the machine, all pixels: fine and coarse', [
        (f'{division}, K = {parts}',
         (*ZATEL, '--parts', str(parts), '--share', '100%', '--division', division))
        for division in ('fine', 'coarse') for parts in (2, 3, 4, 5, 6)]),
    ('choices', 'Few pixels, chosen by warmth', [
        (f'{choice}, {share}', (*ZATEL, '--choice', choice, '--share', share))
        for choice in ('uniform', 'linear', 'fifth') for share in per_cent(2, 3, 4)]),
    ('regression', 'Regression over 20, 30 and 40% against 40%', [
        ('linear, 40%', (*ZATEL, '--share', '40%')),
        ('exponential', (*ZATEL, '--share', '40%', '--extrapolation', 'exponential')),
    ]),
)


# --- running ---------------------------------------------------------------------------------

def scene_words(scene, meshes):
    """Options for a scene: a mesh of the folder with its view, or a shipped one."""
    for ending in ('.ply', '.ply.xz'):
        mesh = os.path.join(meshes, scene + ending)
        if os.access(mesh, os.R_OK):
            return ['--scene', mesh, *VIEWS.get(scene, ())]
    return ['--scene', scene]


def listed_names(program, command):
    listed = subprocess.run([program, command], check=True, capture_output=True, text=True).stdout
    return {line.split()[0] for line in listed.splitlines() if line.split()}


def choose(asked, usual, there, what):
    """What was asked for, or of the usual ones what is there."""
    names = asked.split(',') if asked else [name for name in usual if name in there]
    for name in names:
        if name not in there:
            sys.exit(f'predict: there is no {what} {name}')
    return names


def scenes_there(program, meshes):
    there = listed_names(program, 'scenes')
    if os.path.isdir(meshes):
        there |= {name.split('.')[0] for name in os.listdir(meshes) if '.ply' in name}
    return there


def whole_run(given, machine, scene):
    """The folder of the whole frame, simulated unless it is there."""
    folder = os.path.join(given.keep, f'whole-{machine}-{scene}')
    if not os.path.exists(os.path.join(folder, 'stats.json')):
        print(f'{machine} {scene}: whole frame', file=sys.stderr, flush=True)
        subprocess.run([given.program, 'run', machine, *scene_words(scene, given.meshes), '--size',
                        given.size, '--samples', given.samples, '--threads', '1', '--no-report',
                        '--quiet', '--out', folder], check=True)
    return folder


def predict(given, machine, scene, name, options):
    """evaluation.json of a prediction; None where the machine cannot be divided like that."""
    words = '-'.join((name, machine, scene, *options)).replace('--', '').replace('%', '')
    folder = os.path.join(given.keep, words)
    path = os.path.join(folder, 'evaluation.json')
    if not os.path.exists(path):
        command = [given.program, 'predict', machine, *scene_words(scene, given.meshes), '--size',
                   given.size, '--samples', given.samples, '--jobs', str(given.jobs), '--threads',
                   str(given.jobs), '--against', whole_run(given, machine, scene), '--quiet',
                   *options, '--out', folder]
        print(f'{machine} {scene}: {" ".join(options) or name}', file=sys.stderr, flush=True)
        if subprocess.run(command, check=False).returncode:
            return None
    with open(path, encoding='utf-8') as file:
        return json.load(file)


# --- tables ----------------------------------------------------------------------------------

def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None


def cell(value, form):
    return form.format(value) if value is not None else '–'


def covered(evaluations):
    """Of the figures of the table, and of all scenes: how many intervals hold the truth."""
    rows = [e['figures'][name] for e in evaluations for _, name in FIGURES if name in e['figures']]
    return mean([float(row['low'] <= row['true'] <= row['high']) for row in rows])


def table_row(label, evaluations):
    errors = []
    for _, name in FIGURES:
        found = [e['figures'][name]['relative_error'] for e in evaluations if name in e['figures']]
        errors.append(cell(mean(found), '{:.1%}'))
    worst = max((e['figures']['cycles']['relative_error'] for e in evaluations), default=None)
    return ' | '.join((f'| {label}', *errors, cell(worst, '{:.1%}'), cell(covered(evaluations), '{:.0%}'),
                       cell(mean([e['speedup_processor_time'] for e in evaluations]), '{:.1f}x'),
                       cell(mean([e['speedup_wall_time'] for e in evaluations]), '{:.1f}x'))) + ' |'


def table_lines(given, name, title, rows):
    head = ['', *(column for column, _ in FIGURES), 'worst cycles', 'intervals hold',
            'processor time', 'wall time']
    for machine in given.machines:
        yield ''
        yield f'{title}: {machine}, {len(given.scenes)} scenes ({", ".join(given.scenes)})'
        yield ''
        yield '| ' + ' | '.join(head) + ' |'
        yield '|' + '---|' * len(head)
        for label, options in rows:
            if given.rows and label not in given.rows:
                continue
            found = [predict(given, machine, scene, name, options) for scene in given.scenes]
            yield table_row(label, [evaluation for evaluation in found if evaluation])


def main():
    parser = argparse.ArgumentParser(prog='./run bench predict', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tables', help='some of: ' + ', '.join(t[0] for t in TABLES))
    parser.add_argument('--machines')
    parser.add_argument('--scenes')
    parser.add_argument('--size', default='512x512')
    parser.add_argument('--samples', default='2')
    parser.add_argument('--rows', help='only those with these labels, as they are in the tables',
                        type=lambda labels: labels.split(';'))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--keep', default='results/bench-predict')
    parser.add_argument('--page')
    meshes_option(parser)
    given = parser.parse_args()
    given.program = program_find()
    given.machines = choose(given.machines, MACHINES, listed_names(given.program, 'archs'), 'machine')
    given.scenes = choose(given.scenes, SCENES, scenes_there(given.program, given.meshes), 'scene')
    wanted = given.tables.split(',') if given.tables else [table[0] for table in TABLES]
    lines = [f'{given.size} pixels, path tracing with {given.samples} samples; mean relative errors.']
    for name, title, rows in TABLES:
        if name in wanted:
            lines += table_lines(given, name, title, rows)
    print('\n'.join(lines))
    if given.page:
        table_put('predict', given.page, lines)


if __name__ == '__main__':
    main()
