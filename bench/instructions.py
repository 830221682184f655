#!/usr/bin/env python3
"""instructions.py - what a frame costs the host in instructions, which no other program on the
machine changes.

    ./run bench instructions [--meshes DIR | --scene FILE] [--cache]

Simulates secondary rays, 128 x 128 pixels, on the RTX 2080 with one thread under callgrind, and
prints host instructions per simulated event, by layer. The scene is Crytek Sponza from its
published view if the mesh is found as `ogive validate` finds it (--meshes, $OGIVE_MESHES, meshes/),
else the arcade. With --cache, also the misses of a simulated host with 1 MiB of last-level cache.

A function counts for the layer of the file that defines it, with all that was inlined into it. What
layers share (headers of include/ogive, src/base, src/unit/parts, libraries) counts for the layers
that call it, in the ratio of what their calls cost, so that it does not matter what the compiler
chose to inline. Layers are counted within sim_run only: the windows and their planning."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

from frames import program_find, scene_chosen, scene_option
from tables import table_print

# The first that a file begins with is its layer.
LAYERS = (
    ('caches', ('src/unit/cache/',)),
    ('RT cores', ('src/unit/rtcore/', 'src/rt/')),
    ('cores', ('src/unit/core/', 'src/isa/')),
    ('DRAM', ('src/dram/', 'src/unit/dram/')),
    ('kernel', ('src/sim/',)),
    ('shared', ('src/unit/parts/', 'src/unit/unit.c', 'src/base/')),
    ('other units', ('src/unit/',)),
    ('watching', ('src/',)),
)
INSTRUCTIONS = ('Ir',)
FIRST_LEVEL = ('I1mr', 'D1mr', 'D1mw')
LAST_LEVEL = ('ILmr', 'DLmr', 'DLmw')
SPLIT_FROM = 1 / 3    # a step with this share of what is before or after the cycles is split up
SHOWN_FROM = 0.01     # a step with less is part of the rest
FUNCTIONS_SHOWN = 10


# --- reading callgrind's files ---------------------------------------------------------------

class Profile:
    """What one or several parts of a run cost. A function is (name, file)."""

    def __init__(self):
        self.own = defaultdict(Counter)      # function: events of its own code
        self.calls = Counter()               # function: how often it was called
        self.callers = defaultdict(Counter)  # function: caller: instructions of its calls

    def cost(self, function, events):
        return sum(self.own[function][event] for event in events)

    def total(self, events):
        return sum(self.cost(function, events) for function in self.own)

    def add(self, part):
        """Adds a part that PartReader has read."""
        for number, events in part.own.items():
            self.own[part.function(number)].update(events)
        for (caller, callee), (count, cost) in part.calls.items():
            self.calls[part.function(callee)] += count
            self.callers[part.function(callee)][part.function(caller)] += cost


class PartReader:
    """One file of callgrind's, as its manual describes the format. Names are given once, with a
    number that stands for them afterwards; functions with the same name have different numbers."""
    NAME = re.compile(r'(ob|fl|fi|fe|fn|cob|cfi|cfl|cfn)=\((\d+)\)(?: (.*))?$')

    def __init__(self, lines):
        self.trigger = ''             # why it was written, as in '--dump-before=sim_run'
        self.events = []
        self.files, self.names, self.file_of = {}, {}, {}
        self.own = defaultdict(Counter)
        self.calls = defaultdict(lambda: [0, 0])
        self.file = self.current = self.callee = None
        self.call_count = None        # of a call whose cost is on the next line
        for line in lines:
            self.line_read(line.rstrip('\n'))

    def function(self, number):
        return self.names[number], self.file_of.get(number, '???')

    def line_read(self, line):
        name = self.NAME.match(line)
        if name:
            self.name_read(*name.groups())
        elif line.startswith('calls='):
            self.call_count = int(line[6:].split()[0])
        elif line[:1].isdigit() or line[:1] in ('+', '-', '*'):
            self.cost_read([int(word) for word in line.split()[1:]])
        elif line.startswith('events:'):
            self.events = line.split()[1:]
        elif line.startswith('desc: Trigger: '):
            self.trigger = line[len('desc: Trigger: '):]

    def name_read(self, key, number, text):
        known = self.names if key.endswith('fn') else self.files
        if text is not None and not key.endswith('ob'):
            known[number] = text
        if key in ('fl', 'fi', 'fe'):
            self.file = known[number]
        elif key == 'fn':  # the file in force is where it is defined; fi and fe come behind
            self.current = number
            self.file_of[number] = self.file
        elif key == 'cfn':
            self.callee = number

    def cost_read(self, costs):
        """Zeros at the end of a line are left out."""
        if self.call_count is None:
            self.own[self.current].update(dict(zip(self.events, costs)))
            return
        call = self.calls[self.current, self.callee]
        call[0] += self.call_count
        call[1] += costs[0] if costs else 0
        self.call_count = None


def phases_read(paths):
    """The parts of a run, in order: before sim_run first begins, within it, between its calls,
    after the last of them."""
    phases = {name: Profile() for name in ('before', 'within', 'between', 'after')}
    for path in paths:
        with open(path) as file:
            part = PartReader(file)
        if part.trigger.startswith('--dump-after'):
            phase = 'within'
        elif not part.trigger.startswith('--dump-before'):
            phase = 'after'
        else:
            phase = 'between' if phases['within'].own else 'before'
        phases[phase].add(part)
    return phases


# --- whose cost it is ------------------------------------------------------------------------

def source_of(path):
    """The path within the source tree, or nothing for what is not ours."""
    found = re.match(r'(?:.*/)?((?:src|include/ogive)/.*)', os.path.normpath(path))
    return found[1] if found else ''


def layer_of(path):
    """The layer that a file belongs to; 'shared' for one that others use."""
    source = source_of(path)
    return next((layer for layer, places in LAYERS if source.startswith(places)), 'shared')


def layer_shares(profile, function, seen=()):
    """The shares of layers in a function, {layer: share}: nothing where nobody is known to have
    called it, but those that it called itself."""
    layer = layer_of(function[1])
    if layer != 'shared':
        return {layer: 1.0}
    sums, seen = Counter(), (*seen, function)
    for caller, cost in profile.callers[function].items():
        if caller not in seen:
            for owner, share in layer_shares(profile, caller, seen).items():
                sums[owner] += share * cost
    total = sum(sums.values())
    return {owner: part / total for owner, part in sums.items() if total}


def layers_sum(profile, events):
    """The cost of each layer; together they are the profile's total."""
    sums = Counter()
    for function in profile.own:
        shares = layer_shares(profile, function) or {'watching': 1.0}
        for layer, share in shares.items():
            sums[layer] += share * profile.cost(function, events)
    return sums


