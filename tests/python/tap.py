"""tap.py MODULE - runs the unittests of a module beside this file and prints TAP."""
import importlib
import sys
import unittest

sys.dont_write_bytecode = True


class Tap(unittest.TestResult):
    """Says how each test ends."""

    def say(self, test, good, note=''):
        print(f'{"ok" if good else "not ok"} {self.testsRun} - {test.id().split(".")[-1]}{note}',
              flush=True)

    def complain(self, test, problem):
        for line in self._exc_info_to_string(problem, test).splitlines():
            print(f'# {line}')
        self.say(test, False)

    def addSuccess(self, test):
        self.say(test, True)

    def addFailure(self, test, problem):
        super().addFailure(test, problem)
        self.complain(test, problem)

    def addError(self, test, problem):
        super().addError(test, problem)
        if isinstance(test, unittest.TestCase):
            self.complain(test, problem)
        else:  # what a class or a module sets up
            print(f'Bail out! {test}: {problem[1]}')

    def addSkip(self, test, reason):
        self.say(test, True, f' # SKIP {reason}')


result = Tap()
unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(sys.argv[1])).run(result)
print(f'1..{result.testsRun}')
sys.exit(not result.wasSuccessful())
