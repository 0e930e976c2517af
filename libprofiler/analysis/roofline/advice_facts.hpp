// The numbers that advice may rest on, by the names that data/advice.json uses.
#pragma once

#include <map>
#include <string>

#include "analysis/roofline/judgement.hpp"

namespace roofmark::model {

struct AdviceFact {
  double value = 0;
  double spread = 0;  ///< by how much of itself it may be off; 0: not known
};

/// Only what is known: an absent name never compares and never prints.
std::map<std::string, AdviceFact> advice_facts(const Case& it, const Roofline& roofline);

}  // namespace roofmark::model
