// Repeatable noise of sensors: xorshift64* and the polar form of Box and Muller's method.
#pragma once

#include <cmath>
#include <cstdint>

namespace arm {

class Noise {
 public:
  void Seed(uint64_t seed) noexcept {
    state_ = seed * 0x9E3779B97F4A7C15u + 0x2545F4914F6CDD1Du;
    if (state_ == 0) state_ = 1;
    has_spare_ = false;
  }

  // Draws from a normal distribution of mean 0; costs nothing for a deviation of 0.
  double Normal(double deviation) noexcept {
    if (!(deviation > 0)) return 0;
    if (has_spare_) {
      has_spare_ = false;
      return deviation * spare_;
    }
    double u, v, square;
    do {
      u = Uniform();
      v = Uniform();
      square = u * u + v * v;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = v * scale;
    has_spare_ = true;
    return deviation * u * scale;
  }

 private:
  // In (-1, 1).
  double Uniform() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<double>((state_ * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-52 - 1;
  }

  uint64_t state_ = 1;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace arm
