"""Plugins: whatever they bring along, however they are opened, and however often they come and go."""
import itertools
import os
import subprocess

from harness import PROGRAMS, Build, edges, main

# How a plugin comes by its C++ library: compiler, flags.
LIBRARIES = {
    'gcc': ['g++'],
    'hidden': ['clang++-14', '-static-libstdc++', '-static-libgcc', '-Wl,--exclude-libs,ALL'],
    'gcc_inside': ['g++', '-static-libstdc++', '-static-libgcc'],
    'clang': ['clang++-14'],
    'libcxx': ['clang++-14', '-stdlib=libc++'],
    'libcxx_inside': ['clang++-14', '-stdlib=libc++', '-static-libstdc++'],
    'libunwind': ['clang++-14', '-stdlib=libc++', '-unwindlib=libunwind', '-rtlib=compiler-rt'],
}
SHARED = Build().link_flags()
# gcc would hook every function of the C++ library's headers that it uses, and clang refers to some that nobody has.
HOOKS = {'g++': ['-finstrument-functions', '-finstrument-functions-exclude-file-list=/usr/include'],
         'clang++-14': ['-finstrument-functions-after-inlining']}


def plugin(box, name, traced=True):
    compiler, *flags = LIBRARIES[name]
    result = box.path('%s%s.so' % ('' if traced else 'plain-', name))
    subprocess.run([compiler, *flags, '-O1', '-g', '-shared', '-fPIC', '-DTHROWER=thrower_' + name, *(HOOKS[compiler] if traced else []),
                    os.path.join(PROGRAMS, 'throwing_plugin.cpp'), '-o', result, *(SHARED if traced else [])], check=True)
    return result


def hosts(box):
    """Programs that load plugins: of C and not traced, of C and traced, with a C++ library and traced."""
    source = os.path.join(PROGRAMS, 'plugin_host.c')
    kinds = {'plain': [], 'traced': ['-finstrument-functions', *SHARED],
             'traced with a C++ library': ['-finstrument-functions', *SHARED, '-Wl,--no-as-needed', '-lstdc++']}
    for kind, flags in kinds.items():
        subprocess.run(['gcc', '-O1', '-g', source, '-o', box.path(kind), *flags], check=True)
    return {kind: box.path(kind) for kind in kinds}


def expect_throws(box, host, arguments, times=1):
    """Every opened plugin throws and catches once a round, and each function has its own name."""
    done = box.run([host, *(['*%d' % times] if times != 1 else []), *arguments])
    what = ' '.join([os.path.basename(host), *(os.path.basename(a) if a[0] == '/' else a[0] + os.path.basename(a) for a in arguments)])
    box.expect_equal('%s: (status, what it says)' % what, (done.status, done.stderr), (0, ''))
    report = box.report(*[box.path('run', name) for name in box.traces()])
    used = [os.path.basename(a)[:-len('.so')] for a in arguments if a[0] != '-']
    expected = {'thrower_' + name: used.count(name) * times for name in used}
    expected.update(through=len(used) * times, handled=len(used) * times, plugin_entry=len(used) * times)
    box.expect_calls(report, what, **expected)
    return report


def test_a_plugin_may_bring_any_cxx_library_into_any_host(box):
    for kind, host in hosts(box).items():
        for name in LIBRARIES:
            built = plugin(box, name)
            for how in ('', '+', '!', '~', '@'):
                report = expect_throws(box, host, [how + built])
                box.expect_equal('%s: caller of handled' % kind, [pair[0] for pair in edges(report) if pair[1] == 'handled'], ['plugin_entry'])


def test_plugins_with_different_cxx_libraries_follow_each_other(box):
    compared = 0
    all_hosts = hosts(box)
    del all_hosts['traced with a C++ library']  # its plugins all use that
    for name in LIBRARIES:
        plugin(box, name)
        plugin(box, name, traced=False)
    for first, second in itertools.permutations(LIBRARIES, 2):
        def sequence(prefix):
            a, b = box.path(prefix + first + '.so'), box.path(prefix + second + '.so')
            return [a, '-' + a, b, '-' + b, a, b]
        # Some of these libraries do not bear each other, in any process.
        if box.run([all_hosts['plain'], *sequence('plain-')]).status != 0:
            continue
        compared += 1
        for host in all_hosts.values():
            expect_throws(box, host, sequence(''))
    box.expect('most pairs bear each other', compared >= 15, compared)


