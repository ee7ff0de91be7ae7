"""A run of several processes, read process by process."""
import os

from harness import Build, calls, main

ORDER = [  # program's part, leaf calls, origin, how it ended
    ('parent', 2, 'child of', 'ended'),
    ('nursling', 10, 'in main > school > nursery', 'ended'),
    ('emigrant', 1, 'in main > emigrate', 'went on as'),
    ('settler', 5, 'executed by', 'ended'),
    ('perished', 7, 'in main > perish', 'no end record: killed, _exit or exec'),
]


def family(box, build):
    box.run([box.build('family.c', build)])
    return [box.path('run', name) for name in box.traces()]


def test_each_process_has_its_own_table(box):
    for build in (Build(), Build('clang'), Build(link='static')):
        traces = family(box, build)
        box.expect_equal('%s: traces' % build, len(traces), len(ORDER))
        together = box.report(*traces)
        document = box.document('report', '--by-process', *reversed(traces))
        parts = document['by_process']
        box.expect_equal('%s: calls of all together' % build, document['total_calls'], together['total_calls'])
        box.expect_equal('%s: and added up' % build, sum(part['total_calls'] for part in parts), together['total_calls'])
        box.expect_equal('%s: calls of leaf' % build, [calls(part).get('leaf', 0) for part in parts], [row[1] for row in ORDER])
        box.expect_equal('%s: parents' % build, [part['parent'] for part in parts], [None, 0, 0, 2, 0])
        first = parts[0]['process']['pid']
        box.expect_equal('%s: forked from' % build, [part['process']['forked_from'] for part in parts], [None, first, first, None, first])
        names = [[function['name'] for function in part['functions']] for part in parts]
        stacks = [[names[i][function] for function in part['process']['fork_stack']] for i, part in enumerate(parts)]
        box.expect_equal('%s: stacks at the fork' % build, stacks, [[], ['main', 'school', 'nursery'], ['main', 'emigrate'], [], ['main', 'perish']])
        box.expect_equal('%s: images' % build, [part['process']['image'] for part in parts], [0, 0, 0, 1, 0])
        for command, member in (('tree', 'call_paths'), ('callers', 'edges'), ('callees', 'edges')):
            other = box.document(command, '--by-process', *traces)['by_process']
            box.expect_equal('%s: %s of each process' % (build, command), [sum(row['ncalls'] for row in part[member]) for part in other],
                             [part['total_calls'] for part in parts])


def test_the_text_says_where_each_process_came_from(box):
    traces = family(box, Build())
    for command in ('report', 'tree', 'callers', 'callees'):
        answer = box.analyze(command, '--by-process', '--all-processes', traces[-1])
        box.expect_equal('%s: status' % command, answer.status, 0)
        titles = [line for line in answer.stdout.splitlines() if ' (pid ' in line and ', parent ' in line]
        box.expect_equal('%s: titles' % command, len(titles), len(ORDER))
        for title, (_, _, origin, ending) in zip(titles, ORDER):
            box.expect('%s: %s ... %s' % (command, origin, ending), origin in title and title.split('; ')[-1].startswith(ending), title)
        box.expect_equal('%s: headlines' % command, answer.stdout.count(' function calls'), len(ORDER) + 1)
    rows = box.analyze('--by-process', *traces, 'leaf', '-s', 'name').stdout
    box.expect_equal('restrictions hold for each table', rows.count("due to restriction <'leaf'>"), len(ORDER))


def test_one_process_is_its_own_family(box):
    box.run([box.build('fib.c'), '5'])
    document = box.document('report', '--by-process', box.path('run', 'trace.zst'))
    box.expect_equal('processes', len(document['by_process']), 1)
    box.expect_equal('calls', document['by_process'][0]['total_calls'], document['total_calls'])
    box.expect_equal('info has no such option', box.analyze('info', '--by-process', box.path('run', 'trace.zst')).status, 2)


def test_a_child_without_its_parent_s_trace_says_so(box):
    traces = family(box, Build())
    orphans = [trace for trace in traces if os.path.basename(trace) != 'trace.zst']
    text = box.analyze('--by-process', *orphans).stdout
    box.expect_equal('children whose parent is missing', text.count(', whose trace is not here') // 2, 3)


if __name__ == '__main__':
    main(globals())
