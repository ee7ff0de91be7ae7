// The reports on a profile. Each is a subcommand, and a command of the browser.
#pragma once

#include "cli/profile_report.h"

namespace fnprof::cli {

extern const ProfileReport kTableReport;
extern const ProfileReport kTreeReport;
extern const ProfileReport kCallersReport;
extern const ProfileReport kCalleesReport;
extern const ProfileReport kPathsReport;
extern const ProfileReport kHistReport;
extern const ProfileReport kSlowReport;
extern const ProfileReport kThreadsReport;
extern const ProfileReport kInfoReport;

}  // namespace fnprof::cli
