"""pages.py - pages with tables that benchmarks make."""
import sys


def table_put(bench, path, lines):
    """Puts the lines into the page, between the comments that mark the table's place."""
    begin, end = f'<!-- table of ./run bench {bench} -->', '<!-- end of the table -->'
    with open(path, encoding='utf-8') as file:
        text = file.read()
    before, found, rest = text.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        sys.exit(f'{bench}: {path} has no place for the table: {begin}')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join((before + begin, *lines, end + after)))
