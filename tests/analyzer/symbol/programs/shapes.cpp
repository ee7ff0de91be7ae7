#include "shapes.h"

namespace geometry {
__attribute__((noinline)) static int hidden(int x) { return x * 3; }  // expect: _ZN8geometryL6hiddenEi

__attribute__((noinline)) int
visible(int x) {  // expect: _ZN8geometry7visibleEi
    return hidden(x) + 1;
}
}  // namespace geometry

Shape::Shape(int sides) : sides_(sides) {}  // expect: _ZN5ShapeC2Ei

int Shape::area(int scale) const { return sides_ * scale; }  // expect: _ZNK5Shape4areaEi

int main(int argc, char**) {  // expect: main
    struct Local {
        __attribute__((noinline)) static int inner(int x) { return x - 1; }  // expect: _ZZ4mainEN5Local5innerEi
    };
    const auto lambda = [](int x) __attribute__((noinline)) { return x + 7; };  // expect: _ZZ4mainENKUliE_clEi
    const Shape shape(argc);
    return geometry::visible(argc) + shape.area(argc) + shape.corners() + twice(argc) + Local::inner(argc) + lambda(argc);
}
