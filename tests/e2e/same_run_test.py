"""Whose trace may be replaced: that of an earlier run, and never one of this run, in whichever order its processes come and go."""
import os

from harness import BOTH_LINKS, Build, main

DIRECTLY = ('fork', 'vfork', 'spawn', 'session')
WAYS = DIRECTLY + ('shell', 'grandchild')


def leaf_calls(box, folder='run'):
    """Calls of leaf in each trace; that of trace.zst comes first."""
    names = sorted(box.traces(box.path(folder)), key=lambda name: name != 'trace.zst')
    return [{f['name']: f['ncalls'] for f in box.report(box.path(folder, name))['functions']}.get('leaf') for name in names]


def expect_both(box, program, how, end, first, second, prefix=()):
    done = box.run([*prefix, program, how, end])
    wanted = (-9 if end == 'kill' else 0, '', [first, second])
    box.expect_equal('%s %s: status, errors, calls' % (how, end), (done.status, done.stderr, leaf_calls(box)), wanted)
    # A trace names the parent that its process had when it was loaded, and no farther relatives.
    if how in DIRECTLY and end != 'hurry' and not prefix:
        together = box.report('--all-processes', box.path('run', 'trace.zst'))
        box.expect_calls(together, '%s %s: the run' % (how, end), leaf=first + second)


def test_a_child_that_comes_after_its_parent_s_end_leaves_the_trace_alone(box):
    for build in BOTH_LINKS + [Build('clang', '-O0')]:
        program = box.build('starts_another.c', build)
        for how in WAYS:
            expect_both(box, program, how, 'return', 3, 5)


def test_also_when_the_parent_does_not_wait_for_it_to_begin(box):
    for build in BOTH_LINKS:
        program = box.build('starts_another.c', build)
        for how in WAYS:
            expect_both(box, program, how, 'hurry', 3, 5)


def test_also_when_the_parent_was_killed(box):
    program = box.build('starts_another.c')
    for end in ('_exit', 'kill'):
        for how in DIRECTLY:
            expect_both(box, program, how, end, 3, 5)
        # The parent leads a session, as a shell lets each of its jobs lead a process group.
        for how in ('grandchild', 'shell'):
            expect_both(box, program, how, end, 3, 5, prefix=('setsid', '-w'))


def test_a_parent_that_comes_after_its_child_s_end_leaves_the_trace_alone(box):
    for build in BOTH_LINKS:
        program = box.build('starts_another.c', build)
        for how in WAYS:
            expect_both(box, program, how, 'last', 5, 3)


def test_programs_of_a_pipeline_keep_their_traces(box):
    program = box.build('rendezvous.c')
    for repetition in range(5):
        done = box.run(['sh', '-c', '%s < /dev/null | %s' % (program, program)])
        box.expect_equal('round %d: status, errors' % repetition, (done.status, done.stderr), (0, ''))
        box.expect_equal('round %d: calls' % repetition, sorted(leaf_calls(box)), [5, 5])


def test_a_run_replaces_the_one_before_however_soon_it_comes(box):
    program = box.build('fib.c')
    runs = {
        'one shell': ' && '.join('%s %d' % (program, n) for n in (3, 4, 5, 6)),
        'a shell each': ' && '.join("sh -c '%s %d; true'" % (program, n) for n in (3, 4, 5, 6)),
        'shells in between': "%s 3 && sh -c '%s 4; true' && %s 5 && sh -c '%s 6; true'" % (4 * (program,)),
        'in place of the shell': '%s 3; %s 4; %s 5; exec %s 6' % (4 * (program,)),
        'subshells': '(%s 3; true); (%s 4; true); (%s 5; true); (%s 6; true)' % (4 * (program,)),
    }
    for what, line in runs.items():
        for prefix in ((), ('setsid', '-w')):
            done = box.run([*prefix, 'sh', '-c', line])
            box.expect_equal('%s: status, errors' % what, (done.status, done.stderr), (0, ''))
            box.expect_equal('%s: traces' % what, box.traces(), ['trace.zst'])
            box.expect_calls(box.report(box.path('run', 'trace.zst')), what, fib=25)


def test_a_run_replaces_the_one_that_was_killed_before(box):
    program = box.build('process_ends.c')
    for line in ('{0} kill; {0} kill; {0} kill', "sh -c '{0} kill; true'; sh -c '{0} _exit; true'; sh -c '{0} kill; true'"):
        box.run(['sh', '-c', line.format(program)])
        box.expect_equal('files', sorted(os.listdir(box.path('run'))), ['trace.zst', 'trace.zst.live'])


def test_a_time_in_the_future_protects_nothing(box):
    program = box.build('fib.c')
    box.run([program, '3'])
    os.utime(box.path('run', 'trace.zst'), (2 ** 32, 2 ** 32))
    box.run([program, '4'], cwd=box.path('run'))
    box.expect_equal('traces', box.traces(), ['trace.zst'])


if __name__ == '__main__':
    main(globals())
