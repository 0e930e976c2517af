// The tree of region names of this process, shared by all threads.
#pragma once

#include "support.hpp"

namespace roofmark::emulator {

struct Row;

/// What a pass with little time makes of a path.
enum class Heat : UChar { cold, leads_to_hot, hot };

/// One path. Its name is a copy: the program may unload what it was given from.
struct Node {
  Node* parent;     ///< null: the root, outside any region
  Node* same_hash;  ///< next node with an equal key
  Row* rows;        ///< per thread
  const UChar* name;
  UInt length;
  UInt depth;
  Heat heat;
  bool other;  ///< what could not be kept, and not a region of the program that bears its name
};

inline constexpr UInt longest_name = 4096;
inline constexpr UInt most_nodes = 1000000;

Node* root();
/// The child of that name, made if it is not there yet. Past the caps, and inside of what is past
/// them: "(other)" below the root, as in the recording runtime, or the two runs' paths would not
/// meet.
Node* child(Node* parent, const UChar* name, UInt length);

}  // namespace roofmark::emulator
