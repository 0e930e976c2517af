#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int main(void) {
  static unsigned char plain[300000], packed[400000], again[300000];
  for (size_t i = 0; i < sizeof plain; ++i) plain[i] = (unsigned char)(i * i >> 7);
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (deflateInit(&stream, 6) != Z_OK) return 1;
  stream.next_out = packed;
  stream.avail_out = sizeof packed;
  for (int part = 0; part < 3; ++part) {
    stream.next_in = plain + part * 100000;
    stream.avail_in = 100000;
    if (deflate(&stream, part == 2 ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) return 2;
  }
  uLongf size = sizeof again;
  const uLong packed_size = stream.total_out;
  deflateEnd(&stream);
  if (uncompress(again, &size, packed, packed_size) != Z_OK || memcmp(plain, again, size) != 0)
    return 3;
  printf("%lu %lu\n", (unsigned long)packed_size, (unsigned long)crc32(0, again, (uInt)size));
  return 0;
}
