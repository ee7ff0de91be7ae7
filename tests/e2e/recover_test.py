"""What killed processes leave is made one complete trace, and nothing but that: reports before and after are the same."""
import os
import shutil
import signal

from harness import BOTH_LINKS, STAGE, Build, main

REPORTS = ('report', 'tree', 'callers', 'info')


def everything(box, *traces):
    return {command: box.document(command, *traces) for command in REPORTS}


def contents(folder):
    return {name: open(os.path.join(folder, name), 'rb').read() for name in sorted(os.listdir(folder))}


def test_reports_before_and_after_are_the_same(box):
    for how in ('kill', 'abort', '_exit'):
        for build in BOTH_LINKS + [Build('clang')]:
            box.run([box.build('process_ends.c', build), how])
            trace = box.path('run', 'trace.zst')
            before = everything(box, trace)
            box.expect('%s, %s: records come from the live file' % (build, how), before['info']['integrity']['live_events'] > 0)
            done = box.analyze('recover', trace)
            box.expect_equal('%s, %s: status and errors' % (build, how), (done.status, done.stderr), (0, ''))
            box.expect_equal('%s, %s: files' % (build, how), os.listdir(box.path('run')), ['trace.zst'])
            after = everything(box, trace)
            for command in REPORTS:
                box.expect('%s, %s: %s is the same' % (build, how, command), before[command] == after[command], after[command]['integrity'])
            box.expect('%s, %s: how it ended is told' % (build, how), 'without an end record (killed, _exit or exec)' in box.analyze(trace).stdout)
            again = box.analyze('recover', trace)
            box.expect_equal('%s, %s: once more' % (build, how), (again.status, again.stdout), (0, trace + ': complete, nothing to do\n'))


def test_a_run_that_ended_in_order_needs_nothing(box):
    for build in BOTH_LINKS:
        box.run([box.build('process_ends.c', build), 'return'])
        before = contents(box.path('run'))
        done = box.analyze('recover', box.path('run', 'trace.zst'))
        box.expect_equal('%s: status' % build, done.status, 0)
        box.expect('%s: says so' % build, 'complete, nothing to do' in done.stdout, done.stdout)
        box.expect('%s: the file is as it was' % build, contents(box.path('run')) == before)


def test_a_running_process_is_read_and_not_recovered(box):
    for build in BOTH_LINKS:
        folder = box.fresh()
        running = box.start(box.build('rendezvous.c', build), folder)
        running.stdout.readline()
        trace = box.path('run', 'trace.zst')
        box.expect_calls(box.report(trace), '%s: until now' % build, main=1, leaf=3)
        box.expect('%s: it is called running' % build, 'The process is still running; what was recorded until now is here' in box.analyze(trace).stdout)
        box.expect('%s: info calls it running' % build, 'the process is still running' in box.analyze('info', trace).stdout)
        box.expect_equal('%s: JSON calls it running' % build, [p['running'] for p in box.report(trace)['processes']], [True])
        os.makedirs(box.path('copy'))
        for name in ('trace.zst', 'trace.zst.live'):
            shutil.copy(os.path.join(folder, name), box.path('copy', name))
        box.expect_calls(box.report(box.path('copy', 'trace.zst')), '%s: a copy' % build, main=1, leaf=3)
        refused = box.analyze('recover', trace)
        box.expect_equal('%s: status' % build, refused.status, 1)
        box.expect('%s: says why' % build, 'is still running' in refused.stderr and str(running.pid) in refused.stderr, refused.stderr)
        box.expect_equal('%s: files' % build, sorted(os.listdir(folder)), ['trace.zst', 'trace.zst.live'])
        running.stdin.close()
        box.expect_equal('%s: exit status' % build, running.wait(), 0)
        running.stdout.close()
        box.expect_calls(box.report(trace), '%s: at the end' % build, main=1, leaf=5)
        box.expect_equal('%s: files at the end' % build, os.listdir(folder), ['trace.zst'])
        copied = box.path('copy', 'trace.zst')
        before = everything(box, copied)
        box.expect_equal('%s: the copy is recovered' % build, box.analyze('recover', copied).status, 0)
        box.expect('%s: and says the same' % build, everything(box, copied) == before)
        shutil.rmtree(box.path('copy'))


