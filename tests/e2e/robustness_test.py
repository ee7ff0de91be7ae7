"""What a report still says when the world has moved on, or the file was damaged."""
import os
import shutil

import harness
from harness import BOTH_LINKS, Build, main


def test_a_moved_trace_of_a_deleted_program_still_has_names(box):
    for build in BOTH_LINKS:
        program = box.build('fib.c', build)
        box.run([program, '12'])
        place = box.fresh('archive')
        shutil.move(box.path('run', 'trace.zst'), os.path.join(place, 'renamed.zst'))
        shutil.rmtree(box.path('run'))
        os.remove(program)
        box.expect_calls(box.report(os.path.join(place, 'renamed.zst')), str(build), main=1, fib=465)


def long_trace(box):
    """A trace of several blocks; its path and the calls in it."""
    report = box.profile(box.build('fib.c'), '24')
    return box.path('run', 'trace.zst'), report['total_calls']


def test_a_truncated_trace_is_reported_up_to_the_cut(box):
    trace, calls = long_trace(box)
    size = os.path.getsize(trace)
    before = calls + 1
    for percent in (99, 75, 50, 25):
        cut = box.path('cut.zst')
        shutil.copy(trace, cut)
        os.truncate(cut, size * percent // 100)
        report = box.report(cut)
        box.expect('%d %%: calls are left, not more than before' % percent, 0 < report['total_calls'] <= before, report['total_calls'])
        box.expect('%d %%: functions have names' % percent, {'fib'} <= set(harness.calls(report)), harness.calls(report))
        box.expect_equal('%d %%: complete' % percent, report['integrity']['complete'], False)
        text = box.analyze('report', cut)
        box.expect('%d %%: the table says that something is missing' % percent,
                   text.status == 0 and any(word in text.stdout + text.stderr for word in ('incomplete', 'truncated', 'missing', 'damaged', 'cut')),
                   text.stdout[:400] + text.stderr[:400])
        before = report['total_calls']


def test_a_damaged_block_costs_only_itself(box):
    trace, calls = long_trace(box)
    size = os.path.getsize(trace)
    with open(trace, 'r+b') as file:
        file.seek(size // 2)
        middle = file.read(64)
        file.seek(size // 2)
        file.write(bytes(byte ^ 0xff for byte in middle))
    report = box.report(trace)
    box.expect('at least a third of the calls are left', calls // 3 < report['total_calls'] < calls, report['total_calls'])
    box.expect('the damage is counted', report['integrity']['damaged_blocks'] >= 1, report['integrity'])
    box.expect_equal('complete', report['integrity']['complete'], False)
    box.expect_equal('status with --strict', box.analyze('report', '--strict', trace).status, 4)


def test_what_is_no_trace_is_refused_by_name(box):
    folder = box.fresh()
    for name, content in (('empty.zst', b''), ('text.zst', b'hello\n'), ('noise.zst', bytes(range(256)) * 64)):
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        answer = box.analyze('report', path)
        box.expect_equal('%s: status' % name, answer.status, 1)
        box.expect('%s: the message names the file' % name, path in answer.stderr, answer.stderr)
    answer = box.analyze('report', os.path.join(folder, 'missing.zst'))
    box.expect('a missing file: status 1, named', answer.status == 1 and 'missing.zst' in answer.stderr, answer.stderr)


def test_a_running_program_can_be_looked_at(box):
    program, cwd = box.build('rendezvous.c'), box.fresh()
    process = box.start(program, cwd)
    process.stdout.readline()
    box.expect_calls(box.report(box.path('run', 'trace.zst')), 'while it runs', main=1, leaf=3)
    process.communicate()
    box.expect_calls(box.report(box.path('run', 'trace.zst')), 'afterwards', main=1, leaf=5)


def test_a_full_disk_costs_only_the_rest_of_the_trace(box):
    """Stood in for by a limit on the size of files: writing beyond it fails, or kills whoever does not know better."""
    # Less than a ring, so that it cannot lie in a file; and enough for rings, but not for the trace.
    for limit in (200_000, 600_000):
        for build in BOTH_LINKS:
            shown = '%s, %d bytes' % (build, limit)
            done = box.run([box.build('fib.c', build), '29', '5'], file_limit=limit, FNPROF_RING_SIZE='256K')
            lines = done.fnprof_lines()
            box.expect_equal('%s: status and output' % shown, (done.status, done.stdout), (5, '514229\n'))
            box.expect('%s: one warning that names the trace' % shown, len(lines) == 1 and 'trace.zst' in lines[0], done.stderr)
            trace = box.path('run', 'trace.zst')
            box.expect('%s: the trace keeps the limit' % shown, os.path.getsize(trace) <= limit, os.path.getsize(trace))
            report = box.report(trace)
            # fib(29) makes 1,664,079 calls, main is one more.
            box.expect('%s: the first calls are there, not all' % shown, 0 < report['total_calls'] < 1664080, report['total_calls'])
            integrity = report['integrity']
            box.expect('%s: the report says that some are missing' % shown, integrity['lost_events'] + integrity['unended_processes'] > 0, integrity)
            box.expect_equal('%s: complete' % shown, report['integrity']['complete'], False)


def test_reading_a_trace_twice_gives_the_same_bytes(box):
    trace, _ = long_trace(box)
    for subcommand in ('report', 'tree'):
        answers = {box.analyze(subcommand, '--json', trace).stdout for _ in range(3)}
        box.expect_equal('%s: different answers' % subcommand, len(answers), 1)


if __name__ == '__main__':
    main(globals())
