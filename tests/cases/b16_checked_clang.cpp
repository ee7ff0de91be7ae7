//! what: b15_checked with what only clang has: a sanitizer for uninitialised memory, another C++ library, another unwinder
//! right: counts and edges as ever; no report about us (a report's exit status is not 0)
//! calls: main=1 unwinding=20 catcher=20 rethrower=20 thrower=20 Guard::~Guard=20 noted=20 handled=20 jumping=20 jump_through=20 jump=20 landed=20 saving=20 save_through=20 save_jump=20 saved=20 worker=4 ending=4 Key::~Key=4 work=400 in_child=1 leaf=1
//! edges: main>unwinding=20 unwinding>catcher=20 catcher>rethrower=20 rethrower>thrower=20 rethrower>Guard::~Guard=20 Guard::~Guard>noted=20 catcher>handled=20 main>jumping=20 jumping>jump_through=20 jump_through>jump=20 jumping>landed=20 main>saving=20 saving>save_through=20 save_through>save_jump=20 saving>saved=20 .>worker=4 worker>work=400 worker>ending=4 main>in_child=1 in_child>leaf=1
//! only: clang
//! variants: msan:-O1 -fsanitize=memory | safestack:-O2 -fsanitize=safe-stack | libcxx0:-O0 -stdlib=libc++ | libcxx:-O2 -stdlib=libc++ | libunwind:-O2 -stdlib=libc++ -unwindlib=libunwind -rtlib=compiler-rt | libunwind2:-O1 -unwindlib=libunwind -rtlib=compiler-rt | libcxxasan:-O1 -stdlib=libc++ -fsanitize=address | coverage:-O1 -fprofile-instr-generate -fcoverage-mapping | init:-O1 -ftrivial-auto-var-init=pattern
//! threads: 5
//! procs: 2
#include "b15_checked.cpp"