def test_a_process_whose_lock_is_gone_counts_as_running(box):
    """A program that closes all descriptors, also those that are not its own, gives up every lock that it has."""
    for build in BOTH_LINKS:
        folder = box.fresh()
        running = box.start(box.build('rendezvous.c', build), folder)
        running.stdout.readline()
        trace = box.path('run', 'trace.zst')
        os.rename(trace, trace + '.old')  # the lock stays with the old file
        shutil.copy(trace + '.old', trace)
        refused = box.analyze('recover', trace)
        box.expect_equal('%s: status' % build, refused.status, 1)
        box.expect('%s: says why' % build, 'is still running' in refused.stderr, refused.stderr)
        running.send_signal(signal.SIGKILL)
        running.wait()
        running.stdin.close()
        running.stdout.close()
        box.expect_equal('%s: killed, it is recovered' % build, box.analyze('recover', trace).status, 0)


def test_the_next_run_cleans_up(box):
    program = box.build('process_ends.c')
    folder = box.fresh()
    box.run([program, 'kill'], cwd=folder)
    box.expect_equal('files after the kill', sorted(os.listdir(folder)), ['trace.zst', 'trace.zst.live'])
    box.run([program, 'return'], cwd=folder)
    box.expect_equal('files after the next run', os.listdir(folder), ['trace.zst'])
    box.expect_calls(box.report(box.path('run', 'trace.zst')), leaf=2001)


def test_another_file_leaves_everything_as_it_is(box):
    box.run([box.build('process_ends.c'), 'kill'])
    before = contents(box.path('run'))
    trace, other = box.path('run', 'trace.zst'), box.path('other.zst')
    done = box.analyze('recover', trace, '-o', other)
    box.expect_equal('status and errors', (done.status, done.stderr), (0, ''))
    box.expect('the files are as they were', contents(box.path('run')) == before)
    whole = box.report(trace)
    copied = box.report(other)
    for member in ('functions', 'edges', 'total_calls', 'integrity', 'threads'):
        box.expect('%s are the same' % member, whole[member] == copied[member], copied[member])
    box.expect_equal('a table of two traces is refused', box.analyze('recover', trace, other, '-o', box.path('x.zst')).status, 2)


def without_the_cut(documents):
    """Where the file was cut is said in other words afterwards: there is no such place any more."""
    for document in documents.values():
        remarks = document['integrity']['remarks']
        document['integrity']['remarks'] = [remark for remark in remarks if ' in the middle of a block' not in remark]
        document['told'] = len(remarks) - len(document['integrity']['remarks'])
    return documents


def test_a_cut_trace_is_recovered_to_what_it_has(box):
    box.run([box.build('fib.c'), '20'])
    trace = box.path('run', 'trace.zst')
    whole = open(trace, 'rb').read()
    for share in (0.3, 0.6, 0.9):
        with open(trace, 'wb') as out:
            out.write(whole[:int(len(whole) * share)])
        before = without_the_cut(everything(box, trace))
        box.expect_equal('%s: status' % share, box.analyze('recover', trace).status, 0)
        after = without_the_cut(everything(box, trace))
        for command in REPORTS:
            box.expect('%s: %s is the same' % (share, command), before[command] == after[command], after[command]['integrity'])
        box.expect_equal('%s: the cut is told' % share, after['info']['told'], 1)
        box.expect_equal('%s: it stays incomplete' % share, after['info']['integrity']['complete'], False)


def test_interrupted_it_leaves_everything_as_it_was(box):
    box.run([box.build('process_ends.c'), 'kill'])
    folder = box.path('run')
    before = contents(folder)
    tool = os.path.join(STAGE, 'bin', 'fnprof-analyze')
    for target in ([], ['-o', box.path('run', 'other.zst')]):
        # The limit's signal ends it in the middle of its writing; its default action is that of an interrupt.
        done = box.run([tool, 'recover', 'trace.zst', *target], cwd=folder, file_limit=1024)
        box.expect_equal('%s: status' % target, done.status, -signal.SIGXFSZ)
        box.expect('%s: the files are as they were' % target, contents(folder) == before, sorted(os.listdir(folder)))
    box.expect_equal('then it is done', box.analyze('recover', box.path('run', 'trace.zst')).status, 0)
    box.expect_equal('files', os.listdir(folder), ['trace.zst'])


def test_a_family_is_recovered_at_once(box):
    box.run([box.build('family.c')])
    folder = box.path('run')
    traces = [box.path('run', name) for name in box.traces()]
    before = everything(box, *traces)
    done = box.analyze('recover', '--all-processes', box.path('run', 'trace.zst'))
    box.expect_equal('status and errors', (done.status, done.stderr), (0, ''))
    box.expect_equal('lines, one a trace', len(done.stdout.splitlines()), len(traces))
    box.expect_equal('live files that are left', [name for name in os.listdir(folder) if name.endswith('.live')], [])
    after = everything(box, *traces)
    for command in REPORTS:
        box.expect('%s is the same' % command, before[command] == after[command], after[command]['integrity'])


if __name__ == '__main__':
    main(globals())
