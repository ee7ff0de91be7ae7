"""Makes random C++ programs that know their own call graph.

Every function is told who called it, counts that edge in a table of its own thread, and passes itself on; functions that are not
instrumented pass their caller on. So the program knows each edge however it leaves its functions: by return, exception, rethrow,
or longjmp. At its end it writes the edges to the file named by its argument, one a line: caller, callee, count.

A seed decides everything: the functions' frame sizes, linkage, whether they are inlined or instrumented, what they call, and how.
"""
import random

HEADER = '''\
// A random program: seed %(seed)d.
#include <alloca.h>
#include <csetjmp>
#include <cstdio>
#include <exception>
#include <pthread.h>

#define SILENT __attribute__((no_instrument_function))
#define NOINLINE __attribute__((noinline))

struct Thrown { int by; };
struct Other { int by; };

enum { kIds = %(ids)d, kMain = kIds, kNobody, kCallers };
struct Thread {
    long edges[kCallers][kIds];
    long budget;
    unsigned random;
    jmp_buf* landing;
};
static __thread Thread* self;
static volatile int sink;

SILENT static inline unsigned roll() { return (self->random = self->random * 1664525u + 1013904223u) >> 8; }
SILENT static inline bool over(int depth) { return depth <= 0 || self->budget-- <= 0; }
SILENT static inline void count(int caller, int own) { self->edges[caller][own]++; }

typedef void Function(int caller, int depth);
extern Function* const table[];
'''

FOOTER = '''\
SILENT static void work(int caller) {
    for (int round = 0; round < %(rounds)d; round++) {
        self->budget = 200;
        self->landing = nullptr;
        try {
            f0(caller, 9);
        } catch (...) {
        }
    }
}

static Thread all[%(threads)d + 1];

SILENT static void* start(void* which) {
    self = static_cast<Thread*>(which);
    work(kNobody);
    return nullptr;
}

int main(int, char** argv) {
    pthread_t threads[%(threads)d + 1];
    for (int i = 0; i <= %(threads)d; i++) all[i].random = %(seed)du * 977 + static_cast<unsigned>(i);
    for (int i = 1; i <= %(threads)d; i++)
        if (pthread_create(&threads[i], nullptr, start, &all[i]) != 0) return 1;
    self = &all[0];
    work(kMain);
    for (int i = 1; i <= %(threads)d; i++) pthread_join(threads[i], nullptr);
    FILE* out = fopen(argv[1], "w");
    if (out == nullptr) return 2;
    for (int caller = 0; caller < kCallers; caller++)
        for (int callee = 0; callee < kIds; callee++) {
            long sum = 0;
            for (const Thread& thread : all) sum += thread.edges[caller][callee];
            if (sum != 0) fprintf(out, "%%d %%d %%ld\\n", caller, callee, sum);
        }
    return fclose(out) != 0;
}
'''


