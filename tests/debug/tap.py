"""tap.py - functions as tests, in the Test Anything Protocol."""
import sys
import traceback


def run_all(tests):
    """Those named on the command line, or all; 1 if one of them failed."""
    if len(sys.argv) > 1:
        tests = [test for test in tests if test.__name__ in sys.argv[1:]]
    print(f'1..{len(tests)}')
    status = 0
    for number, test in enumerate(tests, 1):
        name = test.__name__.replace('_', ' ')
        try:
            test()
            print(f'ok {number} - {name}', flush=True)
        except Exception:
            status = 1
            for line in traceback.format_exc().splitlines():
                print('# ' + line)
            print(f'not ok {number} - {name}', flush=True)
    return status
