"""How long calls took: hist and slow on real programs, whatever compiled them and however their calls end.

gcc's code has an exit on the way of an exception: such calls cannot be told from those that returned.
"""
from harness import EVERY_BUILD, main

SLEPT_NS = 20000000


def check_durations(box, build, trace):
    functions = {function['name']: function for function in box.document('hist', trace)['functions']}
    for name, function in functions.items():
        durations = function['durations']
        ended = durations['calls'] if durations else 0
        box.expect_equal('%s: every call of %s has ended or is open' % (build, name), ended + function['open_calls'], function['ncalls'])
        if durations:
            order = [durations[key] for key in ('least_ns', 'p50_ns', 'p90_ns', 'p99_ns', 'p999_ns', 'most_ns')]
            box.expect('%s: the percentiles of %s rise' % (build, name), order == sorted(order), order)
    lookup = functions['lookup']
    box.expect_equal('%s: lookup has one first call' % build, lookup['first_calls'], 1)
    box.expect('%s: lookup: the first call slept' % build, lookup['first_calls_ns'] >= SLEPT_NS, lookup['first_calls_ns'])
    box.expect('%s: lookup: half of the calls did not' % build, lookup['durations']['p50_ns'] < SLEPT_NS // 10, lookup['durations'])
    box.expect_equal('%s: lookup: calls' % build, lookup['durations']['calls'], 1000)
    box.expect_equal('%s: throws: left by exceptions, with durations' % build,
                     (functions['throws']['unwound_calls'], functions['throws']['durations']['calls']), (50 if build.compiler == 'clang' else 0, 50))
    box.expect_equal('%s: down: nested calls count each' % build, functions['down']['durations']['calls'], 10)
    box.expect_equal('%s: ends and main have no durations' % build, (functions['ends']['durations'], functions['main']['durations']), (None, None))


def check_slowest(box, build, trace):
    document = box.document('slow', trace)
    names = [function['name'] for function in document['functions']]

    def chain(path):
        found = []
        while path is not None:
            found.insert(0, names[document['call_paths'][path]['function']])
            path = document['call_paths'][path]['parent']
        return found
    slowest = {}
    for call in document['slowest_calls']:
        slowest.setdefault(names[call['function']], []).append(call)
    first = slowest['lookup'][0]
    box.expect('%s: the slowest lookup is the one that slept' % build, first['duration_ns'] >= SLEPT_NS, first)
    box.expect_equal('%s: its call path' % build, chain(first['call_path']), ['main', 'lookup'])
    box.expect('%s: it began before all others' % build, first['start_ns'] == min(call['start_ns'] for call in slowest['lookup']), slowest['lookup'])
    box.expect_equal('%s: no more than are kept' % build, len(slowest['lookup']), 16)
    box.expect_equal('%s: throws ends by exceptions' % build, {call['ended_by'] for call in slowest['throws']},
                     {'unwound' if build.compiler == 'clang' else 'returned'})
    box.expect_equal('%s: ends never does' % build, [call['ended_by'] for call in slowest['ends']], ['open'])
    box.expect_equal('%s: the longest call of a recursion is the outermost' % build, chain(slowest['down'][0]['call_path']), ['main', 'down'])


def test_durations_are_those_of_all_calls_however_they_end(box):
    for build in EVERY_BUILD:
        box.run([box.build('ways_to_last.cpp', build)])
        trace = box.path('run', 'trace.zst')
        check_durations(box, build, trace)
        check_slowest(box, build, trace)


if __name__ == '__main__':
    main(globals())
