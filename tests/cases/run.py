#!/usr/bin/env python3
"""Builds the cases with -finstrument-functions -lfnprof, runs them, and compares
what `fnprof-analyze report|tree --json` say with the header of each case.

usage: run.py --prefix DIR [-c gcc-12,clang-14] [--cases DIR] [--no-skips] [--table] [-v] [NAME...]
  --prefix    an installed fnprof (lib/, bin/)
  --no-skips  a case that cannot be built here is a failure
  --table     write what was found into the table of README.md, instead of comparing with it
  NAME        beginnings of case names; none = all
Exit status 0 when every case is right and the table says so. Prints one line per
case and variant, and 'N passed, N failed, N skipped' last.
Header keys: see README.md beside this file.
"""
import functools, glob, json, os, re, shutil, signal, subprocess, sys, tempfile, time

import table

HERE = os.path.dirname(os.path.abspath(__file__))
FIXED_ADDRESSES = subprocess.run(['setarch', '-R', 'true'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
CLONES = re.compile(r'\.(constprop|isra|part|cold|llvm|lto_priv|avx2|default|arch_[\w]+|localalias)\b.*$')

# what the variants' words do to the program after it was built
STRIPPING = {
    '@nosym': 'true',
    '@strip': 'strip $BIN',
    '@debuglink': 'cd $D && objcopy --only-keep-debug $BIN prog.debug && strip $BIN && objcopy --add-gnu-debuglink=prog.debug $BIN',
}


def header(path):
    """the keys of a case's header comment"""
    found = {}
    for line in open(path, errors='replace'):
        m = re.match(r'\s*(?://|!|--)! *(\w+): ?(.*)$', line)
        if m:
            found.setdefault(m.group(1), []).append(m.group(2).strip())
        elif line.startswith('#include'):
            break
    return {k: ' '.join(v) for k, v in found.items()}


def matching(text, i):
    """index of the parenthesis that closes the one at i"""
    level = 0
    for k in range(i, len(text)):
        level += (text[k] == '(') - (text[k] == ')')
        if level == 0:
            return k
    return len(text) - 1


def short(name):
    """a demangled name reduced to what the headers use: no parameters, no
    return type, no clone suffix, no anonymous namespace"""
    name = CLONES.sub('', re.sub(r' \[clone .*', '', name))
    out, depth, i = [], 0, 0
    while i < len(name):
        if name.startswith('(anonymous namespace)', i):
            i += 21
            continue
        if name.startswith('{lambda(', i) and '}' in name[i:]:
            out.append('{lambda}')
            i = name.index('}', i) + 1
            continue
        if name.startswith('operator()', i) and depth == 0:
            out.append('operator()')
            i += 10
            continue
        c = name[i]
        if c == '<' and not ''.join(out).endswith('operator'):
            depth += 1
        elif c == '>' and depth:
            depth -= 1
        elif c == '(' and depth == 0:
            close = matching(name, i)
            if not name.startswith('::', close + 1):
                if ''.join(out) == 'decltype':
                    out, i = [], close + 1
                    continue
                break
            i = close + 1
            continue
        out.append(c)
        i += 1
    s = ''.join(out)
    if ' ' in s and 'operator' not in s:
        depth = last = 0
        for k, c in enumerate(s):
            depth += c in '<{('
            depth -= c in '>})'
            if c == ' ' and depth == 0:
                last = k + 1
        s = s[last:]
    return s


def wanted(text):
    text = re.sub(r'operator (new|delete)', r'operator@\1', text)
    pairs = [x.rsplit('=', 1) for x in text.split()]
    return {k.replace('@', ' '): int(v) for k, v in pairs}


def run(cmd, env, timeout):
    p = subprocess.Popen(['bash', '-c', cmd], cwd=env['D'], env=env, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors='replace', start_new_session=True)
    try:
        out, _ = p.communicate(timeout=timeout)
        return p.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        out, _ = p.communicate()
        return 'TIMEOUT', out


def status(rc):
    if isinstance(rc, int) and rc < 0:
        return signal.Signals(-rc).name
    if isinstance(rc, int) and 128 < rc < 165:
        try:
            return signal.Signals(rc - 128).name
        except ValueError:
            pass
    return str(rc)


def variants(h):
    if 'variants' in h:
        return [tuple(x.strip().split(':', 1)) for x in h['variants'].split('|')]
    return [(o.strip('-'), o) for o in h.get('opts', '-O0 -O2').split()]


def compare(h, report, tree, nameless=False):
    """differences between the header and the analyzer's answer (report --json, tree --json); of a nameless
    program only the total is known, and no function may have another's name"""
    bad = []
    if nameless:
        want = wanted(h['calls'])
        for f in report['functions']:
            if not re.search(r'\+0x[0-9a-f]+$', f['name']) and want.get(f['name']) != f['ncalls']:
                bad.append('%s called %d, has no such name' % (f['name'], f['ncalls']))
        if report['total_calls'] != sum(want.values()):
            bad.append('%d calls, want %d' % (report['total_calls'], sum(want.values())))
        h = {}
    names = {f['id']: short(f['name']) for f in report['functions']}
    tree_names = {f['id']: short(f['name']) for f in tree.get('functions', report['functions'])}
    calls, edges = {}, {}
    for f in report['functions']:
        n = names[f['id']]
        calls[n] = calls.get(n, 0) + f['ncalls']
    want = wanted(h.get('calls', ''))
    for n, v in want.items():
        if v >= 0 and calls.get(n, 0) != v:
            bad.append('%s called %d, want %d' % (n, calls.get(n, 0), v))
    # an edge of a header runs from the nearest ancestor that the header names ('.' = none) to the function
    paths = {p['id']: p for p in tree['call_paths']}
    nearest = {}

    def named_ancestor(pid):
        chain = []
        while pid is not None and pid not in nearest:
            chain.append(pid)
            if tree_names.get(paths[pid]['function']) in want:
                nearest[pid] = tree_names[paths[pid]['function']]
                break
            pid = paths[pid]['parent']
        found = nearest.get(pid, '.') if pid is not None else '.'
        for c in chain:
            nearest.setdefault(c, found)
        return found

    for p in tree['call_paths']:
        n = tree_names.get(p['function'])
        if n in want:
            k = named_ancestor(p['parent']) + '>' + n
            edges[k] = edges.get(k, 0) + p['ncalls']
    for k, v in wanted(h.get('edges', '')).items():
        if edges.get(k, 0) != v:
            bad.append('%s %d, want %d' % (k, edges.get(k, 0), v))
    # the answer's own books must balance
    total = sum(f['ncalls'] for f in report['functions'])
    if report.get('total_calls', total) != total:
        bad.append('total_calls %d, functions sum to %d' % (report['total_calls'], total))
    in_paths = sum(p['ncalls'] for p in tree['call_paths'])
    if in_paths != total:
        bad.append('call paths sum to %d calls, functions to %d' % (in_paths, total))
    children = {}
    for p in tree['call_paths']:
        if p['parent'] is not None:
            children[p['parent']] = children.get(p['parent'], 0) + p.get('cumulative_ns', 0)
    for p in tree['call_paths']:
        if 'cumulative_ns' in p and p['cumulative_ns'] != p['self_ns'] + children.get(p['id'], 0):
            bad.append('path %s: cumulative %d != self %d + children %d' % (p['id'], p['cumulative_ns'], p['self_ns'], children.get(p['id'], 0)))
            break
    if report.get('integrity', {}).get('lost_events', 0):
        bad.append('%d events lost' % report['integrity']['lost_events'])
    if 'depth' in h and h['depth'].split()[0].isdigit():
        depth, deepest = {}, 0
        for p in sorted(tree['call_paths'], key=lambda q: q['id']):
            chain, k = [], p['id']
            while k is not None and k not in depth:
                chain.append(k)
                k = paths[k]['parent']
            d = depth[k] if k is not None else 0
            for c in reversed(chain):
                d += 1
                depth[c] = d
            deepest = max(deepest, depth[p['id']])
        if deepest != int(h['depth'].split()[0]):
            bad.append('depth %d, want %s' % (deepest, h['depth']))
    if 'threads' in h and len(report.get('threads', [])) < int(h['threads']):
        bad.append('%d threads, want %s' % (len(report.get('threads', [])), h['threads']))
    return bad


@functools.lru_cache(maxsize=None)
def wrapping(prefix, package):
    """the flags of a static link as pkg-config has them: only with them are marks recorded"""
    return subprocess.run(['pkg-config', '--static', '--libs', package], stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(os.environ, PKG_CONFIG_PATH=prefix + '/lib/pkgconfig')).stdout.strip()


def openmp_folders():
    return [os.path.dirname(f) for f in sorted(glob.glob('/usr/lib/llvm-*/lib/libomp.so'))[-1:]]


def one(path, cc, prefix, verbose):
    h = header(path)
    name, ext = os.path.splitext(os.path.basename(path))
    clang = 'clang' in cc
    special = {'gnatmake': 'gnatmake', 'gccgo': 'gccgo-12'}.get(h.get('compiler'))
    if h.get('only') == ('gcc' if clang else 'clang') or special and cc != 'gcc-12':
        return []
    if special and not shutil.which(special):
        return [(name, cc, '-', 'skip', ['no %s' % special])]
    drv = special or (cc.replace('gcc', 'g++').replace('clang', 'clang++') if ext == '.cpp' else cc)
    if not shutil.which(drv):
        return [(name, cc, '-', 'skip', ['no %s' % drv])]
    todo = variants(h)
    if h.get('link') == 'both':
        todo = todo + [(todo[-1][0] + '-static', todo[-1][1] + ' -static')]
    results = []
    for vname, flags in todo:
        symbols = next((t for t in STRIPPING if t in flags), None)
        flags = flags.replace(symbols or '', '')
        work = tempfile.mkdtemp(prefix='fnprof-case-')
        os.chmod(work, 0o777)
        archive = '@a' in flags
        flags = flags.replace('@a', '')
        binary = work + '/prog'
        static = bool({'-static', '-static-pie'} & set(flags.split()))
        lib = ('-L%s/lib -l:libfnprof.a' if archive and not static else '-L%s/lib -lfnprof') % prefix
        if static and not special:
            lib = wrapping(prefix, 'fnprof-c++' if ext == '.cpp' else 'fnprof')
        if not static and not archive:
            lib += ' -Wl,-rpath,%s/lib' % prefix
        if clang and '-fopenmp' in h.get('flags', ''):
            # LLVM's OpenMP libraries of two versions cannot be installed together; a newer clang's code runs with an older one
            lib += ''.join(' -L%s -Wl,-rpath,%s' % (d, d) for d in openmp_folders())
        opt = '-g %s %s %s %s -w -pthread' % (flags, h.get('instr', '-finstrument-functions'), h.get('flags', ''), '' if clang else h.get('gflags', ''))
        if 'std' in h:
            opt += ' -std=' + h['std']
        env = dict(os.environ, CC=drv, CXX=drv, CCN=cc, OPT=opt, SRC=path, BIN=binary, D=work, HZ=lib, LIBD=prefix + '/lib', STATIC='-L%s/lib -l:libfnprof.a' % prefix,
                   PRELOAD=(sorted(glob.glob(prefix + '/lib/libfnprof.so.*')) or [''])[0], I='-I' + os.path.dirname(path),
                   FNPROF_OUTPUT=work + '/trace.zst')
        if special == 'gnatmake':
            build = 'cd $D && gnatmake -q -g -O2 -finstrument-functions %s -o $BIN -largs %s' % (path, lib)
        elif special:
            build = '%s -g %s -finstrument-functions %s -o $BIN %s' % (special, flags, path, lib)
        else:
            build = 'set -e; ' + h.get('build', '$CC $OPT $I $SRC -o $BIN $HZ %s' % h.get('libs', ''))
        rc, out = run(build, env, 180)
        if rc != 0:
            # libc has the hooks too: what builds without us and not with us is our fault
            if special:
                again = build.replace(lib, '')
            else:
                again = build
            rc2, _ = run(again, dict(env, HZ='', STATIC=''), 180)
            results.append((name, cc, vname, 'FAIL' if rc2 == 0 else 'skip', ['does not build: ' + out.strip()[-160:]]))
            shutil.rmtree(work, ignore_errors=True)
            continue
        if symbols:
            run('set -e; ' + STRIPPING[symbols], env, 60)
        aslr = '' if 'aslr' in h or not FIXED_ADDRESSES else 'setarch -R'
        rc, out = run('%s; cd %s; exec %s %s' % (h.get('pre', ':'), work, aslr, h.get('run', '$BIN').replace('$BIN', binary)), env, int(h.get('timeout', 30)))
        time.sleep(5 * float(h.get('settle', 0)))
        bad = []
        if h.get('rc', '0') not in ('any', status(rc)):
            bad.append('exit %s, want %s: %s' % (status(rc), h.get('rc', '0'), out.strip()[-120:]))
        traces = sorted(glob.glob(work + '/*.zst'))
        tool = prefix + '/bin/fnprof-analyze'
        arc, text = run('%s report --json %s 2>%s/err' % (tool, ' '.join(traces), work), env, 120)
        _, tree = run('%s tree --json %s 2>>%s/err' % (tool, ' '.join(traces), work), env, 120)
        try:
            bad += compare(h, json.loads(text), json.loads(tree), symbols in ('@nosym', '@strip'))
        except (ValueError, KeyError, TypeError) as e:
            bad.append('no answer from the analyzer (%s, exit %s)' % (type(e).__name__, status(arc)))
        if arc != 0:
            bad.append('analyzer exit %s' % status(arc))
        if 'procs' in h and len(traces) < int(h['procs']):
            bad.append('%d traces, want %s' % (len(traces), h['procs']))
        if 'known' in h:
            verdict, bad = ('known', bad) if bad else ('FAIL', ['right now: drop the key known (%s)' % h['known']])
        elif bad and 0 < sum('want' in b for b in bad) == len(bad) <= int(h.get('limit_clang' if clang else 'limit_gcc', '0').split()[0]):
            verdict = 'known'
        else:
            verdict = 'FAIL' if bad else 'ok'
        results.append((name, cc, vname, verdict, bad))
        if verbose < 2:
            shutil.rmtree(work, ignore_errors=True)
    return results


def main():
    args, prefix, compilers, cases, no_skips, verbose, names = sys.argv[1:], None, ['gcc-12', 'clang-14'], HERE, False, 0, []
    write_table = False
    while args:
        a = args.pop(0)
        if a == '--prefix':
            prefix = os.path.abspath(args.pop(0))
        elif a == '-c':
            compilers = args.pop(0).split(',')
        elif a == '--cases':
            cases = os.path.abspath(args.pop(0))
        elif a == '--no-skips':
            no_skips = True
        elif a == '--table':
            write_table = True
        elif a.startswith('-v'):
            verbose += len(a) - 1
        else:
            names.append(a)
    if not prefix:
        sys.exit(__doc__)
    found = table.Findings()
    count = {'ok': 0, 'FAIL': 0, 'skip': 0, 'known': 0}
    for path in sorted(glob.glob(cases + '/*')):
        base = os.path.basename(path)
        if os.path.splitext(base)[1] not in ('.c', '.cpp', '.m', '.adb', '.go') or (names and not any(base.startswith(n) for n in names)):
            continue
        limits = {key: value for key, value in header(path).items() if key == 'known' or key.startswith('limit_')}
        for cc in compilers:
            found.case(os.path.splitext(base)[0], cc, limits)
            for name, comp, variant, verdict, bad in one(path, cc, prefix, verbose):
                count[verdict] += 1
                found.add(name, comp, verdict)
                if verdict != 'ok' or verbose:
                    print('%-5s %-24s %-9s %-12s %s' % (verdict, name, comp, variant, '; '.join(bad)[:300]), flush=True)
    if cases == HERE:
        readme = os.path.join(HERE, 'README.md')
        if write_table:
            table.write(readme, found)
        for line in table.differences(readme, found, sorted(os.listdir(HERE))):
            count['FAIL'] += 1
            print('FAIL  ' + line)
    print('%d passed, %d failed, %d skipped' % (count['ok'] + count['known'], count['FAIL'], count['skip']))
    sys.exit(count['FAIL'] > 0 or no_skips and count['skip'] > 0 or not count['ok'] + count['known'])


main()
