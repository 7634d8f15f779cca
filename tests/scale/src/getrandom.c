/* Preloaded in place of the system's: the same bytes in each process, so that hashes and identifiers are the same. */
#include <sys/types.h>

ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
  static __thread unsigned state;
  for (size_t at = 0; at < length; at++) {
    state = state * 1103515245 + 12345;
    ((unsigned char *)buffer)[at] = state >> 16;
  }
  return length;
}
