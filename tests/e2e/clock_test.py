"""Where the time stamp counter may not be read, or is not to be trusted: everything is recorded by CLOCK_MONOTONIC, or with the right to
read the counter for as long as a record takes; and the program's own permissions are what it made them."""
from harness import BOTH_LINKS, Build, calls, edges, main

BUILDS = BOTH_LINKS + [Build('clang'), Build('gcc', '-O0')]
SPIN_NS = 50_000_000
MANY, FEW = 100000, 1000


def clocks(report):
    return [process['clock'] for process in report['processes']]


def stats(report, name):
    return next(function for function in report['functions'] if function['name'] == name)


def expect_plain_run(box, build, trace, clock):
    """The run of "calls", "first" and "exec"."""
    report = box.report(trace)
    box.expect_equal('%s: clock' % build, clocks(report), [clock])
    box.expect_calls(report, str(build), call=1, leaf=MANY + 2, jump=1, leave=1, spin=1, at_exit=1)
    box.expect_equal('%s: complete' % build, report['integrity']['complete'], True)
    box.expect_equal('%s: after the longjmp' % build, edges(report).get(('jump', 'leaf')), 1)
    spin = stats(report, 'spin')['cumulative_ns']
    box.expect('%s: 50 ms are 50 ms, in a run of so many' % build, SPIN_NS <= spin <= report['wall_ns'], (spin, report['wall_ns']))
    return report


def test_a_process_that_must_not_read_the_counter_is_recorded(box):
    for build in BUILDS:
        # The loader of shared libraries reads the counter itself: only static programs can be loaded without it.
        for how in ('exec', 'first') if build.link == 'static' else ('first',):
            done = box.run([box.build('forbids_counter.c', build), how])
            box.expect_equal('%s, %s: status, stdout, stderr' % (build, how), (done.status, done.stdout, done.stderr), (0, 'forbidden\n', ''))
            expect_plain_run(box, '%s, %s' % (build, how), box.path('run', 'trace.zst'), 'monotonic')
    info = box.analyze('info', box.path('run', 'trace.zst')).stdout
    box.expect('info says what clock it is', 'CLOCK_MONOTONIC' in info, info)


def test_the_variable_chooses_the_clock(box):
    for build in BOTH_LINKS:
        program = box.build('forbids_counter.c', build)
        for how, variable, clock in (('calls', '', 'tsc'), ('calls', 'tsc', 'tsc'), ('calls', 'monotonic', 'monotonic'),
                                     ('first', 'tsc', 'tsc'), ('first', 'monotonic', 'monotonic')):
            shown = '%s, %s, FNPROF_CLOCK=%s' % (build, how, variable)
            done = box.run([program, how], FNPROF_CLOCK=variable)
            box.expect_equal('%s: status, stdout, stderr' % shown, (done.status, done.stdout, done.stderr),
                             (0, 'forbidden\n' if how == 'first' else 'allowed\n', ''))
            process = expect_plain_run(box, shown, box.path('run', 'trace.zst'), clock)['processes'][0]
            box.expect('%s: what the hooks cost was measured' % shown, process['hook_inner_ps'] > 0, process)


def test_a_thread_may_forbid_itself_the_counter_in_the_middle(box):
    for build in BUILDS:
        done = box.run([box.build('forbids_counter.c', build), 'middle'])
        box.expect_equal('%s: status, stderr' % build, (done.status, done.stderr), (0, ''))
        both = [box.path('run', name) for name in box.traces()]
        box.expect_equal('%s: traces' % build, len(both), 2)
        report = box.report(*both)
        box.expect_equal('%s: clocks' % build, sorted(clocks(report)), ['monotonic', 'tsc'])
        box.expect_calls(report, str(build), middle=1, thread=1, call=6, leaf=4 * MANY + 2 * FEW + 2, jump=2, leave=2, spin=2)
        found = edges(report)
        box.expect_equal('%s: callers of spin' % build, {caller: n for (caller, callee), n in found.items() if callee == 'spin'}, {'middle': 2})
        box.expect_equal('%s: after the longjmps' % build, found.get(('jump', 'leaf')), 2)
        spin = stats(report, 'spin')['cumulative_ns']
        box.expect('%s: 50 ms are 50 ms by either clock' % build, 2 * SPIN_NS <= spin <= report['wall_ns'], (spin, report['wall_ns']))
        box.expect('%s: the dearer hooks are told' % build, any('PR_SET_TSC' in remark for remark in report['integrity']['remarks']),
                   report['integrity'])
        box.expect_equal('%s: complete' % build, report['integrity']['complete'], True)


def test_handlers_come_at_any_moment_of_the_change(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('forbids_counter.c', build), 'handler'])
        box.expect_equal('%s: status, stderr' % build, (done.status, done.stderr), (0, ''))
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), handler=1, call=40, leaf=40 * FEW,
                         in_handler=int(done.stdout))


def test_a_vfork_child_s_permission_is_its_own(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('forbids_counter.c', build), 'vfork'])
        box.expect_equal('%s: status, stderr' % build, (done.status, done.stderr), (0, ''))
        report = box.report(*[box.path('run', name) for name in box.traces()])
        box.expect_calls(report, str(build), with_vfork=1, call=2, leaf=2 * MANY + 1)


def test_handlers_in_hooks_that_call_the_kernel_lose_nothing(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('interrupted.c', build), '60000'], FNPROF_RING_SIZE='256K', FNPROF_CLOCK='monotonic')
        box.expect_equal('%s: status' % build, done.status, 0)
        box.expect_calls(box.report(box.path('run', 'trace.zst')), str(build), main=1, leaf=60000, in_handler=int(done.stdout))


def test_exceptions_are_marked_by_either_clock(box):
    for build in [Build(compiler, link=link) for compiler in ('gcc', 'clang') for link in ('shared', 'static')]:
        program = box.build('unwinds.cpp', build)
        expected = None
        for clock in ('tsc', 'monotonic'):
            done = box.run([program], FNPROF_CLOCK=clock)
            report = box.report(box.path('run', 'trace.zst'))
            found = (done.status, done.stdout, calls(report), edges(report), report['integrity']['unmatched_exits'])
            expected = expected or found
            box.expect('%s, %s: calls and callers' % (build, clock), found == expected and report['processes'][0]['marks_on'], found)


if __name__ == '__main__':
    main(globals())
