"""Calls by the source line that makes them, on a real program by every compiler: callers --lines, callees --lines and list."""
import os
import re

from harness import EVERY_BUILD, PROGRAMS, main

SOURCE = 'calls_from_lines.cpp'


def expected_lines():
    """{(line, callee): calls}, as the program's comments say."""
    found = {}
    with open(os.path.join(PROGRAMS, SOURCE)) as file:
        for number, line in enumerate(file, 1):
            if match := re.search(r'// calls: (\w+) (\d+)$', line):
                found[number, match.group(1)] = int(match.group(2))
    return found


def short(function):
    return function['name'].split('(')[0]


def test_lines_of_calls_are_those_of_the_source(box):
    expected = expected_lines()
    assert len(expected) == 9
    for build in EVERY_BUILD:
        box.run([box.build(SOURCE, build)])
        trace = box.path('run', 'trace.zst')
        for command in ('callers', 'callees'):
            document = box.document(command, '--lines', trace)
            names = [short(function) for function in document['functions']]
            calls = [call for call in document['call_lines'] if names[call['callee']] != 'main']
            at_lines = {(call['line'], names[call['callee']]): call['ncalls'] for call in calls if call['kind'] == 'line'}
            box.expect_equal('%s: %s: calls by line' % (build, command), at_lines, expected)
            box.expect('%s: %s: all in the source' % (build, command),
                       all(os.path.basename(call['file']) == SOURCE for call in calls if call['kind'] == 'line'), calls)
            others = {(names[call['callee']], names[call['caller']], call['kind'], call['ncalls']) for call in calls if call['kind'] != 'line'}
            box.expect_equal('%s: %s: calls on no line' % (build, command), others,
                             {('inlined', 'main', 'inlined', 30), ('compare', 'sorts', 'elsewhere', 1)})
            for call in calls:
                if call['kind'] == 'elsewhere' and build.link == 'shared':
                    box.expect('%s: through libc' % build, call['code'].startswith('libc.so.6'), call)
            edges = {(edge['caller'], edge['callee']): edge['ncalls'] for edge in document['edges']}
            sums = {}
            for call in document['call_lines']:
                edge = call['caller'], call['callee']
                sums[edge] = sums.get(edge, 0) + call['ncalls']
            box.expect_equal('%s: %s: lines add up to edges' % (build, command), sums, edges)
        # main > down(4) > 3 > 2 > 1 > 0 and, from 4 and 3, down(0): each of these two lines calls itself only within itself or once beside.
        primitive = {call['line']: call['primitive_calls'] for call in calls if names[call['callee']] == 'down' and names[call['caller']] == 'down'}
        box.expect_equal('%s: recursion is judged by line' % build, primitive,
                         {line: {4: 1, 2: 2}[count] for (line, name), count in expected.items() if name == 'down' and count > 1})


def test_the_listing_shows_each_line_with_its_calls(box):
    for build in EVERY_BUILD:
        box.run([box.build(SOURCE, build)])
        answer = box.analyze('list', '--width', '0', box.path('run', 'trace.zst'), 'all')
        box.expect_equal('%s: status' % build, answer.status, 0)
        with open(os.path.join(PROGRAMS, SOURCE)) as file:
            source = file.read().splitlines()
        for (line, name), count in expected_lines().items():
            rows = [row.split() for row in answer.stdout.splitlines() if row.endswith('%d %s' % (line, source[line - 1]))]
            box.expect_equal('%s: line %d is there once' % (build, line), len(rows), 1)
            calls = rows[0][0].split('/')[0]
            box.expect_equal('%s: line %d calls %s' % (build, line, name), calls, str(count))
        for text in (r' 30 +\S+ +inlined: inlined\(int\)', r' 1 +\S+ +through .*: compare\('):
            box.expect('%s: what is on no line: %s' % (build, text), re.search(text, answer.stdout), answer.stdout)


def test_a_listing_without_its_source_says_so(box):
    copy = box.path('moved.cpp')
    with open(os.path.join(PROGRAMS, SOURCE)) as file, open(copy, 'w') as to:
        to.write(file.read())
    program = box.build(copy, output=box.path('moved'))
    os.remove(copy)
    box.run([program])
    answer = box.analyze('list', box.path('run', 'trace.zst'), 'sorts')
    box.expect_equal('status', answer.status, 0)
    box.expect('the reason', 'moved.cpp cannot be shown: No such file or directory' in ' '.join(answer.stdout.split()), answer.stdout)
    box.expect('the calls all the same', 'compare(' in answer.stdout, answer.stdout)


if __name__ == '__main__':
    main(globals())
