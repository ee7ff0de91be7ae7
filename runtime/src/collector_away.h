// Sends the collector away for as long as a call takes: the kernel lets only a process of one thread into another user namespace
// (unshare, setns), and only one that shares its root directory with nobody into another mount namespace. Full rings are coded by
// their threads meanwhile. Covered by e2e.surroundings.a_process_may_go_into_other_namespaces.
//
// Context: normal code.
#pragma once

// True when there was one, and it is gone. C names, since the archive's wrappers are objects of their own.
extern "C" __attribute__((visibility("hidden"))) bool fnprof_send_collector_away();
// The next full chunk starts another one.
extern "C" __attribute__((visibility("hidden"))) void fnprof_let_collector_return();

namespace fnprof::rt {

class CollectorAway {
  public:
    explicit CollectorAway(bool needed) : sent_(needed && fnprof_send_collector_away()) {}
    ~CollectorAway() {
        if (sent_) fnprof_let_collector_return();
    }
    CollectorAway(const CollectorAway&) = delete;
    CollectorAway& operator=(const CollectorAway&) = delete;

  private:
    bool sent_;
};

// Which calls need it. Flags of linux/sched.h: NEWUSER; for unshare also those that change nothing in a process of one thread (VM, SIGHAND,
// THREAD), for setns also NEWNS and NEWTIME. Of setns 0 is any namespace, and a process descriptor takes several.
constexpr int kCloneVm = 0x100, kCloneSighand = 0x800, kCloneThread = 0x10000, kCloneNewNs = 0x20000, kCloneNewTime = 0x80,
              kCloneNewUser = 0x10000000;
constexpr bool unshare_needs_one_thread(int flags) { return (flags & (kCloneNewUser | kCloneVm | kCloneSighand | kCloneThread)) != 0; }
constexpr bool setns_needs_one_thread(int type) { return type == 0 || (type & (kCloneNewUser | kCloneNewNs | kCloneNewTime)) != 0; }

}  // namespace fnprof::rt