def test_a_plugin_that_unwinds_past_us_is_told_of(box):
    for kind, host in hosts(box).items():
        for name in LIBRARIES:
            done = box.run([host, plugin(box, name)])
            box.expect_equal('%s, %s: (status, what it says)' % (kind, name), (done.status, done.stderr), (0, ''))
            report = box.report(box.path('run', 'trace.zst'))
            # A plain host's plugins are bound to libc's longjmp.
            box.expect_equal('%s, %s: marks are on' % (kind, name), report['processes'][0]['marks_on'], kind != 'plain' and name != 'hidden')
            if kind != 'plain' and name == 'hidden':
                remarks = report['integrity']['remarks']
                box.expect('%s, %s: the plugin is named' % (kind, name), any('hidden.so' in remark for remark in remarks), remarks)
            box.expect_equal('%s, %s: caller of handled' % (kind, name), [pair[0] for pair in edges(report) if pair[1] == 'handled'], ['plugin_entry'])


def test_a_plugin_that_comes_again_and_again_is_one_module(box):
    built = plugin(box, 'clang')
    for kind, host in hosts(box).items():
        expect_throws(box, host, [built, '-' + built], 300)
        content = subprocess.run(['zstd', '-dc', '--no-progress', box.path('run', 'trace.zst')], stdout=subprocess.PIPE, check=True).stdout
        # The host's arguments name it twice, and its module once.
        box.expect_equal('%s: times that the trace names the plugin' % kind, content.count(built.encode()), 3)


def test_plugins_that_take_turns_at_an_address_keep_their_calls(box):
    a, b = plugin(box, 'clang'), plugin(box, 'libcxx')
    for host in hosts(box).values():
        expect_throws(box, host, [a, '-' + a, b, '-' + b], 50)


def test_dlopen_in_many_threads_beside_calls_and_forks_loses_nothing(box):
    rounds = 60
    for compiler in ('gcc', 'clang'):
        program = box.build('plugin_storm.cpp', Build(compiler, '-O1'))
        names = ('gcc', 'clang', 'gcc_inside')
        done = box.run([program, str(rounds), *[plugin(box, name) for name in names]])
        box.expect_equal('%s: (status, what it says)' % compiler, (done.status, done.stderr), (0, ''))
        forks = int(done.stdout)
        report = box.report(*[box.path('run', name) for name in box.traces()])
        box.expect_calls(report, compiler, main=1, loader=3, busy=1, leaf=200000 + forks, child_throws=forks, child_catches=forks,
                         handled=3 * rounds, plugin_entry=3 * rounds, **{'thrower_' + name: rounds for name in names})
        box.expect_equal('%s: processes' % compiler, len(report['processes']), 1 + forks)


def test_a_child_forked_while_another_thread_is_in_dlopen_may_throw(box):
    parked = box.path('parked.so')
    subprocess.run(['gcc', '-shared', '-fPIC', '-x', 'c', '-', '-o', parked], check=True, text=True,
                   input='void stay_in_constructor(void);\n__attribute__((constructor)) static void come(void) { stay_in_constructor(); }\n')
    for compiler in ('gcc', 'clang'):
        program = box.build('forks_during_dlopen.cpp', Build(compiler, '-O1'), ['-finstrument-functions', '-rdynamic'])
        done = box.run([program, parked])
        box.expect_equal('%s: (status, what it says)' % compiler, (done.status, done.stderr), (0, ''))
        box.expect_calls(box.report(*[box.path('run', name) for name in box.traces()]), compiler, main=1, load=1, catcher=2, thrower=2, leaf=2)


if __name__ == '__main__':
    main(globals())
