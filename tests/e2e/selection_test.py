"""Parts of a real run: threads, ranges of time and call paths add up to the whole, and groups have what their functions have."""
import os

from harness import STAGE, Build, main

BUILDS = (Build('gcc', '-O0'), Build('clang', '-O0'))
CALLS = {'worker': 2, 'rest': 6, 'Job::Job': 2, 'Job::step': 6, 'twice': 6, 'depth_of': 6 * 21, 'spin': 2 + 6 * 2, 'tick': 1500 + 6 * 300, 'main': 1}


def sums(document):
    functions = document['functions']
    return (sum(function['ncalls'] for function in functions), sum(function['self_ns'] for function in functions))


def expect_parts(box, what, trace, parts):
    whole = sums(box.document('report', trace))
    found = [sums(box.document('report', trace, *part)) for part in parts]
    box.expect_equal('%s: calls and times add up to the whole' % what, tuple(map(sum, zip(*found))), whole)
    box.expect('%s: each is a part' % what, all(0 < calls < whole[0] for calls, _ in found), found)


def calls_by(document):
    return {function['name'].split('(')[0]: function['ncalls'] for function in document['functions'] if function['ncalls']}


def test_parts_of_a_run_add_up(box):
    for build in BUILDS:
        box.run([box.build('phases.cpp', build)])
        trace = box.path('run', 'trace.zst')
        whole = box.document('report', trace)
        box.expect_equal('%s: calls' % build, whole['total_calls'], sum(CALLS.values()))
        expect_parts(box, '%s: threads' % build, trace, [('--thread', thread) for thread in ('1', 'worker-a', 'worker-b')])
        middle = sorted(thread['start_ns'] for thread in whole['threads'])[-1] + 1000000 - whole['processes'][0]['start_ns']
        expect_parts(box, '%s: time' % build, trace, [('--time-range', '~%dns' % middle), ('--time-range', '%dns~' % middle)])
        expect_parts(box, '%s: paths' % build, trace, [('--focus', 'step'), ('--ignore', 'step')])


def test_what_only_some_of_a_functions_calls_would_tell_is_not_told(box):
    box.run([box.build('phases.cpp', BUILDS[0])])
    trace = box.path('run', 'trace.zst')
    document = box.document('hist', trace, '--focus', 'step')
    functions = {function['name'].split('(')[0].split('::')[-1]: function for function in document['functions']}
    tick, step = functions['tick'], functions['step']
    box.expect_equal('tick: 1800 of 3300 calls, whose percentiles are not known',
                     (tick['durations']['calls'], tick['durations']['p50_ns'], tick['first_calls']), (1800, None, None))
    box.expect('tick: least and most are', 0 <= tick['durations']['least_ns'] <= tick['durations']['most_ns'], tick)
    box.expect('step: all calls, so everything is', step['durations']['p50_ns'] and step['first_calls'] == 1, step)
    box.expect_equal('histograms of known ones alone', tick['id'] in {one['function'] for one in document['histograms']}, False)
    box.expect('a note says why', any('Only some of the calls' in note for note in document['notes']), document['notes'])
    box.expect('the text says so too', 'percentiles are not known' in ' '.join(box.analyze('hist', trace, '--focus', 'step', 'tick').stdout.split()))


def test_what_is_folded_is_its_callers(box):
    box.run([box.build('phases.cpp', BUILDS[0])])
    trace = box.path('run', 'trace.zst')
    whole = sums(box.document('report', trace))
    for option in (('--max-depth', '2'), ('--min-time', '1ms'), ('--hide', 'tick|spin')):
        document = box.document('report', trace, *option)
        box.expect_equal('%s: no time is lost' % option[0], sums(document)[1], whole[1])
        selection, = document['selection']
        box.expect_equal('%s: what is folded and what is shown are all calls' % option[0], selection['after']['calls'] + selection['folded']['calls'],
                         whole[0])
    shallow = calls_by(box.document('report', trace, '--max-depth', '2'))
    box.expect_equal('--max-depth 2', sorted(shallow.values()), [1, 2, 2, 2, 6, 6])


def test_functions_are_taken_together_by_namespace_file_and_module(box):
    box.run([box.build('phases.cpp', BUILDS[0], flags=('-finstrument-functions', '-g'))])
    trace = box.path('run', 'trace.zst')
    groups = {group['name']: group for group in box.document('report', trace, '--by', 'namespace')['functions']}
    box.expect_equal('namespaces', {name: group['ncalls'] for name, group in groups.items()},
                     {'(global namespace)': 9, 'engine::detail': 126, 'engine': sum(CALLS.values()) - 9 - 126})
    box.expect_equal('engine::detail: a recursion of 21 calls is one', groups['engine::detail']['primitive_calls'], 6)
    for by in ('file', 'module'):
        document = box.document('report', trace, '--by', by)
        box.expect_equal('one %s' % by, [group['ncalls'] for group in document['functions']], [sum(CALLS.values())])
        box.expect_equal('one %s: a primitive call a thread' % by, document['functions'][0]['primitive_calls'], 3)


def test_threads_tells_what_each_thread_did_and_when(box):
    box.run([box.build('phases.cpp', BUILDS[0])])
    trace = box.path('run', 'trace.zst')
    document = box.document('threads', trace)
    box.expect_equal('names', sorted(thread['name'] for thread in document['threads'])[1:], ['worker-a', 'worker-b'])
    for thread in document['threads']:
        box.expect_equal('%s: the strip holds the busy time' % thread['name'], sum(thread['activity']['busy_ns']), thread['busy_ns'])
        box.expect('%s: no slice is more than full' % thread['name'], max(thread['activity']['busy_ns']) <= thread['activity']['slice_ns'], thread)
        box.expect('%s: busy within its life' % thread['name'], 0 < thread['busy_ns'] <= thread['end_ns'] - thread['start_ns'], thread)
    text = box.analyze('threads', '-s', 'name', trace).stdout
    strips = {line.split('|')[0].split()[-1] for line in text.splitlines() if line.endswith('|')}
    box.expect('a line of time for each thread, and one for all', {'worker-a', 'worker-b', 'active'} <= strips and len(strips) == 4, text)
    plain = box.run([os.path.join(STAGE, 'bin', 'fnprof-analyze'), 'threads', trace], cwd=box.path('run'), LC_ALL='C').stdout
    box.expect('ASCII alone where the locale has no more', plain.isascii() and '#' in plain, plain)


if __name__ == '__main__':
    main(globals())
