"""results.py - folders of runs from Python: numbers, tables, intervals, and files from anybody."""
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

import ogive

try:
    import pandas
except ImportError:
    pandas = None


def setUpModule():
    global work, RUNS
    work = tempfile.mkdtemp(prefix='ogive-python-')
    RUNS = [f'{work}/{name}' for name in 'abc']
    for name, latency in ('a', 30), ('b', 31), ('c', 60):
        subprocess.run([os.environ['OGIVE_PROGRAM'], 'run', 'exchange', '--no-report', '--interval',
                        '2000', '--set', f'bank.memory.latency={latency}cycles', '--out',
                        f'{work}/{name}'], check=True, stdout=subprocess.DEVNULL)


def tearDownModule():
    shutil.rmtree(work)


class Results(unittest.TestCase):
    def setUp(self):
        self.run_a = ogive.Run(f'{work}/a')

    def test_numbers_are_those_of_the_files(self):
        with open(f'{work}/a/stats.json') as file:
            stats = json.load(file)
        self.assertEqual(self.run_a['cycles'], stats['summary']['cycles'])
        self.assertEqual(self.run_a['status'], 'finished')
        self.assertEqual(self.run_a['digest'], stats['summary']['digest'])
        self.assertEqual(self.run_a['node[0].source.sent'],
                         stats['units']['node[0].source']['sent'])
        self.assertEqual(self.run_a.record['architecture'], 'exchange')
        self.assertEqual(self.run_a.parameter('bank.memory.latency'), '30 cycles')

    def test_patterns_give_tables(self):
        each = self.run_a.stats('node.source.sent', combine='each')
        self.assertGreater(len(each), 1)
        self.assertEqual(sum(each['value']), self.run_a['node.source.sent'])
        self.assertIn('cycles', self.run_a.stats()['name'])
        with self.assertRaisesRegex(ogive.UserError, 'means .* statistics'):
            self.run_a['node.source.*']
        with self.assertRaisesRegex(ogive.UserError, 'did you mean'):
            self.run_a['node.source.snet']
        with self.assertRaisesRegex(ogive.UserError, "combine is 'each'"):
            self.run_a.stats(combine='most')

    def test_intervals_add_up(self):
        series = self.run_a.series('node.source.sent')
        self.assertEqual(series['cycle'][:2], [2000, 4000])
        self.assertEqual(sum(series['node[*].source.sent']), self.run_a['node.source.sent'])
        part = self.run_a.series('node.source.sent', cycles=(2000, 4000))
        self.assertEqual(part['cycle'], [4000])

    def test_runs_are_a_table_of_what_differs(self):
        table = ogive.table(RUNS, 'cycles', 'bank.memory.reads')
        self.assertEqual(table.columns,
                         ['run', 'bank.memory.latency', 'cycles', 'bank.memory.reads'])
        self.assertEqual(table['bank.memory.latency'], ['30 cycles', '31 cycles', '60 cycles'])
        self.assertEqual(table['cycles'], sorted(table['cycles']))
        self.assertEqual(ogive.table([self.run_a], 'nothing')['nothing'], [None])
        self.assertEqual(ogive.find(f'{work}/b'), [f'{work}/b'])
        self.assertIn('60 cycles', str(table))
        self.assertIn('<td>60 cycles</td>', table._repr_html_())

    @unittest.skipUnless(pandas, 'pandas is not installed')
    def test_tables_are_frames(self):
        frame = ogive.table(RUNS, 'cycles').pandas()
        self.assertEqual(list(frame.columns), ['run', 'bank.memory.latency', 'cycles'])
        self.assertTrue(frame.cycles.is_monotonic_increasing)
        self.assertEqual(len(self.run_a.series('node.source.sent').pandas()),
                         len(self.run_a.series('node.source.sent')))

    def test_studies_are_tables(self):
        with open(f'{work}/banks.yaml', 'w') as file:
            file.write('run: { machine: exchange, set: { node.source.messages: 50,'
                       ' node.tester.requests: 60 } }\n'
                       'axes:\n  latency: { set: bank.memory.latency, values: [9 cycles, 30 cycles] }\n'
                       '  width: { set: bank.memory.width, values: [1, 2] }\n')
        subprocess.run([os.environ['OGIVE_PROGRAM'], 'sweep', f'{work}/banks.yaml', '--store',
                        f'{work}/.store', '--quiet'], check=True)
        study = ogive.Study(f'{work}/banks.yaml', f'{work}/.store')
        self.assertEqual(study.axes['latency'], ['9 cycles', '30 cycles'])
        table = study.table('cycles', 'bank.memory.reads')
        self.assertEqual(table.columns, ['latency', 'width', 'cycles', 'bank.memory.reads'])
        self.assertEqual(table['width'], ['1', '2', '1', '2'])
        self.assertLess(table['cycles'][0], table['cycles'][2])
        wide = table.pivot('latency', 'width', 'cycles')
        self.assertEqual(wide.columns, ['latency', '1', '2'])
        self.assertEqual(wide['2'], table['cycles'][1::2])
        self.assertIn('| latency | 1 | 2 |', wide.markdown())
        with self.assertRaisesRegex(ogive.UserError, 'no study'):
            ogive.Study('bank', f'{work}/.store')
        for wrong in '[]', '{', '{"axes": [], "runs": [{"key": "../x", "at": []}]}', '[' * 100000:
            with open(f'{work}/.store/studies/wrong.json', 'w') as file:
                file.write(wrong)
            with self.assertRaisesRegex(ogive.UserError, 'is not what a study writes'):
                ogive.Study('wrong', f'{work}/.store')

    def test_wrong_folders_are_refused(self):
        with self.assertRaisesRegex(ogive.UserError, "there is no folder '/nowhere'"):
            ogive.Run('/nowhere')
        with self.assertRaisesRegex(ogive.UserError, 'is this the folder of a run'):
            ogive.Run(work)

    def test_damaged_folders_do_no_harm(self):
        files = ('run.json', 'stats.json', 'series.csv')
        chance = random.Random(1)
        for turn in range(60):
            folder = shutil.copytree(f'{work}/a', f'{work}/damaged')
            path = os.path.join(folder, files[turn % 3])
            with open(path, 'rb') as file:
                content = bytearray(file.read())
            for _ in range(1 + turn % 4):
                content[chance.randrange(len(content))] = chance.choice(b'"{}[],:019-e.x\xff\n\0')
            with open(path, 'wb') as file:
                file.write(content[:chance.randrange(len(content))] if turn % 5 == 0 else content)
            try:
                with ogive.Run(folder) as run:
                    ogive.table([run], 'cycles')
                    run.stats(combine='each')
                    run.series('node.source.sent')
            except ogive.Error as problem:
                self.assertTrue(str(problem))
            shutil.rmtree(folder)
