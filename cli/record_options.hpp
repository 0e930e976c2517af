// From a command line to what a recording is to do.
#pragma once

#include <analysis/machine/measure.hpp>
#include <analysis/record/attach.hpp>
#include <analysis/record/record.hpp>

#include "recording_arguments.hpp"

namespace roofmark::cli {

MeasureOptions machine_options(const RecordingArguments& arguments);

/// Says on stderr what of it can't be had.
RecordOptions record_options(const RecordingArguments& arguments);

/// For a process that runs already: what of the options holds for it.
AttachOptions attach_options(const RecordingArguments& arguments, const RecordOptions& options);

}  // namespace roofmark::cli
