"""tap.py - runs functions as tests and prints TAP."""


def run(tests):
    for number, test in enumerate(tests, 1):
        try:
            test()
            print(f'ok {number} - {test.__name__}')
        except Exception as problem:
            print(f'# {problem!r}\nnot ok {number} - {test.__name__}')
    print(f'1..{len(tests)}')
