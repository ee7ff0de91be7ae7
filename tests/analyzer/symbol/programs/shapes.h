#pragma once

struct Shape {
    explicit Shape(int sides);
    int area(int scale) const;
    int corners() const { return sides_; }  // expect: _ZNK5Shape7cornersEv
    int sides_;
};

template <typename T>
__attribute__((noinline)) T twice(T value) {  // expect: _Z5twiceIiET_S0_
    return value + value;
}
