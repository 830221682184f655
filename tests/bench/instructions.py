#!/usr/bin/env python3
"""instructions.py - how the benchmark `instructions` reads callgrind's files, and whose cost is
whose, with files made up here. Prints TAP."""
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import tap

folder = os.path.join(os.environ['OGIVE_HOME'], 'bench')
sys.path.insert(0, folder)
path = os.path.join(folder, 'instructions.py')
spec = importlib.util.spec_from_file_location('instructions', path)
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

TICK = ('cache_tick', '/home/me/src/ogive/build/../src/unit/cache/cache.c')
CORE = ('core_tick', '/home/me/src/ogive/build/../src/unit/core/core.c')
COPY = ('memcpy', './string/memcpy.S')
RUN = ('domain_run', '/home/me/src/ogive/build/../src/sim/domain.c')

# 100 of the kernel's own; cache_tick 30 + 7 of link.h inlined, core_tick 50; memcpy 40, of which
# the calls of the cache cost 30 and those of the core 10. Lines have costs of two events or, where
# the second is zero, one; positions are absolute, relative or the same.
WITHIN = '''# callgrind format
version: 1
part: 2

desc: Timerange: Basic block 0 - 9
desc: Trigger: --dump-after=sim_run

positions: line
events: Ir D1mr
summary: 227 6

ob=(1) /usr/bin/ogive
fl=(1) /home/me/src/ogive/build/../src/sim/domain.c
fn=(1) domain_run
10 60 1
+2 40
cfi=(2) /home/me/src/ogive/build/../src/unit/cache/cache.c
cfn=(2) cache_tick
calls=5 7
* 67 3
cfi=(3) /home/me/src/ogive/build/../src/unit/core/core.c
cfn=(3) core_tick
calls=2 9
+1 60

fl=(2)
fn=(2)
7 20 2
fi=(4) /home/me/src/ogive/build/../include/ogive/link.h
70 7
fe=(2)
-61 10
cob=(2) /lib/libc.so.6
cfi=(5) ./string/memcpy.S
cfn=(4) memcpy
calls=3 1
* 30 1

fl=(3)
fn=(3)
9 50
cob=(2)
cfi=(5)
cfn=(4)
calls=1 1
* 10

ob=(2)
fl=(5)
fn=(4)
1 40 3

totals: 227 6
'''


def part_make(trigger, function, cost):
    return ('positions: line\nevents: Ir\n' + (f'desc: Trigger: {trigger}\n' if trigger else '') +
            f'fl=(1) /x/src/cli/main.c\nfn=(1) {function}\n1 {cost}\n')


def within_read():
    profile = bench.Profile()
    profile.add(bench.PartReader(WITHIN.splitlines(True)))
    return profile


def own_cost_is_of_the_function_with_what_was_inlined():
    profile = within_read()
    own = {function: dict(events) for function, events in profile.own.items()}
    assert own == {RUN: {'Ir': 100, 'D1mr': 1}, TICK: {'Ir': 37, 'D1mr': 2}, CORE: {'Ir': 50},
                   COPY: {'Ir': 40, 'D1mr': 3}}, own
    assert profile.total(('Ir',)) == 227 and profile.total(('Ir', 'D1mr')) == 233


def calls_are_counted_and_cost_nothing_of_their_own():
    profile = within_read()
    assert profile.calls == {TICK: 5, CORE: 2, COPY: 4}, profile.calls
    assert profile.callers[TICK] == {RUN: 67} and profile.callers[COPY] == {TICK: 30, CORE: 10}


def shared_code_counts_for_those_who_call_it():
    sums = bench.layers_sum(within_read(), ('Ir',))
    assert sums == {'kernel': 100, 'caches': 37 + 30, 'cores': 50 + 10}, sums
    sums = bench.layers_sum(within_read(), ('D1mr',))
    assert sums == {'kernel': 1, 'caches': 2 + 2.25, 'cores': 0.75}, sums


def shared_code_that_calls_itself_or_has_no_caller_is_counted_once():
    profile = bench.Profile()
    for function, cost in ((('a', '?'), 6), (('b', '?'), 4), (('lone', '?'), 5)):
        profile.own[function]['Ir'] = cost
    profile.callers[('a', '?')].update({('b', '?'): 3, CORE: 10})
    profile.callers[('b', '?')].update({('a', '?'): 7})
    assert bench.layers_sum(profile, ('Ir',)) == {'cores': 10, 'watching': 5}


def files_have_layers():
    layers = {'src/unit/dram/dram.c': 'DRAM', 'src/dram/queue.h': 'DRAM',
              'src/unit/sfu.c': 'other units', 'src/unit/parts/store.c': 'shared', 'include/ogive/arbiter.h': 'shared',
              'src/isa/execute.c': 'cores', 'src/run/polling.c': 'watching'}
    for source, layer in layers.items():
        assert bench.source_of('/src/x/build/../' + source) == source
        assert bench.layer_of('/src/x/build/../' + source) == layer, source
    assert bench.layer_of('/usr/lib/gcc/include/emmintrin.h') == 'shared'


def parts_are_before_within_between_or_after():
    parts = [('--dump-before=sim_run', 1), ('--dump-after=sim_run', 2),
             ('--dump-before=sim_run', 4), ('--dump-after=sim_run', 8), ('Program termination', 16)]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for trigger, cost in parts:
            paths.append(os.path.join(folder, str(cost)))
            with open(paths[-1], 'w') as file:
                file.write(part_make(trigger, 'main', cost))
        phases = bench.phases_read(paths)
    costs = {name: profile.total(('Ir',)) for name, profile in phases.items()}
    assert costs == {'before': 1, 'within': 10, 'between': 4, 'after': 16}, costs


def large_steps_are_split_into_those_they_called():
    main, load, build, small, library = [(name, '/x/src/run/run.c') for name in
                                         ('main', 'load', 'build', 'small', 'library')]
    profile = bench.Profile()
    profile.own[main]['Ir'] = 100
    profile.callers[main] = bench.Counter({('_start', '?'): 100})
    profile.callers[load] = bench.Counter({main: 60})
    profile.callers[small] = bench.Counter({main: 30})
    profile.callers[build] = bench.Counter({load: 40})
    profile.callers[library] = bench.Counter({build: 10})
    assert bench.steps_split(profile) == {small: 30, build: 40}, bench.steps_split(profile)


def events_come_from_the_statistics():
    stats = {'summary': {'instructions': 7, 'cycles': 9, 'rays': 2},
             'groups': {'sm[*].l1': {'type': 'cache', 'lookups': 5},
                        'part[*].l2': {'type': 'cache', 'lookups': 3},
                        'sm[*].rt': {'type': 'rtcore', 'nodes': 4, 'blocks': 6},
                        'part[*].dram': {'type': 'dram', 'reads': 1}}}
    happened = bench.events_read(stats)
    assert happened['caches'] == [('look-ups in l1', 5), ('look-ups in l2', 3)], happened
    assert happened['RT cores'] == [('nodes', 4), ('blocks', 6)]
    assert [happened[layer][0][1] for layer in ('cores', 'DRAM', 'kernel', 'all')] == [7, 1, 9, 2]


TESTS = (
    own_cost_is_of_the_function_with_what_was_inlined,
    calls_are_counted_and_cost_nothing_of_their_own,
    shared_code_counts_for_those_who_call_it,
    shared_code_that_calls_itself_or_has_no_caller_is_counted_once,
    files_have_layers,
    parts_are_before_within_between_or_after,
    large_steps_are_split_into_those_they_called,
    events_come_from_the_statistics,
)
tap.run(TESTS)
