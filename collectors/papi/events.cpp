#include "events.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "refusals.hpp"

namespace roofmark::papi {
namespace {

/// PAPI's errors that are told apart here (papi.h).
enum : int {
  einval = -1,
  enomem = -2,
  esys = -3,
  ecmp = -4,
  enoevnt = -7,
  ecnflct = -8,
  eisrun = -10,
  eperm = -15,
  enoinit = -16,
  enocmp = -17,
  emulpass = -25,
  edelay = -26
};

struct ComponentExtent {
  std::string_view name;
  Extent extent;
};
/// What is not here counts for a whole device.
constexpr ComponentExtent component_extents[] = {
    {"perf_event", Extent::thread},
    {"sde", Extent::process},
    {"perf_event_uncore", Extent::socket},
    {"rapl", Extent::socket},
    {"powercap", Extent::socket},
    {"coretemp", Extent::socket},
    {"pcp", Extent::socket},
    {"powercap_ppc", Extent::socket},
};

/// Events that a library in the program defines: no other process knows them.
bool is_of_program(std::string_view name) {
  return name.starts_with("sde:::");
}

std::string number(int error) {
  return " (PAPI's error " + std::to_string(error) + ")";
}

Problem common(int error, const std::string& event) {
  switch (error) {
    case ecnflct:
    case emulpass:
      return {"it does not fit with the other events" + number(error), event,
              "ask for fewer events at once"};
    case eisrun:
      return {"the program counts by PAPI itself: a thread has one running set a component", event,
              "leave out the program's own counting"};
    case eperm:
      return {"PAPI may not count it: no permission" + number(error), event,
              "roofmark check says what permits it"};
    case enocmp:
    case ecmp:
    case edelay:
      return {"its component does not work here" + number(error), event,
              "papi_component_avail (says why)"};
    case enomem:
      return {"PAPI had no memory or no counter for it" + number(error), event,
              "ask for fewer events at once"};
    default:
      return {"PAPI refused it" + number(error), event, "papi_command_line " + event};
  }
}

Problem unknown_name(const std::string& event) {
  return {"PAPI knows no event of this name", event,
          "papi_avail and papi_native_avail list the names"};
}

/// PAPI's lists name what the processor has; whether the kernel gives it shows when it is opened.
Problem not_opened(int error, const std::string& event) {
  if (error == enoevnt || error == esys || error == einval)
    return {
        "PAPI lists it and can't open it: the kernel gives no such counter here" + number(error),
        event, "roofmark check says why, and what would change it"};
  return common(error, event);
}

}  // namespace

Result<std::vector<std::string>> split_events(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t comma = std::min(list.find(',', start), list.size());
    std::string name = list.substr(start, comma - start);
    start = comma + 1;
    if (!is_plan_word(name.data(), name.size(), most_name))
      return tl::unexpected(
          Problem{name.empty() ? "a name of an event is empty" : "this is no name of an event",
                  "`" + name + "`", "--papi PAPI_TOT_CYC,perf::PAGE-FAULTS"});
    if (std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  if (names.size() > most_events)
    return tl::unexpected(
        Problem{"more than " + std::to_string(most_events) + " events", "--papi", "ask for fewer"});
  return names;
}

Extent extent_of(std::string_view component) {
  for (const ComponentExtent& known : component_extents)
    if (known.name == component) return known.extent;
  return Extent::device;
}

Scope scope_of(Extent extent) {
  switch (extent) {
    case Extent::thread:
      return Scope::thread;
    case Extent::process:
      return Scope::process;
    case Extent::socket:
      return Scope::socket;
    case Extent::device:
      break;
  }
  return Scope::device;
}

Problem explain(const Answer& answer) {
  if (answer.step == Step::name) return unknown_name(answer.event);
  return not_opened(answer.error, answer.event);
}

Problem explain_in_program(int error, const std::string& event) {
  switch (error) {
    case not_additive:
      return {"PAPI derives it by a division: its difference over a region means nothing", event,
              "ask for the events that it is derived from (papi_avail -e " + event + ")"};
    case not_whole:
      return {"its values are no whole numbers", event, "ask for another event"};
    case not_a_sum:
      return {"it is a level at a moment and not a running sum", event, "ask for another event"};
    case wrong_component:
      return {"it belongs to another component in the program than here", event,
              "use one version of PAPI"};
    case enoinit:
      return {"PAPI could not be initialised in the program", event, "papi_component_avail"};
    default:
      break;
  }
  if (is_of_program(event) && (error == enoevnt || error == enocmp || error < enocmp))
    return {"the program has no such event: it uses no library that defines it" + number(error),
            event, "check the name; the program must use libsde"};
  return not_opened(error, event);
}

EventPlan plan_events(const std::vector<std::string>& names,
                      const std::function<Result<Probe>(const std::vector<std::string>&)>& ask) {
  EventPlan result;
  const auto asked = ask(names);
  // One group each: what one event lacks is no other event's loss.
  const auto plan = std::make_unique<Plan>();
  const auto add = [&](const std::string& name, const std::string& component) {
    if (!is_plan_word(component.data(), component.size(), most_component)) {
      result.absent.emplace_back(name, Problem{"its component has no usable name", name, ""});
      return;
    }
    Group& group = plan->groups[plan->group_count++];
    group.extent = extent_of(component);
    component.copy(group.component, component.size());
    group.component[component.size()] = '\0';
    group.first = static_cast<std::uint16_t>(plan->event_count);
    group.count = 1;
    char* const to = plan->events[plan->event_count++];
    name.copy(to, name.size());
    to[name.size()] = '\0';
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!asked) {
      result.absent.emplace_back(names[i], asked.error());
    } else if (is_of_program(names[i])) {
      add(names[i], "sde");
    } else if (i >= asked->events.size()) {
      result.absent.emplace_back(names[i], Problem{"libpapi gave no answer", names[i], ""});
    } else if (asked->events[i].step != Step::counted) {
      result.absent.emplace_back(names[i], explain(asked->events[i]));
    } else {
      add(names[i], asked->events[i].component);
    }
  }
  if (plan->event_count == 0) return result;
  std::string text(most_plan_text, '\0');
  text.resize(write_plan(*plan, text.data(), text.size()));
  result.text = std::move(text);
  return result;
}

bool read_plan(const std::string& text, Plan& plan) {
  return parse_plan(text.data(), text.size(), plan) == nullptr;
}

}  // namespace roofmark::papi
