"""The table in README.md: what each case came to with each compiler. run.py compares every run with it and rewrites it on demand.

A cell is `right`, `limit` (a figure that no trace can have right, the reason in the last column) or `-` (not for this compiler).
"""
import os
import re

BEGIN, END = '<!-- table: written by run.py --table -->\n', '<!-- end of the table -->'
COMPILERS = ['gcc-11', 'gcc-12', 'clang-14', 'clang-19']
EXTENSIONS = ('.c', '.cpp', '.m', '.adb', '.go')


class Findings:
    def __init__(self):
        self.verdicts = {}  # (case, compiler) -> verdicts of its variants
        self.limits = {}    # case -> what its header says of limits, by key

    def case(self, name, compiler, limits):
        self.verdicts[name, compiler] = set()
        self.limits[name] = limits

    def add(self, name, compiler, verdict):
        self.verdicts[name, compiler].add(verdict)

    def cells(self):
        """(case, compiler) -> cell, of the cases that could be tried and were not wrong"""
        cells = {}
        for key, verdicts in self.verdicts.items():
            if not verdicts & {'FAIL', 'skip'}:
                cells[key] = 'limit' if 'known' in verdicts else 'right' if verdicts else '-'
        return cells

    def reason(self, name):
        return '; '.join(dict.fromkeys(re.sub(r'^\d+ ', '', value) for value in self.limits[name].values()))


def read(path):
    """case -> (compiler -> cell, reason)"""
    with open(path) as file:
        text = file.read()
    rows = {}
    for line in text[text.index(BEGIN) + len(BEGIN):text.index(END)].splitlines()[2:]:
        name, *cells, reason = [cell.strip() for cell in line.strip('|').split('|')]
        rows[name] = dict(zip(COMPILERS, cells)), reason
    return rows


def write(path, findings):
    """puts what was found into the table; rows of cases that are gone leave it, what was not tried stays"""
    rows = read(path)
    for (name, compiler), cell in findings.cells().items():
        if compiler in COMPILERS:
            cells, _ = rows.get(name, ({}, ''))
            rows[name] = {**cells, compiler: cell}, findings.reason(name)
    cases = {os.path.splitext(f)[0] for f in os.listdir(os.path.dirname(path)) if f.endswith(EXTENSIONS)}
    lines = ['| case | %s | why limited |' % ' | '.join(c.replace('-', ' ') for c in COMPILERS), '|---' * (len(COMPILERS) + 2) + '|']
    for name in sorted(cases & set(rows)):
        cells, reason = rows[name]
        lines.append('| %s | %s | %s |' % (name, ' | '.join(cells.get(c, '-') for c in COMPILERS), reason))
    with open(path) as file:
        text = file.read()
    with open(path, 'w') as file:
        file.write(text[:text.index(BEGIN) + len(BEGIN)] + '\n'.join(lines) + '\n' + text[text.index(END):])


def differences(path, findings, files):
    """what the table says otherwise than the run found, and cases that only one of them has"""
    rows, different = read(path), []
    for (name, compiler), cell in findings.cells().items():
        if compiler not in COMPILERS:
            continue
        cells, reason = rows.get(name, ({}, ''))
        if cells.get(compiler) != cell or reason != findings.reason(name):
            different.append('%s %s: the table in README.md says "%s" (%s), found "%s" (%s)'
                             % (name, compiler, cells.get(compiler), reason, cell, findings.reason(name)))
    cases = {os.path.splitext(f)[0] for f in files if f.endswith(EXTENSIONS)}
    different += ['%s: in the table in README.md, but there is no such case' % name for name in sorted(set(rows) - cases)]
    return different
