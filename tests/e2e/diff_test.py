"""diff and check-budget on programs that are built twice: other build-ids, other addresses, other folders."""
import json

from harness import Build, main

# What differs is which functions there are and how often they are called; no time is looked at.
SOURCE = '''
#include <stdlib.h>
static volatile unsigned sink;
__attribute__((noinline)) static void spin(unsigned rounds) { for (unsigned i = 0; i < rounds; ++i) sink += i; }
#ifdef CURED
__attribute__((noinline)) void padding_that_moves_addresses(void) { sink += 7; }
#endif
__attribute__((noinline)) void parse(unsigned rounds) { spin(rounds); }
__attribute__((noinline)) void load_data(void) { for (int i = 0; i < 5; ++i) parse(20000); }
#ifdef CURED
__attribute__((noinline)) void refine_steps(void) { spin(100); }
__attribute__((noinline)) void step(void) { refine_steps(); }
#else
__attribute__((noinline)) void refine_step(void) { spin(100); }
__attribute__((noinline)) void step(void) { refine_step(); }
#endif
int main(void) {
#ifdef CURED
    padding_that_moves_addresses();
    load_data();
    for (int epoch = 0; epoch < 100; ++epoch) step();
#else
    for (int epoch = 0; epoch < 100; ++epoch) { load_data(); step(); }
#endif
    return 0;
}
'''


def traces_of(box, build, cured, runs):
    folder = box.fresh('after' if cured else 'before')
    source = box.path('before.c')
    with open(source, 'w') as file:
        file.write(SOURCE)
    program = box.build(source, build, ['-finstrument-functions', *(['-DCURED'] if cured else [])], output='%s/program' % folder)
    traces = ['%s/%d.zst' % (folder, run) for run in range(runs)]
    for trace in traces:
        box.expect_equal('exit status', box.run([program], cwd=folder, FNPROF_OUTPUT=trace).status, 0)
    return traces


def by_name(document):
    return {function['name']: function for function in document['functions']}


def test_the_function_that_is_called_less_often_is_named_and_parts_add_up(box):
    for build in (Build('gcc', '-O1'), Build('clang', '-O1')):
        before, after = traces_of(box, build, False, 1), traces_of(box, build, True, 1)
        answer = box.analyze('diff', '--json', *before, '--', *after)
        box.expect_equal('%s: status' % build, answer.status, 0)
        document = json.loads(answer.stdout)
        functions = by_name(document)
        box.expect('%s: the verdict names load_data' % build, ': load_data explains ' in document['verdict'], document['verdict'])
        box.expect('%s: and why' % build, '(calls 100 -> 1)' in document['verdict'], document['verdict'])
        box.expect_equal('%s: calls of parse' % build, (functions['parse']['calls_a'], functions['parse']['calls_b']), (500, 5))
        box.expect_equal('%s: step is one function of both builds' % build, (functions['step']['in_a'], functions['step']['in_b']), (True, True))
        for function in functions.values():
            parts = function['self']
            box.expect_equal('%s: parts of %s' % (build, function['name']), parts['count_ps'] + parts['mix_ps'] + parts['per_call_ps'], parts['change_ps'])
        box.expect_equal('%s: what functions explain' % build,
                         sum(function['explained']['calls_ps'] + function['explained']['own_ps'] for function in functions.values()), document['change_ps'])
        ids = {function['id']: function['name'] for function in functions.values()}
        box.expect_equal('%s: probably renamed' % build, [(ids[one['a']], ids[one['b']]) for one in document['probably_renamed']],
                         [('refine_step', 'refine_steps')])
        report = {function['name']: function for function in box.report(*before)['functions']}
        box.expect('%s: times are those of the report' % build,
                   all(abs(functions[name]['self']['a_ps'] / 1000 - figure['self_net_ns']) <= 1 for name, figure in report.items()))


def test_several_runs_have_intervals_from_runs(box):
    before, after = traces_of(box, Build(), False, 3), traces_of(box, Build(), True, 2)
    document = json.loads(box.analyze('diff', '--json', *before, '--', *after).stdout)
    box.expect_equal('runs', (document['a']['runs'], document['b']['runs']), (3, 2))
    box.expect_equal('basis of the total', document['total']['basis'], 'runs')
    box.expect_equal('basis of a call', by_name(document)['step']['per_call']['basis'], 'runs')
    box.expect_equal('calls over all runs', by_name(document)['load_data']['calls_a'], 300)


def test_conditions_decide_about_the_exit_status(box):
    before, after = traces_of(box, Build(), False, 1), traces_of(box, Build(), True, 1)
    for arguments, status in ((['diff', *after, '--', *before, '--fail-on', 'ncalls(load_data) > +10%'], 3),
                              (['diff', *before, '--', *after, '--fail-on', 'ncalls(load_data) > +10%'], 0),
                              (['diff', *before, '--', *after, '--fail-on', 'ncalls(lod_data) > +10%'], 2),
                              (['check-budget', 'ncalls(parse) > 400', *before], 3),
                              (['check-budget', 'parse ncalls > 400; parse max > 1000s', *after], 0),
                              (['check-budget', 'ncalls(refine_step) > 0', *after], 2),
                              (['check-budget', 'ncalls(refine_step) > 0', '--absent', 'refine_step', *after], 0)):
        box.expect_equal('status of %s' % ' '.join(arguments[:1] + arguments[-2:]), box.analyze(*arguments).status, status)


if __name__ == '__main__':
    main(globals())
