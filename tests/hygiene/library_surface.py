#!/usr/bin/env python3
"""What the runtime shows to the programs that it is linked with, and what it wants from them: exactly the lists below.

usage: library_surface.py SHARED_LIBRARY STUB STATIC_LIBRARY LINK_OBJECT
"""
import re, subprocess, sys

HOOKS = {'fnprof_enter', 'fnprof_exit'}
USUAL_NAMES = {'__cyg_profile_func_enter', '__cyg_profile_func_exit'}
# Functions after which frames are gone without their exit hook; the library stands in front of them.
WRAPPED = {'__cxa_throw', '__cxa_rethrow', '__cxa_begin_catch', '_Unwind_RaiseException', 'longjmp', '_longjmp', 'siglongjmp',
           '__longjmp_chk', 'pthread_exit'}
# After which reading the time stamp counter may be a fault, and which fail where there is another thread.
PERMISSIONS = {'prctl', 'unshare', 'setns'}
# What the archive's wrappers share with the runtime.
SHARED_WITH_WRAPPERS = {'fnprof_record_mark', 'fnprof_before_prctl', 'fnprof_send_collector_away', 'fnprof_let_collector_return'}
# Those that each linked module is asked about: where its own references lead to.
LOOKED_AT = {'__cxa_begin_catch', 'longjmp', '__longjmp_chk'}
# What is unloaded must be known before other code comes to its place.
UNLOADING = {'dlclose'}
FORKS = {'__register_atfork'}
# For the wrappers, to find what they stand in front of.
LOADER = {'_dl_find_object', 'dlsym'}
AT_START = {'beginning_of_process', 'resolve_early', 'watch_forks'}
AT_END = {'end_of_process'}
# For linked modules to say that they come and go.
CHANGES = {'fnprof_modules_change'}
# Thread-local bytes: every thread of every program pays for them, and a dlopened library gets them from a small reserve.
MOST_TLS_BYTES = 24


