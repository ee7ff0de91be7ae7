"""From before main to after it: nothing is missing, however a process begins and ends."""
import os

from harness import BOTH_LINKS, EVERY_BUILD, Build, edges, main


def test_functions_before_and_after_main_are_recorded(box):
    for build in EVERY_BUILD:
        report = box.profile(box.build('around_main.c', build))
        box.expect_calls(report, str(build), before_main=1, before_everything=1, main=1, at_exit_first=1, at_exit_last=1,
                         after_main=1, after_everything=1, shared_helper=6)
        callers = {caller for caller, callee in edges(report) if callee == 'shared_helper'}
        box.expect_equal('%s: callers of shared_helper' % build, callers, {
            'before_main', 'before_everything', 'at_exit_first', 'at_exit_last', 'after_main', 'after_everything'})


def expect_end(box, how, status, leaf, **more):
    for build in BOTH_LINKS + [Build('clang')]:
        done = box.run([box.build('process_ends.c', build), how])
        box.expect_equal('%s: exit status' % build, done.status, status)
        box.expect_equal('%s: what fnprof says' % build, done.fnprof_lines(), [])
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, str(build), main=1, leaf=leaf, **more)
        yield build, report


def test_return_from_main(box):
    for build, report in expect_end(box, 'return', 7, 2001, second=1, at_exit=1):
        box.expect_equal('%s: the process has an end record' % build, [p['ended'] for p in report['processes']], [True])
        box.expect('%s: the trace is complete' % build, report['integrity']['complete'], report['integrity'])


def test_exit_in_another_thread(box):
    for build, report in expect_end(box, 'exit_in_thread', 7, 2001, second=1, at_exit=1):
        opened = {f['name']: f['open_calls'] for f in report['functions']}
        box.expect_equal('%s: functions still active' % build, sorted(n for n, c in opened.items() if c), ['main', 'second'])


def test_quick_exit(box):
    for _ in expect_end(box, 'quick_exit', 7, 2001, second=1, at_quick_end=1, at_exit=0):
        pass


def test_underscore_exit_loses_nothing(box):
    for build, report in expect_end(box, '_exit', 7, 2000, second=1, at_exit=0):
        box.expect_equal('%s: the process has an end record' % build, [p['ended'] for p in report['processes']], [False])


def test_pthread_exit_of_main(box):
    for _ in expect_end(box, 'pthread_exit_of_main', 0, 2001, outlive_main=1, at_exit=1):
        pass


def test_abort_loses_nothing(box):
    for _ in expect_end(box, 'abort', -6, 2000, second=1, at_exit=0):
        pass


def test_sigkill_loses_nothing(box):
    for build, report in expect_end(box, 'kill', -9, 2000, second=1, at_exit=0):
        box.expect('%s: records came from the live file' % build, report['integrity']['live_events'] > 0, report['integrity'])
        box.expect('%s: the live file stays' % build, os.path.exists(box.path('run', 'trace.zst.live')))


def test_a_clean_end_leaves_one_file(box):
    for build in BOTH_LINKS:
        box.profile(box.build('fib.c', build), '10')
        box.expect_equal('%s: files' % build, sorted(os.listdir(box.path('run'))), ['trace.zst'])


def test_exit_status_and_output_are_the_program_s_own(box):
    for build in EVERY_BUILD:
        plain = box.run(box.build('chatty.c', Build(build.compiler, build.optimization, 'none'), flags=()))
        traced = box.run(box.build('chatty.c', build))
        box.expect_equal('%s: status, stdout, stderr' % build, (traced.status, traced.stdout, traced.stderr),
                         (plain.status, plain.stdout, plain.stderr))


if __name__ == '__main__':
    main(globals())
