/* Loaded while the program runs. */
int plugin_once(int a);
int plugin_twice(int a);
int plugin_once(int a) {
  return a + 1;
}
int plugin_twice(int a) {
  return plugin_once(a) + plugin_once(a);
}
