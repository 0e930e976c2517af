double work(double value, int times) {
  for (int i = 0; i < times; ++i) value = value * 1.001;
  return value;
}
