#!/usr/bin/env python3
"""ray_streams.py - what the benchmark `ray-streams` makes of the folders of runs: figures and table.
Prints TAP."""
import importlib.util
import json
import os
import sys
import tempfile

sys.dont_write_bytecode = True
folder = os.path.join(os.environ['OGIVE_HOME'], 'bench')
sys.path.insert(0, folder)
path = os.path.join(folder, 'ray_streams.py')
spec = importlib.util.spec_from_file_location('ray_streams', path)
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

STATS = {'summary': {'cycles': 500, 'rays': 10, 'mrays_per_s': 12.5, 'nj_per_ray': 1.25},
         'groups': {'sm[*].l1': {'bytes_fetched': 77},
                    'a[*].dram': {'bytes_read_scene': 640, 'bytes_read_ray': 320,
                                  'bytes_written_ray': 160, 'bytes_written_hit': 32,
                                  'bytes_read_other': 64, 'row_hits': 30, 'row_misses': 5,
                                  'row_conflicts': 5},
                    'b.dram': {'bytes_read_scene': 60, 'bytes_written_frame': 20,
                               'bytes_read_stack': 4}}}


def measured():
    """As of a run that left these statistics."""
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, 'run'))
        with open(os.path.join(work, 'run', 'stats.json'), 'w', encoding='utf-8') as file:
            json.dump(STATS, file)
        return bench.figures_read(os.path.join(work, 'run'))


def bytes_of_all_memories_are_added_by_purpose():
    found = measured()
    assert found['bytes'] == {'scene': 700, 'ray': 480, 'hit': 32, 'frame': 20, 'stack': 4,
                              'other': 64}, found
    assert found['row_hits'] == 0.75, found


def the_parts_of_a_line_add_up():
    lines = list(bench.table_lines({('arcade', '64x32', 'primary', 'rtx2080'): measured()}))
    assert lines[2] == ('| arcade | 64 x 32 | primary | `rtx2080` | 500 | 12.5 | 130.0 | 70.0 | 48.0 | '
                        '3.2 | 8.8 | 75.0% | 1.25 |'), lines[2]
    assert lines[0].count('|') == lines[1].count('|') == lines[2].count('|')


def what_is_not_known_is_left_empty():
    found = dict(measured(), mrays_per_s=None, nj_per_ray=None, row_hits=None)
    line = list(bench.table_lines({('arcade', '8x8', 'primary', 'tiny'): found}))[2]
    assert line.startswith('| arcade | 8 x 8 | primary | `tiny` | 500 |  | 130.0 |'), line
    assert line.endswith('| 8.8 |  |  |'), line


def settings_follow_the_name_of_a_machine():
    words = bench.run_words('ogive', 'rtx2080:sm.rt.treelets=8KiB:sm.count=2', ['--rays', 'x'], 'o')
    assert words[:5] == ['ogive', 'run', 'rtx2080', '--rays', 'x'], words
    assert words[-4:] == ['--set', 'sm.rt.treelets=8KiB', '--set', 'sm.count=2'], words


def a_run_is_made_once():
    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, 'program')
        with open(program, 'w', encoding='utf-8') as file:
            file.write('#!/bin/sh\necho run >> "$0.log"\nmkdir -p "$6"\ncat > "$6/stats.json" '
                       f"<<'END'\n{json.dumps(STATS)}\nEND\n")
        os.chmod(program, 0o755)
        folder = os.path.join(work, 'kept')
        os.mkdir(folder)
        first = bench.run_measure(program, 'rtx2080', ['--rays', 'x'], folder)
        again = bench.run_measure(program, 'rtx2080', ['--rays', 'x'], folder)
        assert first == again == measured(), (first, again)
        assert bench.figures_kept(folder, None) == first
        assert bench.figures_kept(work, None) is None
        bench.run_measure(program, 'rtx2080', ['--rays', 'y'], folder)
        with open(program + '.log', encoding='utf-8') as file:
            assert file.read() == 'run\nrun\n'


def a_run_that_fails_is_said():
    try:
        bench.command_run(['false'])
        assert False, 'it was not noticed'
    except bench.RunFailed as error:
        assert 'false' in str(error)


def a_file_has_a_plain_name():
    assert bench.file_name('a', 'rtx2080:sm.rt.rays=64') == 'a-rtx2080-sm-rt-rays-64'


TESTS = (bytes_of_all_memories_are_added_by_purpose, the_parts_of_a_line_add_up,
         what_is_not_known_is_left_empty, settings_follow_the_name_of_a_machine,
         a_run_is_made_once, a_run_that_fails_is_said, a_file_has_a_plain_name)
print(f'1..{len(TESTS)}')
for number, test in enumerate(TESTS, 1):
    try:
        test()
        print(f'ok {number} - {test.__name__}')
    except AssertionError as error:
        print(f'not ok {number} - {test.__name__}\n# {error}')
