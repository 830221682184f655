"""systems.py - running chips from Python: work, steps, statistics, memory, pictures, rays."""
import os
import sys
import tempfile
import unittest

import ogive

try:
    import numpy
except ImportError:
    numpy = None

SMALL = os.path.join(os.environ['OGIVE_TEST_DATA'], 'small-rt.yaml')


def traced(**work):
    return ogive.System(ogive.Machine(SMALL)).load(
        **{'scene': 'cornell', 'rays': 'secondary', 'width': 12, 'height': 12, **work})


class Systems(unittest.TestCase):
    def test_programs_run_and_say_what_they_say(self):
        system = ogive.System(ogive.Machine('tiny')).load('hello')
        self.assertEqual((system.cycle, system.console, system.exit_code), (0, '', None))
        self.assertTrue(system.run())
        self.assertEqual(system.console, 'hello from 8 harts\n')
        self.assertEqual((system.exit_code, system.fault), (0, None))

    def test_steps_change_nothing(self):
        whole, stepped = traced(), traced()
        whole.run()
        cycles = []
        while not stepped.step(777):
            cycles.append(stepped.cycle)
        self.assertEqual(cycles[:2], [777, 1554])
        self.assertEqual(whole.digest, stepped.digest)
        self.assertEqual(whole.cycle, stepped.cycle)

    def test_statistics_are_read_while_it_runs(self):
        system, rays = traced(), []
        while not system.step(500):
            rays.append(system['sm[*].rt.rays'])
        self.assertEqual(rays[0], 0)
        self.assertEqual(rays, sorted(rays))
        self.assertGreater(system['sm[*].rt.rays'], 100)
        values = {row['path']: row['value'] for row in system.stats()}
        self.assertEqual(values['sm[*].rt.rays'], system['sm[*].rt.rays'])
        self.assertGreater(len(system.stats(each=True)), len(values))
        with self.assertRaisesRegex(ogive.UserError, 'did you mean'):
            system['sm[*].rt.rasy']

    def test_run_stops_at_a_cycle_and_tells_progress(self):
        system, seen = traced(), []
        self.assertFalse(system.run(1500, progress=lambda system: seen.append(system.cycle)))
        self.assertEqual(system.cycle, 1500)
        self.assertEqual(seen[-1], 1500)
        self.assertFalse(system.run(1500))
        self.assertTrue(system.run())
        self.assertTrue(system.run())

    def test_an_interrupt_leaves_it_as_it_is(self):
        def interrupt(_):
            raise KeyboardInterrupt
        system = traced()
        with self.assertRaises(KeyboardInterrupt):
            system.run(progress=interrupt)
        self.assertEqual(system.cycle, 1000)
        system.run()
        whole = traced()
        whole.run()
        self.assertEqual(system.digest, whole.digest)

    def test_memory_is_read_and_written(self):
        system = ogive.System(ogive.Machine('tiny'))
        system.write(0x1013, b'some words')
        self.assertEqual(system.read(0x1018, 5), b'words')
        with self.assertRaisesRegex(ogive.UserError, 'no memory at address 0x10000000000'):
            system.read(1 << 40, 1)
        with self.assertRaises(ogive.UserError):
            system.read(-1, 1)

    def test_a_picture_is_an_array(self):
        system = ogive.System(ogive.Machine('tiny')).load('mandelbrot', ['16', '10'])
        self.assertIsNone(system.image())
        system.run()
        image = system.image()
        self.assertEqual(tuple(image.shape), (16, 16, 4))
        self.assertEqual(image[15, 15, 3], 255)
        with tempfile.TemporaryDirectory() as work:
            system.save_image(os.path.join(work, 'image.png'))
            self.assertTrue(os.path.getsize(os.path.join(work, 'image.png')))

    @unittest.skipUnless(numpy, 'NumPy is not installed')
    def test_a_picture_is_one_of_numpy(self):
        system = traced()
        system.run()
        self.assertIsInstance(system.image(), numpy.ndarray)
        self.assertGreater(system.image()[:, :, :3].std(), 10)

    def test_a_picture_needs_no_numpy(self):
        system = traced()
        system.run()
        before = sys.modules.get('numpy')
        sys.modules['numpy'] = None
        try:
            self.assertIsInstance(system.image(), memoryview)
            self.assertEqual(system.image().shape, (12, 12, 4))
        finally:
            del sys.modules['numpy']
            if before:
                sys.modules['numpy'] = before

    def test_hits_are_judged(self):
        system = traced()
        self.assertGreater(system.judge().wrong, 0)
        system.run()
        judgement = system.judge()
        self.assertEqual((judgement.wrong, judgement.first), (0, ''))
        self.assertEqual(judgement.rays, judgement.equal + judgement.ties + judgement.edges)

    def test_own_rays_are_traced(self):
        rays = [(2, 3, -8, 0, 0, 1), (2, 3, -8, 0, 0, 0, -1, 100), (0, 0, 0, 1, 0, 0, 1, 0)]
        system = traced(rays=rays, width=0, height=0)
        system.run()
        hits = system.hits()
        self.assertIsNotNone(hits[0].triangle)
        self.assertTrue(8 < hits[0].t < 14, hits[0])
        self.assertEqual((hits[1].t, hits[1].triangle, hits[2].triangle), (100, None, None))
        self.assertEqual(system.judge().rays, 2)
        with self.assertRaisesRegex(ogive.UserError, 'not 3'):
            traced(rays=[(1, 2, 3)])

    @unittest.skipUnless(numpy, 'NumPy is not installed')
    def test_own_rays_are_an_array(self):
        rays = numpy.zeros((20, 6))
        rays[:, :3] = (2, 3, -8)
        rays[:, 3] = numpy.linspace(-0.2, 0.2, 20)
        rays[:, 5] = 1
        system = traced(rays=rays, width=5, height=4)
        system.run()
        self.assertEqual(len(system.hits()), 20)
        self.assertEqual(system.judge().wrong, 0)

    def test_a_view_is_drawn(self):
        view = {'eye': (2.75, 2.75, -8), 'target': (2.75, 2.75, 0), 'fov_degrees': 39}
        system, same = traced(view=view, rays='primary'), traced(rays='primary')
        system.run()
        same.run()
        self.assertEqual(system.digest, same.digest)
        with self.assertRaisesRegex(TypeError, "no 'eyes'"):
            traced(view={'eyes': (0, 0, 0)})

    def test_checkpoints_go_on(self):
        system = traced()
        system.step(1000)
        with tempfile.TemporaryDirectory() as work:
            kept = os.path.join(work, 'kept.ogv')
            system.checkpoint(kept)
            system.run()
            digest = system.digest
            with self.assertRaisesRegex(ogive.UserError, 'does not fit'):
                ogive.System.resume(kept)
            system.close()
            again = ogive.System.resume(kept)
            with self.assertRaisesRegex(ogive.Error, 'nowhere'):
                ogive.System.resume(os.path.join(work, 'nowhere'))
        self.assertEqual(again.cycle, 1000)
        again.run()
        self.assertEqual(digest, again.digest)

    def test_mistakes_are_our_messages(self):
        with self.assertRaisesRegex(ogive.UserError, "did you mean 'secondary'"):
            traced(rays='secondry')
        with self.assertRaisesRegex(TypeError, "takes no 'sample'"):
            traced(sample=1)
        with self.assertRaisesRegex(ogive.UserError, 'must be from 0'):
            traced(width=-1)
        with tempfile.TemporaryDirectory() as work:
            source = os.path.join(work, 'fails.c')
            with open(source, 'w') as file:
                file.write('int main(void) { *(volatile int *)0x7000000000 = 1; return 0; }\n')
            system = ogive.System(ogive.Machine('tiny')).load(source)
            with self.assertRaisesRegex(ogive.UserError, 'where there is no memory'):
                system.run()
            self.assertIn('fails.c:1', system.fault)

    def test_a_hang_has_a_class(self):
        machine = ogive.Machine('tiny')
        with tempfile.TemporaryDirectory() as work:
            source = os.path.join(work, 'waits.c')
            with open(source, 'w') as file:
                file.write('#include <ogive/device.h>\n'
                           'int main(void) { if (ogv_hart()) ogv_barrier(); return 0; }\n')
            system = ogive.System(machine).load(source)
        with self.assertRaisesRegex(ogive.HangError, 'deadlock'):
            system.run()

    def test_what_is_closed_is_refused(self):
        system = traced()
        system.close()
        with self.assertRaisesRegex(ogive.UserError, 'this System is closed'):
            system.run()
        self.assertEqual(repr(system), '<System, closed>')
