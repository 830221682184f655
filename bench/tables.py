"""tables.py - how the benchmarks written in Python print tables."""


def table_print(rows):
    """As Markdown; all columns but the first are numbers, or words about them."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width
                                             in zip(row[1:], widths[1:])]
        print('| ' + ' | '.join(cells) + ' |')
        if number == 0:
            print('|' + '|'.join('-' * (width + 2) for width in widths) + '|')