# --- what happened ---------------------------------------------------------------------------

def events_read(stats):
    """For each layer what its cost is divided by: names and counts that are added up."""
    def groups(unit_type):
        return {name: row for name, row in stats['groups'].items() if row['type'] == unit_type}

    def count(unit_type, *names):
        return sum(row[name] for row in groups(unit_type).values() for name in names)

    summary = stats['summary']
    return {
        'caches': [(f'look-ups in {name.split(".")[-1]}', row['lookups'])
                   for name, row in groups('cache').items()],
        'RT cores': [('nodes', count('rtcore', 'nodes')), ('blocks', count('rtcore', 'blocks'))],
        'cores': [('instructions', summary['instructions'])],
        'DRAM': [('reads', count('dram', 'reads'))],
        'kernel': [('cycles', summary['cycles'])],
        'all': [('rays', summary['rays'])],
    }


# --- tables ----------------------------------------------------------------------------------

def millions(cost):
    return f'{cost / 1e6:,.1f} M'


def layer_names():
    return [layer for layer, _ in LAYERS if layer != 'shared'] + ['all']


def happened_words(happened):
    return ' + '.join(f'{count:,} {name}' for name, count in happened) or '-'


def per_event(cost, happened):
    total = sum(count for _, count in happened)
    return f'{cost / total:,.3g}' if cost / total < 1 else f'{cost / total:,.1f}'


def instructions_print(within, happened):
    sums = layers_sum(within, INSTRUCTIONS)
    sums['all'] = within.total(INSTRUCTIONS)
    rows = [('layer', 'host instructions', 'share', 'events', 'per event')]
    for layer in layer_names():
        events = happened.get(layer, [])
        rows.append((layer, millions(sums[layer]), f'{100 * sums[layer] / sums["all"]:.1f}%',
                     happened_words(events), per_event(sums[layer], events) if events else '-'))
    table_print(rows)


def misses_print(within, happened):
    near, far = layers_sum(within, FIRST_LEVEL), layers_sum(within, LAST_LEVEL)
    near['all'], far['all'] = within.total(FIRST_LEVEL), within.total(LAST_LEVEL)
    rows = [('layer', 'misses of 32 KiB', 'misses of 1 MiB', 'per event', 'per ray', 'per cycle')]
    for layer in layer_names():
        events = happened.get(layer, [])
        rows.append((layer, millions(near[layer]), millions(far[layer]),
                     per_event(far[layer], events) if events else '-',
                     per_event(far[layer], happened['all']),
                     per_event(far[layer], happened['kernel'])))
    table_print(rows)


