// Direct n-body in float: every body attracts every other one. Softened, so that a body's pull on
// itself is 0 and needs no branch.
//
//   usage: nbody [--expect] [bodies = 2048] [steps = 4]
//
// Closed forms of a step with n bodies:
//   forces  20 n^2 FLOP: 3 subtractions; 3 multiplies and 3 additions for the distance; a square
//           root and a division; 3 multiplies; 3 multiplies and 3 additions into the acceleration.
//           L1 12 n written, and read at least 16 n^2: constants may come from memory too.
//   drift   12 n FLOP: velocity and position, a multiply and an addition for each of 3 components.
//           L1 at least 36 n read, 24 n written.
// Bound by compute, but one square root and one division in 20 FLOP keep it far below the peak.
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <roofmark/roofmark.hpp>
#include <vector>

#include "../support/expect.h"

namespace {

struct Body {
  float x, y, z, mass;
};
struct Vector3 {
  float x, y, z;
};

void forces(const std::vector<Body>& bodies, std::vector<Vector3>& acceleration) {
  ROOFMARK_SCOPE("forces");
  constexpr float softening = 1e-3f;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body self = bodies[i];
    Vector3 sum{0, 0, 0};
    for (const Body& other : bodies) {
      const float dx = other.x - self.x, dy = other.y - self.y, dz = other.z - self.z;
      const float distance2 = dx * dx + dy * dy + dz * dz + softening;
      const float inverse = 1.0f / std::sqrt(distance2);
      const float pull = inverse * inverse * inverse * other.mass;
      sum.x += dx * pull;
      sum.y += dy * pull;
      sum.z += dz * pull;
    }
    acceleration[i] = sum;
  }
}

void drift(std::vector<Body>& bodies, std::vector<Vector3>& velocity,
           const std::vector<Vector3>& acceleration, float dt) {
  ROOFMARK_SCOPE("drift");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    velocity[i].x += acceleration[i].x * dt;
    velocity[i].y += acceleration[i].y * dt;
    velocity[i].z += acceleration[i].z * dt;
    bodies[i].x += velocity[i].x * dt;
    bodies[i].y += velocity[i].y * dt;
    bodies[i].z += velocity[i].z * dt;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool expect = take_expect(&argc, &argv) != 0;
  const std::size_t n = count_argument(argc, argv, 1, 2048);
  const std::size_t steps = count_argument(argc, argv, 2, 4);
  if (expect) {
    const double bodies = static_cast<double>(n), times = static_cast<double>(steps);
    print_expected({"forces", "f32", times, times * 20 * bodies * bodies, NO_CLOSED_FORM,
                    times * 12 * bodies, NO_CLOSED_FORM, NO_CLOSED_FORM});
    print_expected({"drift", "f32", times, times * 12 * bodies, NO_CLOSED_FORM, times * 24 * bodies,
                    NO_CLOSED_FORM, NO_CLOSED_FORM});
    return 0;
  }

  std::vector<Body> bodies(n);
  std::vector<Vector3> velocity(n, Vector3{0, 0, 0}), acceleration(n);
  for (std::size_t i = 0; i < n; ++i) {
    const float t = static_cast<float>(i);
    bodies[i] = {std::cos(t), std::sin(t), 0.001f * t, 1.0f / static_cast<float>(n)};
  }
  for (std::size_t step = 0; step < steps; ++step) {
    forces(bodies, acceleration);
    drift(bodies, velocity, acceleration, 1e-3f);
  }
  // Newton's third law: what the bodies gain together is nothing.
  double momentum = 0;
  for (const Vector3& v : velocity) momentum += static_cast<double>(v.x);
  momentum /= static_cast<double>(n);
  std::printf("mean momentum %.2g (0 up to rounding)\n", momentum);
  return std::fabs(momentum) < 1e-4 ? 0 : 1;
}
