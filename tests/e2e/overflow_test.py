"""When a program makes events faster than they can be coded: nothing is lost, or exactly what is said to be lost."""
import harness
from harness import BOTH_LINKS, Build, main, records_by_kind

THREADS, ROUNDS = 6, 60000
CALLS = THREADS * (3 * ROUNDS + 1) + 1
# The smallest ring and the slowest coder: rings are full nearly all the time.
HARD_PRESSED = {'FNPROF_RING_SIZE': '256K', 'FNPROF_COMPRESSION': '12'}


def test_waiting_loses_nothing(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('threads.c', build), str(THREADS), str(ROUNDS)], **HARD_PRESSED)
        box.expect_equal('%s: exit status' % build, done.status, 0)
        report = box.report(box.path('run', 'trace.zst'))
        box.expect_calls(report, str(build), main=1, run=THREADS, work=THREADS * ROUNDS, leaf=2 * THREADS * ROUNDS)
        found = records_by_kind(box.path('run', 'trace.zst'))
        box.expect_equal('%s: enters and exits in the file' % build, (found['enter'], found['exit']), (CALLS, CALLS))
        box.expect_equal('%s: records dropped' % build, found['dropped_in_gaps'], 0)
        box.expect('%s: the time that threads waited or coded is in the trace' % build, found['gap'] > 0 and found['gap_ticks'] > 0, found)
        box.expect('%s: and in the report' % build, sum(t['gap_ns'] for t in report['threads']) > 0, report['threads'])
        box.expect('%s: the trace is complete' % build, report['integrity']['complete'], report['integrity'])


def test_dropping_accounts_for_every_event(box):
    for build in BOTH_LINKS:
        done = box.run([box.build('threads.c', build), str(THREADS), str(ROUNDS)], FNPROF_OVERFLOW='drop', **HARD_PRESSED)
        box.expect_equal('%s: exit status' % build, done.status, 0)
        report = box.report(box.path('run', 'trace.zst'))
        found = records_by_kind(box.path('run', 'trace.zst'))
        lost = report['integrity']['lost_events']
        box.expect('%s: events were dropped at all' % build, lost > 0, lost)
        box.expect_equal('%s: enters, exits and lost events together' % build, found['enter'] + found['exit'] + lost, 2 * CALLS)
        box.expect_equal('%s: lost events of the threads together' % build, sum(t['lost_events'] for t in report['threads']), lost)
        box.expect_equal('%s: calls reported' % build, report['total_calls'], found['enter'])
        box.expect_equal('%s: complete' % build, report['integrity']['complete'], False)
        for name, calls in harness.calls(report).items():
            limit = {'main': 1, 'run': THREADS, 'work': THREADS * ROUNDS, 'leaf': 2 * THREADS * ROUNDS}[name]
            box.expect('%s: at most %d calls of %s' % (build, limit, name), calls <= limit, calls)
        table = box.analyze('report', box.path('run', 'trace.zst')).stdout
        box.expect('%s: the table says how many' % build, any(str(lost) in line.replace(',', '') for line in table.splitlines()), table[:600])


def test_many_short_threads_lose_nothing(box):
    """Rings are handed from thread to thread."""
    source = box.path('short_threads.c')
    with open(source, 'w') as text:
        text.write('#include <pthread.h>\n#include <stddef.h>\nvolatile int total;\nvoid leaf(void) { total++; }\n'
                   'void *run(void *a) { for (int i = 0; i < 50; ++i) leaf(); return a; }\n'
                   'int main(void) { for (int i = 0; i < 500; ++i) { pthread_t t[4];\n'
                   '  for (int k = 0; k < 4; ++k) if (pthread_create(&t[k], NULL, run, NULL)) return 1;\n'
                   '  for (int k = 0; k < 4; ++k) pthread_join(t[k], NULL); } return 0; }\n')
    for build in (Build(), Build(link='static')):
        report = box.profile(box.build(source, build))
        box.expect_calls(report, str(build), main=1, run=2000, leaf=100000)
        box.expect_equal('%s: threads' % build, len(report['threads']), 2001)
        box.expect_equal('%s: their serial numbers' % build, sorted(t['serial'] for t in report['threads']), list(range(1, 2002)))


def test_the_file_holds_the_records_that_the_report_counts(box):
    for build in BOTH_LINKS:
        report = box.profile(box.build('fib.c', build), '22')
        trace = box.path('run', 'trace.zst')
        found = records_by_kind(trace)
        box.expect_equal('%s: enters, exits' % build, (found['enter'], found['exit']), (report['total_calls'], report['total_calls']))
        box.expect_equal('%s: records by the block headers' % build, harness.trace_records(trace),
                         sum(found[kind] for kind in ('enter', 'exit', 'throw', 'catch', 'longjmp', 'gap', 'mark')))


if __name__ == '__main__':
    main(globals())
