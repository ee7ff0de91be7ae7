#include "model/call_player.h"

#include <utility>

#include "model/player_into.h"

namespace fnprof::model {

std::unique_ptr<CallPlayer> make_player(bool marks_on, HookCost hook, StackQuestions questions, bool by_call_site, const CallSelection* selection) {
    if (selection != nullptr) return make_selecting_player(marks_on, hook, std::move(questions), by_call_site, *selection);
    return make_whole_player(marks_on, hook, std::move(questions), by_call_site);
}

}  // namespace fnprof::model
