// Symbols of every binding at known places.
extern "C" {

int plugin_global(int x) { return x + 1; }
__attribute__((weak)) int plugin_weak(int x) { return x + 2; }
static int plugin_local(int x) { return x + 3; }
int (*plugin_local_address)(int) = plugin_local;

// Three names for one function; the local one is longer than the others.
__asm__(".set a_local_name_of_plugin_alias, plugin_alias_global");
int plugin_alias_global(int x) { return x + 4; }
__attribute__((weak, alias("plugin_alias_global"))) int plugin_alias_weak(int x);

// Two of the same rank and size: the shorter one, then the first in the alphabet.
int plugin_twin_longer(int x) { return x + 5; }
__attribute__((alias("plugin_twin_longer"))) int plugin_twin_b(int x);
__attribute__((alias("plugin_twin_longer"))) int plugin_twin_a(int x);
}
