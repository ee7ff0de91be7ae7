//! what: everything that unwinds, forks and ends threads, in programs whose compiler checks or counts along: sanitizers intercept throw, longjmp, pthread_create and the like themselves
//! right: counts and edges as ever; no report about us (a report's exit status is not 0)
//! calls: main=1 unwinding=20 catcher=20 rethrower=20 thrower=20 Guard::~Guard=20 noted=20 handled=20 jumping=20 jump_through=20 jump=20 landed=20 saving=20 save_through=20 save_jump=20 saved=20 worker=4 ending=4 Key::~Key=4 work=400 in_child=1 leaf=1
//! edges: main>unwinding=20 unwinding>catcher=20 catcher>rethrower=20 rethrower>thrower=20 rethrower>Guard::~Guard=20 Guard::~Guard>noted=20 catcher>handled=20 main>jumping=20 jumping>jump_through=20 jump_through>jump=20 jumping>landed=20 main>saving=20 saving>save_through=20 save_through>save_jump=20 saving>saved=20 .>worker=4 worker>work=400 worker>ending=4 main>in_child=1 in_child>leaf=1
//! variants: asan0:-O0 -fsanitize=address | asan:-O2 -fsanitize=address,undefined -fno-sanitize-recover=all | lsan:-O1 -fsanitize=leak | ubsan:-O1 -fsanitize=undefined -fno-sanitize-recover=all | tsan:-O1 -fsanitize=thread | tsan2:-O2 -fsanitize=thread | gcov:-O1 --coverage | pg:-O1 -pg | profile:-O2 -fprofile-generate | fortify:-O2 -D_FORTIFY_SOURCE=3 | ssp:-O1 -fstack-protector-all | cet:-O2 -fcf-protection=full | clash:-O1 -fstack-clash-protection | nored:-O1 -mno-red-zone | noplt:-O2 -fno-plt
//! threads: 5
//! procs: 2
#include "case.h"
#include <pthread.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>
struct Guard { NI ~Guard(); };
extern "C" {
NI void noted() { sink++; }
NI void handled() { sink++; }
NI void thrower(int i) { if (i) throw i; sink++; }
NI void rethrower(int i) { Guard guard; try { thrower(i); } catch (int) { throw; } }
NI void catcher(int i) { try { rethrower(i); } catch (...) { handled(); } }
NI void unwinding(int i) { catcher(i); sink++; }
static jmp_buf plain;
static sigjmp_buf with_mask;
NI void jump() { sink++; longjmp(plain, 1); }
NI void jump_through() { jump(); sink++; }
NI void landed() { sink++; }
NI void jumping() { if (setjmp(plain) == 0) jump_through(); else landed(); }
NI void save_jump() { sink++; siglongjmp(with_mask, 1); }
NI void save_through() { save_jump(); sink++; }
NI void saved() { sink++; }
NI void saving() { if (sigsetjmp(with_mask, 1) == 0) save_through(); else saved(); }
struct Key { int used; NI ~Key(); };
static thread_local Key key;
NI int work(int i) { return i + 1; }
NI void ending() { pthread_exit(nullptr); }
NI void *worker(void *) { int n = 0; for (int i = 0; i < 100; i++) n = work(n); key.used = n; ending(); return nullptr; }
NI void leaf() { sink++; }
NI void in_child() { leaf(); }
}
Guard::~Guard() { noted(); }
Key::~Key() { __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED); }
int main() {
    for (int i = 1; i <= 20; i++) { unwinding(i); jumping(); saving(); }
    pthread_t threads[4];
    for (auto &thread : threads) pthread_create(&thread, nullptr, worker, nullptr);
    for (auto &thread : threads) pthread_join(thread, nullptr);
    pid_t child = fork();
    if (child == 0) { in_child(); _exit(0); }
    int status = 1;
    waitpid(child, &status, 0);
    return status != 0;
}
