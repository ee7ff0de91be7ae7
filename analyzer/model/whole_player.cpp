#include "model/player_into.h"

namespace fnprof::model {

std::unique_ptr<CallPlayer> make_whole_player(bool marks_on, HookCost hook, StackQuestions questions, bool by_call_site) {
    return std::make_unique<PlayerInto<TreeSink>>(marks_on, std::move(questions), hook, by_call_site);
}

}  // namespace fnprof::model