class Program:
    """jumps: longjmp is used; then no function has objects with destructors, over which jumping is undefined."""

    def __init__(self, seed, functions=24, threads=2, rounds=40):
        self.seed, self.functions, self.threads, self.rounds = seed, functions, threads, rounds
        self.random = random.Random(seed)
        self.jumps = seed % 2 == 0
        self.silent = {i for i in range(1, functions) if self.random.random() < 0.2}
        self.inlined = {i for i in range(1, functions) if self.random.random() < 0.5}
        # Ids from `functions` on are destructors.
        self.guards = [] if self.jumps else list(range(functions, functions + 3))

    def name(self, identifier):
        return '~Guard%d' % identifier if identifier >= self.functions else 'f%d' % identifier

    def names(self):
        """Names by id; the last two are main and nobody (None)."""
        ids = self.functions + len(self.guards)
        return [self.name(i) for i in range(ids)] + ['main', None]

    def call(self, me, less=1):
        own = 'caller' if me in self.silent else str(me)
        if self.random.random() < 0.15:
            return 'table[roll() %% %d](%s, depth - %d);' % (self.functions, own, less)
        return 'f%d(%s, depth - %d);' % (self.random.randrange(self.functions), own, less)

    def loop(self, me):
        return 'for (int i = 0; i < %d; i++) %s' % (self.random.randint(2, 3), self.call(me, 2))

    def statement(self, me):
        """One thing that a function may do."""
        call = self.call
        forms = [
            lambda: call(me),
            lambda: self.loop(me),
            lambda: 'try { %s } catch (Thrown&) { %s }' % (call(me), call(me, 2)),
            lambda: 'try { %s } catch (Thrown&) { if (roll() %% 3 == 0) throw; %s }' % (self.loop(me), call(me, 2)),
            lambda: 'try { %s } catch (Other&) { %s } catch (Thrown& thrown) { if (roll() %% 2 == 0) throw Other{thrown.by}; }' % (
                call(me), call(me, 2)),
            lambda: 'try { %s } catch (...) { %s }' % (call(me), call(me, 2)),
            lambda: 'try { try { %s } catch (Thrown&) { %s throw; } } catch (...) { %s }' % (call(me), call(me, 2), call(me, 2)),
            lambda: ('try { %s } catch (...) { std::exception_ptr kept = std::current_exception(); %s '
                     'if (roll() %% 2 == 0) std::rethrow_exception(kept); }') % (call(me), '' if self.jumps else call(me, 2)),
            lambda: 'if (roll() %% %d == 0) throw Thrown{%d};' % (self.random.randint(3, 9), me),
        ]
        if self.jumps:
            forms += [
                lambda: 'if (self->landing != nullptr && roll() %% %d == 0) longjmp(*self->landing, 1);' % self.random.randint(3, 7),
                lambda: self.landing(me),
            ]
        return self.random.choice(forms)()

    def landing(self, me):
        """A place to jump to; exceptions that pass it restore the one before."""
        return ('{ jmp_buf here; jmp_buf* const before = self->landing; try { if (setjmp(here) == 0) { self->landing = &here; %s } '
                'else { self->landing = before; %s } } catch (...) { self->landing = before; throw; } self->landing = before; }') % (
                    self.call(me), self.call(me, 2))

    def prototype(self, me):
        silent = 'SILENT ' if me in self.silent else ''
        linkage = 'static inline ' if me in self.inlined else self.random.choice(['NOINLINE ', 'static NOINLINE ', ''])
        return '%s%svoid f%d(int caller, int depth)' % (silent, linkage, me)

    def body(self, me):
        lines = [] if me in self.silent else ['count(caller, %d);' % me]
        frame = self.random.choice([0, 0, 16, 64, 200, 1000, 3000, 40000, -1])
        if frame > 0:
            lines.append('volatile char pad[%d]; pad[%d] = static_cast<char>(depth); sink += pad[%d];' % (frame, frame // 2, frame // 2))
        elif frame < 0:
            lines.append('volatile char* pad = static_cast<volatile char*>(alloca(16 + roll() % 8 * 16)); pad[0] = 1; sink += pad[0];')
        lines.append('if (over(depth)) return;')
        if self.guards and self.random.random() < 0.4 and me not in self.silent:
            lines.append('Guard%d guard{%d, depth};' % (self.random.choice(self.guards), me))
        lines += [self.statement(me) for _ in range(self.random.randint(1, 4))]
        lines.append('sink++;')
        return lines

    def source(self):
        ids = self.functions + len(self.guards)
        prototypes = [self.prototype(i) for i in range(self.functions)]
        parts = [HEADER % {'seed': self.seed, 'ids': ids}]
        parts += ['%s;' % prototype for prototype in prototypes]
        # Destructors run while the stack is unwound; what they call must not throw.
        for guard in self.guards:
            parts.append('struct Guard%d {\n    int owner, depth;\n    %s ~Guard%d() { count(owner, %d); sink += depth; }\n};' % (
                guard, self.random.choice(['NOINLINE', 'inline']), guard, guard))
        parts.append('Function* const table[] = {%s};' % ', '.join('f%d' % i for i in range(self.functions)))
        parts += ['%s {\n    %s\n}' % (prototypes[i], '\n    '.join(self.body(i))) for i in range(self.functions)]
        parts.append(FOOTER % {'rounds': self.rounds, 'threads': self.threads, 'seed': self.seed})
        return '\n'.join(parts)
