#!/usr/bin/env python3
"""core_model.py - how much the model of a core changes the cycles of kernels.

    ./run bench core-model [--sms N] [--jobs N] [--kernels NAME,...] [--page FILE]

Every kernel of programs/kernels.c runs on a model of the RTX 2070 Super: as a baseline with the core
as Accel-Sim has it, then with each improvement that Huerta et al. made to it switched on alone
("Analyzing and Improving Hardware Modeling of Accel-Sim", CAMS 2023), and with all of them. Prints
by how much cycles change. With --page, the table goes into that page, between the comments that mark
its place, and the chart beside the page."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from frames import program_find
from pages import table_put

MACHINE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'core_model.yaml')

# What each improvement sets on that machine, whose own parameters are the baseline.
IMPROVEMENTS = {
    # An L0 for each sub-core, one line at a time from the shared L1; instructions as long as they
    # are; decoding takes a cycle.
    'front end': ('sm.subcore.l0_size=16KiB', 'sm.subcore.l0_mshrs=1', 'sm.subcore.insn_bytes=16B',
                  'sm.subcore.fetch_bytes=32B', 'sm.subcore.fetch_empty=false',
                  'sm.subcore.decode=1cycles'),
    # Ports of register banks, two each.
    'result bus': ('sm.subcore.result_bus=banks', 'sm.subcore.result_ports=2'),
    # A pipe for each sub-core: finds a line per cycle, keeps several instructions that pass each
    # other where they want different structures.
    'memory pipe': ('sm.lsu.latch=structure', 'sm.lsu.depth=4', 'sm.subcore.pipe_buffer=4',
                    'sm.subcore.pipe_coalesce=lines'),
}
MODELS = {'baseline': (), **IMPROVEMENTS,
          'all': tuple(setting for settings in IMPROVEMENTS.values() for setting in settings)}
COLOURS = {'front end': '#3b7dd8', 'result bus': '#d8a03b', 'memory pipe': '#c2453f',
           'all': '#333333'}


# --- running ---------------------------------------------------------------------------------

def kernels_read(program):
    """Name and size of every kernel, from the list that the program itself is made of."""
    folder = subprocess.run([program, '--programs-dir'], check=True, capture_output=True,
                            text=True).stdout.strip()
    with open(os.path.join(folder, 'kernels', 'kernels.def'), encoding='utf-8') as file:
        rows = re.findall(r'^KERNEL\((\w+), \d+, \d+, (\d+),', file.read(), re.MULTILINE)
    return {name: int(size) for name, size in rows}


def cycles_measure(program, settings, kernel, size):
    """What the kernel says that it took."""
    with tempfile.TemporaryDirectory(prefix='ogive-core-model-') as folder:
        command = [program, 'run', MACHINE, '--program', 'kernels', '--out', folder + '/run',
                   '--threads', '1', '--no-report', '--interval', '0', '--progress', 'none']
        for setting in settings:
            command += ['--set', setting]
        command += ['--', kernel, str(size), 'unchecked']
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = ''
        if run.returncode == 0:
            with open(folder + '/run/console.txt', encoding='utf-8') as file:
                said = file.read()
    found = re.search(r'^kernel \w+ grid \d+ block \d+ cycles (\d+)', said, re.MULTILINE)
    if not found:
        sys.exit(f'core-model: {" ".join(command)}\n{run.stdout}{said}')
    return int(found[1])


def models_measure(program, sizes, common, jobs):
    """Cycles by kernel and model."""
    cycles = {kernel: {} for kernel in sizes}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        asked = {}
        for kernel, size in sizes.items():
            for model, settings in MODELS.items():
                work = (cycles_measure, program, (*common, *settings), kernel, size)
                asked[pool.submit(*work)] = kernel, model
        for done in concurrent.futures.as_completed(asked):
            kernel, model = asked[done]
            cycles[kernel][model] = done.result()
            print(f'{kernel}, {model}: {cycles[kernel][model]}', file=sys.stderr, flush=True)
    return cycles


# --- saying ----------------------------------------------------------------------------------

def variations(cycles):
    """By how many percent cycles are more than the baseline's, by kernel and model."""
    return {kernel: {model: 100 * (row[model] / row['baseline'] - 1)
                     for model in MODELS if model != 'baseline'}
            for kernel, row in cycles.items()}


