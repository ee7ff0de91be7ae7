//! what: Objective-C exceptions (raised by libobjc, caught without the C++ library) through @finally, rethrown by @throw; object is a plain one
//! right: handlers and the finally block's call belong to the function that they are in
//! calls: main=1 outer=50 mid=50 thrower=50 finally=50 first=50 second=50 after=50
//! edges: main>outer=50 outer>mid=50 mid>thrower=50 mid>finally=50 mid>first=50 outer>second=50 main>after=50
//! only: gcc
//! flags: -fobjc-exceptions -fexceptions -std=gnu11
//! libs: -lobjc
#import <objc/Object.h>
#include "case.h"
static Object *thing;
NI void thrower(void) { sink++; @throw thing; }
NI void finally(void) { sink++; }
NI void first(void) { sink++; }
NI void second(void) { sink++; }
NI void after(void) { volatile char pad[2000]; pad[0] = 1; sink += pad[0]; }
NI void mid(void) { @try { @try { thrower(); } @finally { finally(); } } @catch (id caught) { first(); @throw; } sink++; }
NI void outer(void) { @try { mid(); } @catch (id caught) { second(); } }
int main(void) { thing = class_createInstance([Object class], 0); for (int i = 0; i < 50; i++) { outer(); after(); } return 0; }