def tool(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(path, *options):
    """(type letter, name without version) of each symbol."""
    rows = [line.split() for line in tool('nm', *options, path).splitlines() if line and not line.endswith(':')]
    return {(row[-2], row[-1].split('@')[0]) for row in rows}


class Checks:
    def __init__(self):
        self.faults = 0

    def equal(self, what, found, wanted):
        if found != wanted:
            self.faults += 1
            print('%s: unexpected %s, missing %s' % (what, sorted(found - wanted), sorted(wanted - found)))

    def true(self, what, condition):
        if not condition:
            self.faults += 1
            print('not so: ' + what)


def array_functions(library, section):
    """Names of the functions that .init_array or .fini_array points to."""
    found = re.search(r' \.%s +\S+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)' % section, tool('readelf', '-SW', library))
    if not found:
        return set()
    start, size = int(found.group(1), 16), int(found.group(2), 16)
    names = {}
    for row in (line.split() for line in tool('nm', '-C', library).splitlines()):
        if len(row) >= 3 and row[1] in 'tT':
            names[int(row[0], 16)] = row[-1].split('::')[-1].split('(')[0]
    relocated = re.findall(r'^([0-9a-f]+) +\S+ R_X86_64_RELATIVE +([0-9a-f]+)', tool('readelf', '-rW', library), re.M)
    return {names.get(int(value, 16), value) for place, value in relocated if start <= int(place, 16) < start + size}


def check_shared(checks, library):
    defined = {pair for pair in symbols(library, '-D', '--defined-only')}
    checks.equal('exported', {name for _, name in defined}, HOOKS | USUAL_NAMES | WRAPPED | PERMISSIONS | UNLOADING | CHANGES)
    checks.equal('kinds of exported symbols', {letter for letter, _ in defined}, {'T'})
    checks.equal('undefined', {name for _, name in symbols(library, '-D', '--undefined-only')}, FORKS | LOADER)
    checks.equal('kinds of undefined symbols', {letter for letter, _ in symbols(library, '-D', '--undefined-only')}, {'U'})

    dynamic = tool('readelf', '-dW', library)
    checks.equal('needed libraries', set(re.findall(r'NEEDED.*\[(.*)\]', dynamic)), {'libc.so.6'})
    checks.equal('name', set(re.findall(r'SONAME.*\[(.*)\]', dynamic)), {'libfnprof.so.0'})
    checks.true('its own references are bound within (-Bsymbolic)', 'SYMBOLIC' in dynamic)
    checks.true('bound at load (-z now)', re.search(r'FLAGS_1.*\bNOW\b', dynamic))
    checks.true('never unloaded (-z nodelete)', re.search(r'FLAGS_1.*\bNODELETE\b', dynamic))
    checks.true('no relocations in code', 'TEXTREL' not in dynamic)
    checks.true('no run path', 'RUNPATH' not in dynamic and 'RPATH' not in dynamic)
    headers = tool('readelf', '-lW', library)
    checks.true('no executable stack', re.search(r'GNU_STACK.* RW +0x', headers))
    tls = re.search(r' TLS +\S+ +\S+ +\S+ +\S+ +(0x[0-9a-f]+)', headers)
    checks.true('at most %d bytes of thread-local storage' % MOST_TLS_BYTES, tls and int(tls.group(1), 16) <= MOST_TLS_BYTES)
    checks.equal('constructors', array_functions(library, 'init_array'), AT_START)
    checks.equal('destructors', array_functions(library, 'fini_array'), AT_END)


def check_stub(checks, stub):
    checks.equal('offered to links', symbols(stub, '-D'), {('T', name) for name in HOOKS | USUAL_NAMES | CHANGES})
    dynamic = tool('readelf', '-dW', stub)
    checks.equal('name that links write down', set(re.findall(r'SONAME.*\[(.*)\]', dynamic)), {'libfnprof.so.0'})
    checks.true('a link needs nothing more', 'NEEDED' not in dynamic)


def check_static(checks, archive):
    defined = symbols(archive, '-g', '--defined-only')
    wrappers = {'__wrap_' + name for name in WRAPPED | PERMISSIONS}
    checks.equal('global in the archive', {name for _, name in defined}, HOOKS | SHARED_WITH_WRAPPERS | wrappers)
    checks.equal('kinds of globals in the archive', {letter for letter, _ in defined}, {'T'})
    checks.equal('undefined in the archive', {name for _, name in symbols(archive, '--undefined-only')}, FORKS | SHARED_WITH_WRAPPERS | {'__wrap_' + name for name in LOOKED_AT} | {'__real_' + name for name in WRAPPED | PERMISSIONS} | {'_GLOBAL_OFFSET_TABLE_'})
    # What names the real ones is in members that a link without --wrap does not take.
    members = dict(part.split(':\n', 1) for part in tool('nm', '-u', archive).strip().split('\n\n'))
    wanting = {name for name, text in members.items() if '__real_' in text}
    checks.equal('wrappers', wanting, {'wrap_%s.cpp.o' % name for name in WRAPPED | PERMISSIONS})
    checks.true('no section groups in the archive', 'There are no section groups' in tool('readelf', '-gW', archive))
    sections = tool('readelf', '-SW', archive)
    checks.true('no executable stack', re.search(r'\.note\.GNU-stack +PROGBITS +\S+ +\S+ +\S+ +\S+ +[0-9]', sections))


def check_link_object(checks, path):
    checks.equal('hooks of a linked module', symbols(path, '--defined-only'), {('W', name) for name in USUAL_NAMES})
    wanted = symbols(path, '--undefined-only') - {('U', '_GLOBAL_OFFSET_TABLE_')}
    checks.equal('what they go to', {name for letter, name in wanted if letter == 'U'}, HOOKS)
    checks.equal('looked at without being wanted', {name for letter, name in wanted if letter == 'w'}, LOOKED_AT | CHANGES)
    rows = [line.split() for line in tool('readelf', '-sW', path).splitlines() if '__cyg_profile_func' in line and 'FUNC' in line]
    checks.true('the hooks of a linked module are hidden', rows and all('HIDDEN' in row for row in rows))


def main():
    shared, stub, static, link_object = sys.argv[1:]
    checks = Checks()
    check_shared(checks, shared)
    check_stub(checks, stub)
    check_static(checks, static)
    check_link_object(checks, link_object)
    print('%d faults' % checks.faults)
    sys.exit(checks.faults > 0)


main()
