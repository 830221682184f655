#!/usr/bin/env python3
"""core_model.py - what the benchmark `core-model` makes of cycles: table, chart and page. Prints
TAP."""
import contextlib
import importlib.util
import io
import os
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import tap

folder = os.path.join(os.environ['OGIVE_HOME'], 'bench')
sys.path.insert(0, folder)
path = os.path.join(folder, 'core_model.py')
spec = importlib.util.spec_from_file_location('core_model', path)
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

CYCLES = {'lud': {'baseline': 1000, 'front end': 1100, 'result bus': 1000, 'memory pipe': 900,
                  'all': 1050},
          'floyd': {'baseline': 200, 'front end': 200, 'result bus': 201, 'memory pipe': 150,
                    'all': 148}}
SIZES = {'lud': 64, 'floyd': 32}
MARKS = ('<!-- table of ./run bench core-model -->', '<!-- end of the table -->')


def every_improvement_is_alone_and_among_all():
    models = list(bench.MODELS)
    assert models[0] == 'baseline' and models[-1] == 'all', models
    assert set(models[1:]) == set(bench.COLOURS)
    together = bench.MODELS['all']
    for name, settings in bench.IMPROVEMENTS.items():
        assert settings and set(settings) <= set(together), name
        assert bench.MODELS[name] == settings


def means_are_of_changes_and_of_their_size():
    lines = list(bench.table_lines(SIZES, CYCLES))
    assert lines[2] == '| `lud` | 64 | 1000 | +10.00% | +0.00% | -10.00% | +5.00% |', lines[2]
    assert lines[3] == '| `floyd` | 32 | 200 | +0.00% | +0.50% | -25.00% | -26.00% |', lines[3]
    assert lines[4] == '| mean | | | +5.00% | +0.25% | -17.50% | -10.50% |', lines[4]
    assert lines[5].endswith('| +5.00% | +0.25% | +17.50% | +15.50% |'), lines[5]


def ticks_are_round_and_reach_all():
    assert bench.ticks(3.2) == [-4, -3, -2, -1, 0, 1, 2, 3, 4]
    assert bench.ticks(26) == [-30, -20, -10, 0, 10, 20, 30]


def a_chart_has_the_largest_change_first():
    root = xml.fromstring('\n'.join(bench.chart_lines(bench.variations(CYCLES))))
    words = [text.text for text in root.iter('{http://www.w3.org/2000/svg}text')]
    assert words.index('floyd') < words.index('lud'), words
    dots = list(root.iter('{http://www.w3.org/2000/svg}circle'))
    assert len(dots) == len(bench.COLOURS) * (1 + len(CYCLES)), len(dots)


def a_page_keeps_what_is_around_its_table():
    with tempfile.TemporaryDirectory() as work:
        page = os.path.join(work, 'page.md')
        with open(page, 'w', encoding='utf-8') as file:
            file.write('\n'.join(('before', MARKS[0], 'old', MARKS[1],
                                  'after', '')))
        for _ in range(2):
            bench.page_write(page, ['new'], bench.variations(CYCLES))
        with open(page, encoding='utf-8') as file:
            lines = file.read().split('\n')
        assert lines == ['before', MARKS[0], 'new', MARKS[1], 'after', '']
        assert os.path.exists(os.path.join(work, 'page.svg'))


def a_page_without_a_place_is_refused():
    with tempfile.TemporaryDirectory() as work, contextlib.redirect_stderr(io.StringIO()):
        page = os.path.join(work, 'page.md')
        with open(page, 'w', encoding='utf-8') as file:
            file.write('nothing\n')
        try:
            bench.page_write(page, ['new'], bench.variations(CYCLES))
        except SystemExit as end:
            assert 'no place' in str(end), end
            return
    raise AssertionError('written')


TESTS = (
    every_improvement_is_alone_and_among_all,
    means_are_of_changes_and_of_their_size,
    ticks_are_round_and_reach_all,
    a_chart_has_the_largest_change_first,
    a_page_keeps_what_is_around_its_table,
    a_page_without_a_place_is_refused,
)
tap.run(TESTS)
