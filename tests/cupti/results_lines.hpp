// Results as the plug-in writes them, for tests of their reader.
#pragma once

#include <string>
#include <vector>

namespace roofmark::cupti::sample {

inline const std::vector<std::string>& activity_lines() {
  static const std::vector<std::string> lines = {
      R"({"schema":"roofmark-gpu/1","host":"node1","pid":4711,"ppid":4700,"sequence":0,"exe":"/bin/app","driver":13000,"cupti":130001,"kind":"activity","set":"","begin_ns":1000000000,"markers":1})",
      R"({"path":0,"names":[]})",
      R"({"path":1,"names":["solve","sp\u00ffmv"]})",
      R"({"device":0,"uuid":"GPU-00000000-0000-0000-0000-000000000001","index":0,"name":"A card","chip":"GH100","compute_major":9,"compute_minor":0,"multiprocessors":132,"memory_bytes":85520809984,"l2_bytes":52428800,"memory_bus_bits":5120,"sm_clock_khz":1980000,"memory_clock_khz":0,"integrated":0,"mig":0})",
      R"({"kernel":"_Z5triadPdS_","device":0,"path":1,"launches":3,"graph_launches":1,"sum_ns":600,"min_ns":100,"max_ns":300,"first_ns":1000,"last_ns":5000,"grid":[65535,1,1],"block":[256,1,1],"shapes_differ":0})",
      R"({"launch":0,"start_ns":1000,"end_ns":1200,"called_ns":500,"context":1,"stream":7,"correlation":21,"graph":0})",
      R"({"launch":0,"start_ns":2000,"end_ns":2300,"context":1,"stream":7,"correlation":22,"graph":5})",
      R"({"busy":0,"device":0,"ns":600,"first_ns":1000,"last_ns":5000,"exact":1})",
      R"({"copy":"PtoP","device":0,"peer":0,"path":0,"count":2,"bytes":4096,"ns":70})",
      R"({"host":1,"launches":3,"launch_ns":9000,"waits":1,"wait_ns":4000})",
      R"({"problem":{"call":"cuptiActivityEnable","code":27,"name":"CUPTI_ERROR_NOT_SUPPORTED","reason":"not here","fix":"","device":0,"count":2}})",
      R"({"end":"exit","lines":11,"launches_left_out":1,"launches_unfinished":2,"records_dropped":3,"launches_of_unknown_path":4,"ranges_dropped":0})",
  };
  return lines;
}

inline const std::vector<std::string>& counters_lines() {
  static const std::vector<std::string> lines = {
      R"({"schema":"roofmark-gpu/1","host":"node1","pid":4711,"ppid":4700,"sequence":1,"exe":"/bin/app","driver":13000,"cupti":130001,"kind":"counters","set":"sass","begin_ns":1000000000,"markers":0})",
      R"({"path":0,"names":[]})",
      R"({"device":0,"uuid":"GPU-1","index":0,"name":"A card","chip":"GH100","compute_major":9,"compute_minor":0,"multiprocessors":132,"memory_bytes":1,"l2_bytes":1,"memory_bus_bits":0,"sm_clock_khz":0,"memory_clock_khz":0,"integrated":0,"mig":0})",
      R"({"range":"triad","device":0,"path":0,"launches":2,"metrics":{"dram__bytes.sum":402653184.0,"a.max":7},"lacking":["b.sum"]})",
      R"({"end":"snapshot","lines":4,"launches_left_out":0,"launches_unfinished":0,"records_dropped":0,"launches_of_unknown_path":0,"ranges_dropped":0})",
  };
  return lines;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace roofmark::cupti::sample
