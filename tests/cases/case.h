/* shared macros of the cases */
#ifndef CASE_H
#define CASE_H
#define NI __attribute__((noinline))
#define NOINST __attribute__((no_instrument_function))
static volatile long sink __attribute__((unused));
#endif