def functions_print(within, count):
    total = within.total(INSTRUCTIONS)
    dearest = sorted(within.own, key=lambda f: -within.cost(f, INSTRUCTIONS))[:count]
    rows = [('function', 'file', 'host instructions', 'share', 'calls', 'per call')]
    for function in dearest:
        cost, calls = within.cost(function, INSTRUCTIONS), within.calls[function]
        rows.append((function[0], source_of(function[1]) or '-', millions(cost),
                     f'{100 * cost / total:.1f}%', f'{calls:,}',
                     f'{cost / calls:,.1f}' if calls else '-'))
    table_print(rows)


# --- before the first cycle and after the last ------------------------------------------------

def steps_split(profile):
    """The cost of the program's own functions that were called from main on, with all they called:
    {function: cost}. One with much of the whole is replaced by those that it called."""
    called = defaultdict(dict)
    for function, callers in profile.callers.items():
        for caller, cost in callers.items():
            if source_of(function[1]):
                called[caller][function] = cost
    total = profile.total(INSTRUCTIONS)
    steps = {f: sum(callers.values()) for f, callers in profile.callers.items() if f[0] == 'main'}

    def divisible(step):
        return steps[step] >= SPLIT_FROM * total and sum(called[step].values()) >= steps[step] / 2

    while found := next(filter(divisible, steps), None):
        del steps[found]
        steps.update(called.pop(found))
    return steps


def steps_print(name, profile):
    total = profile.total(INSTRUCTIONS)
    steps = steps_split(profile)
    shown = sorted((f for f in steps if steps[f] >= SHOWN_FROM * total), key=lambda f: -steps[f])
    rows = [(name, 'file', 'host instructions', 'share')]
    rows += [(f[0], source_of(f[1]), millions(steps[f]), f'{100 * steps[f] / total:.1f}%')
             for f in shown]
    rest = total - sum(steps[f] for f in shown)
    rows += [('the rest', '-', millions(rest), f'{100 * rest / total:.1f}%'),
             ('all', '-', millions(total), '100.0%')]
    table_print(rows)


# --- the run ---------------------------------------------------------------------------------

def frame_run(scene, cache, folder):
    """Runs the frame; the profiles of its phases, and its statistics. Trees that were kept from
    earlier runs are not used, as they would change what the start costs."""
    profile, results = os.path.join(folder, 'profile'), os.path.join(folder, 'results')
    simulated = ['--cache-sim=yes', '--I1=32768,8,64', '--D1=32768,8,64', '--LL=1048576,16,64']
    done = subprocess.run(
        ['valgrind', '--tool=callgrind', '--quiet', f'--callgrind-out-file={profile}',
         '--dump-before=sim_run', '--dump-after=sim_run', *(simulated if cache else []),
         program_find(), 'run', 'rtx2080', *scene, '--rays', 'secondary',
         '--size', '128x128', '--threads', '1', '--progress', 'none', '--out', results],
        env=os.environ | {'XDG_CACHE_HOME': os.path.join(folder, 'cache')},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f'instructions: the run failed\n{done.stderr}')
    parts = sorted(glob.glob(profile + '.*'), key=lambda path: int(path.rsplit('.', 1)[1]))
    with open(os.path.join(results, 'stats.json')) as file:
        return phases_read(parts + [profile]), json.load(file)


def main():
    parser = argparse.ArgumentParser(prog='./run bench instructions',
                                     description='host instructions per simulated event')
    scene_option(parser)
    parser.add_argument('--cache', action='store_true',
                        help='also simulate the caches of the host, which is slower')
    options = parser.parse_args()
    if not shutil.which('valgrind'):
        sys.exit('instructions: valgrind is not installed; `./run deps instructions` does it')
    scene = scene_chosen(options)
    print('RTX 2080, secondary rays, 128 x 128,', os.path.basename(scene[1]), flush=True)
    with tempfile.TemporaryDirectory(prefix='ogive-bench-') as folder:
        phases, stats = frame_run(scene, options.cache, folder)
    happened = events_read(stats)
    print('\nWhile cycles pass')
    instructions_print(phases['within'], happened)
    if options.cache:
        print('\nMisses of the simulated host')
        misses_print(phases['within'], happened)
    print('\nThe dearest functions of it')
    functions_print(phases['within'], FUNCTIONS_SHOWN)
    print('\nSamples on the way:', millions(phases['between'].total(INSTRUCTIONS)))
    print()
    steps_print('before the first cycle', phases['before'])
    print()
    steps_print('after the last cycle', phases['after'])


if __name__ == '__main__':
    main()
