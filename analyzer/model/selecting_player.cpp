#include "model/player_into.h"

namespace fnprof::model {

std::unique_ptr<CallPlayer> make_selecting_player(bool marks_on, HookCost hook, StackQuestions questions, bool by_call_site, const CallSelection& selection) {
    return std::make_unique<PlayerInto<SelectingSink>>(marks_on, std::move(questions), hook, by_call_site, selection);
}

}  // namespace fnprof::model
