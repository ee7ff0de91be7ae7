"""The training loop's story in numbers: what the profile says, what the cure brings, and what the profiling cost."""
import glob
import os

from support import measure
from support.measure import run

FOLDER = os.path.dirname(os.path.abspath(__file__))


def bench(arguments, work):
    library = os.path.join(arguments.prefix, 'lib')
    flags = ['g++', '-std=c++17', '-O2', *sorted(glob.glob(os.path.join(FOLDER, '*.cpp')))]
    instrument = ['-finstrument-functions', '-finstrument-functions-exclude-file-list=/usr/include']
    plain, instrumented = os.path.join(work, 'training_plain'), os.path.join(work, 'training')
    run(flags + ['-o', plain])
    run(flags + instrument + ['-L' + library, '-lfnprof', '-Wl,-rpath,' + library, '-o', instrumented])
    trace = os.path.join(work, 'training.zst')
    environment = dict(os.environ, FNPROF_OUTPUT=trace)
    commands = {
        'plain': ([plain], os.environ),
        'plain, `--memoize`': ([plain, '--memoize'], os.environ),
        'profiled': ([instrumented], environment),
        'profiled, `--memoize`': ([instrumented, '--memoize'], environment),
    }
    times, shares, losses = {name: [] for name in commands}, {}, set()
    for number in range(arguments.rounds):
        measure.say('training: round %d of %d' % (number + 1, arguments.rounds))
        for name, (command, variables) in commands.items():
            output = os.path.join(work, 'training.out')
            times[name].append(measure.timed(command, stdout=output, environment=variables).wall_s)
            with open(output) as text:
                losses.add(text.read())
            if variables is environment:
                shares.setdefault(name, []).append(loading_share(measure.report(arguments.prefix, trace)))
    if len(losses) != 1:
        raise measure.Failure('the training loop does not compute the same losses in all its runs')
    rows = []
    for name in commands:
        ratios = [base / own for base, own in zip(times['plain'], times[name])]
        share = measure.spread([100 * s for s in shares[name]], 1) if name in shares else ''
        rows.append([name, measure.spread(times[name], 3), measure.spread(ratios), share])
    return measure.table(['run', 'wall s', 'speed against plain', 'share of loading by the profile, %'], rows)


def loading_share(answer):
    """The share of `PictureDataset::get_item` in the time of `main`."""
    def cumulative(name):
        found = [f['cumulative_net_ns'] for f in answer['functions'] if f['name'].split('(')[0] == name]
        if len(found) != 1:
            raise measure.Failure('the profile has %d functions called %s' % (len(found), name))
        return found[0]

    return cumulative('PictureDataset::get_item') / cumulative('main')
