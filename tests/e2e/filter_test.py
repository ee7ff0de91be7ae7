"""suggest-filter on real programs: the flags that it prints do what it says."""
from harness import Build, main


def calls(box, program):
    box.run([program])
    trace = box.path('run', 'trace.zst')
    return trace, {function['name']: function['ncalls'] for function in box.document('report', trace)['functions']}


def test_gcc_leaves_out_what_the_flags_say_and_nothing_else(box):
    for source in ('fib.c', 'calls_from_lines.cpp'):
        trace, before = calls(box, box.build(source, Build('gcc', '-O0', 'shared')))
        advice = box.document('suggest-filter', trace)
        left_out = {name for candidate in advice['candidates'] for name in candidate['functions']}
        box.expect('%s: something can be left out' % source, left_out and left_out < set(before), left_out)
        program = box.build(source, Build('gcc', '-O0', 'shared'), flags=('-finstrument-functions', *advice['gcc_flags']), output=box.path('filtered'))
        _, after = calls(box, program)
        expected = {name: count for name, count in before.items() if name not in left_out}
        box.expect_equal('%s: calls with %s' % (source, advice['gcc_flags']), after, expected)
        box.expect_equal('%s: the calls that were said to be saved' % source, sum(before.values()) - sum(after.values()),
                         sum(candidate['ncalls'] for candidate in advice['candidates']))


if __name__ == '__main__':
    main(globals())