def table_lines(sizes, cycles):
    models = list(COLOURS)
    changes = variations(cycles)
    yield '| kernel | size | baseline, cycles | ' + ' | '.join(models) + ' |'
    yield '|---|--:|--:|' + '--:|' * len(models)
    for kernel, row in changes.items():
        yield (f'| `{kernel}` | {sizes[kernel]} | {cycles[kernel]["baseline"]} | ' +
               ' | '.join(f'{row[model]:+.2f}%' for model in models) + ' |')
    for words, combine in (('mean', lambda values: sum(values) / len(values)),
                           ('mean of absolute values',
                            lambda values: sum(map(abs, values)) / len(values))):
        values = [combine([row[model] for row in changes.values()]) for model in models]
        yield f'| {words} | | | ' + ' | '.join(f'{value:+.2f}%' for value in values) + ' |'


def ticks(most):
    """Round percentages to both sides of zero, up to what there is."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 1000) if most / step <= 5)
    count = int(-(-most // step))
    return [step * i for i in range(-count, count + 1)]


def chart_lines(changes):
    """A row for each kernel, those that change most first; a dot for each model."""
    order = sorted(changes, key=lambda kernel: -max(map(abs, changes[kernel].values())))
    at = ticks(max(1, max(abs(value) for row in changes.values() for value in row.values())))
    left, width, line, top = 150, 520, 18, 46
    bottom = top + line * len(order)

    def across(value):
        return left + width * (value - at[0]) / (at[-1] - at[0])

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" '
           f'height="{bottom + 40}" font-family="sans-serif" font-size="12">')
    yield '<rect width="100%" height="100%" fill="white"/>'
    for i, (model, colour) in enumerate(COLOURS.items()):
        yield f'<circle cx="{left + i * 120}" cy="18" r="4.5" fill="{colour}"/>'
        yield f'<text x="{left + i * 120 + 10}" y="22">{model}</text>'
    for value in at:
        colour = '#888' if value == 0 else '#ddd'
        yield f'<path d="M{across(value):.1f} {top}V{bottom}" stroke="{colour}"/>'
        yield (f'<text x="{across(value):.1f}" y="{bottom + 16}" '
               f'text-anchor="middle">{value:+d}%</text>')
    for i, kernel in enumerate(order):
        y = top + line * i + line // 2
        yield f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{kernel}</text>'
        for model, colour in COLOURS.items():
            yield (f'<circle cx="{across(changes[kernel][model]):.1f}" cy="{y}" r="4.5" '
                   f'fill="{colour}" fill-opacity="0.8"/>')
    yield (f'<text x="{left + width / 2}" y="{bottom + 34}" text-anchor="middle">'
           'cycles against the baseline</text>')
    yield '</svg>'


def page_write(path, lines, changes):
    table_put('core-model', path, lines)
    with open(os.path.splitext(path)[0] + '.svg', 'w', encoding='utf-8') as file:
        file.write('\n'.join(chart_lines(changes)) + '\n')


def main():
    words = argparse.ArgumentParser(prog='./run bench core-model',
                                    description='how much the model of a core changes cycles')
    words.add_argument('--sms', type=int, default=4, help='SMs of the machine (default: 4)')
    words.add_argument('--jobs', type=int, default=os.cpu_count(), help='runs at the same time')
    words.add_argument('--kernels', help='names of kernels, with commas (default: all)')
    words.add_argument('--page', metavar='FILE', help='page whose table and chart are renewed')
    given = words.parse_args()
    program = program_find()
    sizes = kernels_read(program)
    if given.kernels:
        unknown = set(given.kernels.split(',')) - set(sizes)
        if unknown:
            sys.exit(f'core-model: no kernel {unknown.pop()}; there are {", ".join(sizes)}')
        sizes = {name: sizes[name] for name in given.kernels.split(',')}
    common = (f'sm.count={given.sms}',)
    cycles = models_measure(program, sizes, common, given.jobs)
    lines = list(table_lines(sizes, cycles))
    print('\n'.join(lines))
    if given.page:
        page_write(given.page, lines, variations(cycles))


if __name__ == '__main__':
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
