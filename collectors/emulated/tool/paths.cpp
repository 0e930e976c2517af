#include "paths.hpp"

namespace roofmark::emulator {
namespace {

constinit Node* root_node = nullptr;
constinit Map<Node*> by_key;
constinit UInt nodes = 0;

bool named(const Node* n, const Node* parent, const UChar* name, UInt length) {
  return n->parent == parent && n->length == length && VG_(memcmp)(n->name, name, length) == 0;
}

Node* make(Node* parent, const UChar* name, UInt length) {
  auto* n = static_cast<Node*>(allocate_zeroed(sizeof(Node)));
  auto* copy = static_cast<UChar*>(VG_(malloc)("roofmark.name", length + 1));
  if (length != 0) VG_(memcpy)(copy, name, length);
  copy[length] = 0;
  n->parent = parent;
  n->name = copy;
  n->length = length;
  n->depth = parent == nullptr ? 0 : parent->depth + 1;
  ++nodes;
  return n;
}

Node* other() {
  static Node* node;
  if (node == nullptr) {
    const HChar* name = "(other)";
    node = make(root(), reinterpret_cast<const UChar*>(name), static_cast<UInt>(VG_(strlen)(name)));
    node->other = true;
  }
  return node;
}

}  // namespace

Node* root() {
  if (root_node == nullptr) root_node = make(nullptr, nullptr, 0);
  return root_node;
}

Node* child(Node* parent, const UChar* name, UInt length) {
  if (parent->other || length > longest_name) return other();
  const ULong parent_bits = reinterpret_cast<UWord>(parent);
  const ULong key = hash_bytes(hash_bytes(hash_start, &parent_bits, 8), name, length) | 1;
  Node** first = by_key.find(key);
  for (Node* n = first == nullptr ? nullptr : *first; n != nullptr; n = n->same_hash)
    if (named(n, parent, name, length)) return n;
  if (nodes >= most_nodes) return other();
  Node* n = make(parent, name, length);
  if (first != nullptr) {
    n->same_hash = *first;
    *first = n;
  } else {
    by_key.insert(key, n);
  }
  return n;
}

}  // namespace roofmark::emulator
