#include <set>

#include "catch.hpp"
#include "recorded.hpp"

TEST_CASE("a thread's regions hang below the region that was open when it was created") {
  const Recorded run = record("runtime_target", "below creator");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "solve|spmv").visits == 3);
  REQUIRE(total(run, "solve|spmv").threads == 3);
  REQUIRE(total(run, "solve|spmv|inner").visits == 3);
  REQUIRE(total(run, "solve|spmv").adopted == 0);
  REQUIRE(total(run, "solve|waiting").visits == 1);
}

TEST_CASE("a pool's thread is adopted by the region that is open in its creator") {
  const Recorded run = record("runtime_target", "pool");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "solve|task").visits == 2);
  REQUIRE(total(run, "solve|task").adopted == 2);
  REQUIRE(total(run, "solve|task|inner").adopted == 0);
  // The same name is the same work, done by a team.
  REQUIRE(total(run, "solve").visits == 4);
  REQUIRE(total(run, "solve").adopted == 1);
  REQUIRE_FALSE(total(run, "solve|solve").found);
}

TEST_CASE("a worker's regions follow what is open around them, however often they were entered") {
  const Recorded run = record("runtime_target", "places");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "origin|work").visits == 6);
  REQUIRE(total(run, "origin|work").adopted == 0);
  REQUIRE(total(run, "work").visits == 9);  // twice with nothing open, and detached
  REQUIRE(total(run, "work").adopted == 0);
  REQUIRE(total(run, "a|work").visits == 6);
  REQUIRE(total(run, "a|work").adopted == 6);
  REQUIRE(total(run, "a|b|work").visits == 6);
  REQUIRE(total(run, "a|b|work").adopted == 6);
  REQUIRE(total(run, "a|b|work|inner").visits == 6);
  REQUIRE(total(run, "a|b|work|inner").adopted == 0);
}

TEST_CASE("a detached thread has roots of its own") {
  const Recorded run = record("runtime_target", "detached");
  REQUIRE(total(run, "background").visits == 1);
  REQUIRE_FALSE(total(run, "solve|background").found);
}

TEST_CASE("threads by thrd_create") {
  const Recorded run = record("runtime_target_c", "thrd");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "main|by thrd_create").visits == 1);
  REQUIRE(total(run, "main|by thrd_create").adopted == 0);
}

TEST_CASE("a thread that ends inside its regions") {
  const Recorded run = record("runtime_target_c", "thread exit");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "main|leaves").visits == 1);
  REQUIRE(total(run, "main|leaves").unclosed);
  REQUIRE(total(run, "main|leaves|early").unclosed);
  REQUIRE(total(run, "main|leaves|early").visits == 2);
  REQUIRE_FALSE(total(run, "main").unclosed);
}

TEST_CASE("100000 short threads stay bounded and are all counted") {
  const Recorded run = record("runtime_target", "short threads");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "main|short").visits == 100000);
  REQUIRE(total(run, "main|short").threads == 100000);
  REQUIRE(total(run, "main|short|inner").visits == 100000);
  REQUIRE(run.bytes < 1000000);
  REQUIRE_FALSE(run.processes.front().truncated);
}

TEST_CASE("threads that live at the same time") {
  const Recorded run = record("runtime_target", "live threads");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "main|work").visits == 16000);
  REQUIRE(total(run, "main|work").threads == 16);
  REQUIRE(total(run, "main|work|inner").visits == 16000);
}

TEST_CASE("a scope that another thread closes") {
  const Recorded run = record("runtime_target", "wrong thread");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "moved").visits == 1);
  REQUIRE(total(run, "moved").wrong_thread);
  REQUIRE(total(run, "next").visits == 1);
  REQUIRE(total(run, "last").visits == 1);
}

TEST_CASE("a scope that another thread closes while regions are open inside it") {
  const Recorded run = record("runtime_target", "wrong thread outside");
  REQUIRE(run.exit_status == 0);
  for (const std::string around : {"", "around|"}) {
    INFO(around);
    REQUIRE(total(run, around + "moved").visits == 4);
    REQUIRE(total(run, around + "moved|inside").visits == 4);
    REQUIRE(total(run, around + "inside").visits == 6);
    REQUIRE_FALSE(total(run, around + "moved|inside|inside").found);
  }
}

TEST_CASE("a scope that outlives its thread") {
  const Recorded run = record("runtime_target", "outlives thread");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "main|left open").visits == 8);
  REQUIRE(total(run, "main|left open").unclosed);
  REQUIRE(total(run, "main|its successor").visits == 8);
  REQUIRE(total(run, "main|after").visits == 1);
  REQUIRE(run.processes.front().stale_exits == 8);
}

TEST_CASE("a coroutine that goes on elsewhere") {
  const Recorded run = record("runtime_target", "coroutine");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "caller").visits == 1);
  REQUIRE(total(run, "caller|coroutine").visits == 1);
  REQUIRE(total(run, "caller|coroutine").mismatched);
  REQUIRE(total(run, "last").visits == 1);
}

TEST_CASE("destructors at a thread's end may be annotated") {
  const Recorded run = record("runtime_target", "late regions");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "early").visits == 1);
  REQUIRE(total(run, "at the end").visits == 1);
}
