"""machines.py - descriptions of chips from Python: read, changed, put together, refused."""
import unittest

import ogive


class Machines(unittest.TestCase):
    def test_shipped_ones_are_listed(self):
        self.assertTrue(ogive.machines()['tiny'].endswith('tiny.yaml'))
        self.assertIn('cornell', ogive.scenes())
        self.assertIn('hello', ogive.programs())

    def test_parameters_are_read_and_set(self):
        machine = ogive.Machine('tiny')
        self.assertEqual(machine['sm.memory.latency'], '50 cycles')
        machine['sm.memory.latency'] = '7 cycles'
        machine.update({'sm.core.count': 2, 'clock': '2 GHz'})
        self.assertEqual(machine['sm.memory.latency'], '7 cycles')
        self.assertEqual(machine['sm.core.count'], '2')
        self.assertEqual(machine['sm.clock'], '2 GHz')

    def test_copies_change_by_themselves(self):
        machine = ogive.Machine('tiny')
        copy = machine.copy().update({'sm.count': 2})
        self.assertEqual((machine['sm.count'], copy['sm.count']), ('1', '2'))

    def test_all_parameters_are_a_table(self):
        table = ogive.Machine('tiny').parameters()
        self.assertEqual(table.columns, ['path', 'value', 'help'])
        values = {row['path']: row['value'] for row in table}
        self.assertEqual(values['sm.memory.latency'], '50 cycles')
        self.assertEqual(values['sm.core.count'], '4')
        self.assertTrue(all(row['help'] for row in table))

    def test_chips_are_put_together(self):
        machine = ogive.Machine.new('pair')
        machine.add_domain('node')
        machine.add_unit('node', 'source', 'source', messages=10)
        machine.add_unit('node', 'sink', 'sink')
        machine.add_link('node.source', 'node.sink', '{ latency: 3 cycles }')
        machine.check()
        system = ogive.System(machine)
        self.assertTrue(system.run())
        self.assertEqual(system['node.sink.received'], 10)
        self.assertIn('name: "pair"', machine.export())

    def test_mistakes_are_our_messages(self):
        with self.assertRaisesRegex(ogive.UserError, "did you mean 'tiny'"):
            ogive.Machine('tinny')
        machine = ogive.Machine('tiny')
        with self.assertRaisesRegex(ogive.Error, "did you mean 'latency'"):
            machine['sm.memory.latncy']
        machine['sm.memory.latency'] = 'long'
        with self.assertRaisesRegex(ValueError, 'long'):
            ogive.System(machine)
        with self.assertRaisesRegex(ogive.UserError, 'has a zero in it'):
            ogive.Machine('ti\0ny')

    def test_what_is_closed_is_refused(self):
        with ogive.Machine('tiny') as machine:
            pass
        with self.assertRaisesRegex(ogive.UserError, 'this Machine is closed'):
            machine['clock']
        machine.close()
