#!/usr/bin/env python3
"""footprint.py - how the benchmark `footprint` reads what its program wrote, and what it prints of
it. Prints TAP."""
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
import tap

folder = os.path.join(os.environ['OGIVE_HOME'], 'bench')
sys.path.insert(0, folder)
path = os.path.join(folder, 'footprint.py')
spec = importlib.util.spec_from_file_location('footprint', path)
bench = importlib.util.module_from_spec(spec)
spec.loader.exec_module(bench)

WRITTEN = '''1000000 5000
1 0 0 
600 200 4096 @1a2b 64
100 97 1024 link core -> cache
2 0 512 core: the unit
'''


def resolve(address):
    return 'tags_init', os.path.join(os.getcwd(), f'src/unit/cache/{address}.c:34')


def what_was_written_is_read():
    accesses, near, rows = bench.places_read(WRITTEN)
    assert (accesses, near) == (1000000, 5000), (accesses, near)
    assert rows == [(1, 0, 0, 'others'), (600, 200, 4096, '@1a2b 64'),
                    (100, 97, 1024, 'link core -> cache'), (2, 0, 512, 'core: the unit')], rows


def allocations_are_named_by_their_place():
    name = bench.place_name('@1a2b 2048', resolve)
    assert name == 'src/unit/cache/1a2b.c:34 tags_init: 2,048 B each', name
    assert bench.place_name('core: the unit', resolve) == 'core: the unit'


def the_table_begins_with_most_misses_and_loses_none():
    rows = bench.table_rows(bench.places_read(WRITTEN)[2], 10, resolve)
    assert rows[1:] == [
        ('src/unit/cache/1a2b.c:34 tags_init: 64 B each', '800', '80.0%', '80.0', '200', '4'),
        ('link core -> cache', '197', '19.7%', '19.7', '97', '1'),
        ('the rest', '3', '0.3%', '0.3', '0', '0'),
        ('all', '1,000', '100.0%', '100.0', '297', '6')], rows


TESTS = (
    what_was_written_is_read,
    allocations_are_named_by_their_place,
    the_table_begins_with_most_misses_and_loses_none,
)
tap.run(TESTS)
