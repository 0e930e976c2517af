/* What libroofmark-counted.so asks of the emulator: Valgrind client requests. Arguments are words.
 * Outside the emulator every request answers 0. */
#ifndef ROOFMARK_EMULATED_PROTOCOL_H
#define ROOFMARK_EMULATED_PROTOCOL_H

/* VG_USERREQ_TOOL_BASE('R', 'M'), spelt out so that this file needs no header of Valgrind's. */
#define ROOFMARK_REQUEST_BASE (((unsigned)'R' << 24) | ((unsigned)'M' << 16))

enum roofmark_request {
  /* first and end address of the code of libroofmark-counted.so, which is not counted
   * -> 1: the emulator listens */
  ROOFMARK_REQUEST_CONNECT = ROOFMARK_REQUEST_BASE,
  ROOFMARK_REQUEST_ENTER,      /* name, length -> number of the visit, never 0 */
  ROOFMARK_REQUEST_LEAVE,      /* number of the visit */
  ROOFMARK_REQUEST_LEAVE_NAME, /* name, length: the innermost open region of that name */
  ROOFMARK_REQUEST_DECLARE, /* number of the visit or 0: innermost; bits of two doubles: FLOP, bytes
                             */
  ROOFMARK_REQUEST_DETACH,
  ROOFMARK_REQUEST_ABANDON /* number of a visit whose end nobody saw: closed and flagged */
};

#endif
