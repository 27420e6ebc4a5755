/* Copyright (c) 2026 The asio_rdma authors
   Distributed under the Boost Software License, Version 1.0 (see LICENSE)

   Credits (doc/wire.md, section 4): two ends that send to each other for ever, whose users read when they like.
   Checked: nobody is blocked for good, no message finds a receiver not ready, no byte falls on one that was not read,
   no control text on one that was not read, neither end accuses the other, and credits do not go back and forth for
   ever.

   The sizes are the protocol's in small, as large as all states of both ends can be looked at. `run` has others too:
   those in which data would take every receive, were none held back. Counters are differences here, so that there is
   an end to the states. */

#ifndef RING
#define RING 2           /* bytes */
#endif
#ifndef BYTES_DUE
#define BYTES_DUE 1      /* consumed and not reported: a credit is due */
#endif
#ifndef DEPTH
#define DEPTH 8          /* receives kept posted */
#endif
#ifndef MESSAGES_DUE
#define MESSAGES_DUE 2
#endif
#ifndef RESERVE
#define RESERVE 4        /* receives that data may not use */
#endif
#ifndef SLOTS
#define SLOTS 4          /* of the mirror */
#endif
#ifndef CONTROLS_DUE
#define CONTROLS_DUE 2
#endif
#ifndef SENDERS
#define SENDERS 2        /* 1: the other end only reads */
#endif

/* From end i: is it a credit; if so, bytes and messages newly reported, else the length. In the order of sending,
   which is also that of arriving and reaping. What is in here holds one of the receiver's posted receives. */
chan wire0 = [DEPTH] of { bit, byte, byte };
chan wire1 = [DEPTH] of { bit, byte, byte };

typedef end {
  /* as a sender */
  byte unconsumed;   /* bytes sent and not reported as consumed */
  byte outstanding;  /* messages sent and not reported as reaped */
  int kinds;         /* of these, from the oldest, bit 0, on: 1 is a control message */
  byte controls;     /* control messages among them */
  byte under_way;    /* control messages sent and not reaped by the peer: their texts are still to be read */
  /* as a receiver */
  byte readable;
  byte consumed;     /* and not reported */
  byte reaped;       /* and not reported */
  byte controls_reaped;
  byte not_posted;   /* reaped, and the receive not posted again: none, but in a mutation */
};
end e[2];

byte size, m, n;


#define data_room(i) (e[i].unconsumed < RING && e[i].outstanding < DEPTH - RESERVE)
#ifdef IGNORE_SLOTS
#define control_room(i) (e[i].outstanding < DEPTH)
#else
#define control_room(i) (e[i].outstanding < DEPTH && e[i].controls < SLOTS)
#endif
#define due(i) (e[i].consumed >= BYTES_DUE || e[i].reaped >= MESSAGES_DUE || e[i].controls_reaped >= CONTROLS_DUE)

inline posted(w, i, control) {
  /* There is a receive for it: those that the peer has not reaped hold one each. */
  assert(len(w) + e[1 - i].not_posted < DEPTH);
  e[i].kinds = e[i].kinds | (control << e[i].outstanding);
  e[i].outstanding++;
  e[i].controls = e[i].controls + control
}

inline send_data(w, i) {
  /* Any length that there is room for. */
  size = 1;
  do
  :: size < RING - e[i].unconsumed -> size++
  :: break
  od;
  posted(w, i, 0);
  e[i].unconsumed = e[i].unconsumed + size;
  w!0,size,0;
  size = 0
}

inline send_credit(w, i) {
  posted(w, i, 1);
  assert(e[i].under_way < SLOTS);  /* or it would be written over a text that is still to be read */
  e[i].under_way++;
  w!1,e[i].consumed,e[i].reaped;
  e[i].consumed = 0;
  e[i].reaped = 0;
  e[i].controls_reaped = 0
}

inline reap(w, i) {  /* at end i, what came by w from the other */
  if
  :: w?0,m,n ->
    assert(e[i].reaped < DEPTH);                              /* the receiver's own check: messages */
    assert(e[i].readable + e[i].consumed + m <= RING);        /* and bytes */
    e[i].readable = e[i].readable + m
  :: w?1,m,n ->
    assert(e[i].reaped < DEPTH);
    assert(m <= e[i].unconsumed && n <= e[i].outstanding);    /* a credit that can be true */
    e[1 - i].under_way--;
    e[i].controls_reaped++;
    e[i].unconsumed = e[i].unconsumed - m;
    do
    :: n > 0 ->
      e[i].controls = e[i].controls - (e[i].kinds & 1);
      e[i].kinds = e[i].kinds >> 1;
      e[i].outstanding--;
      n--
    :: else -> break
    od
  fi;
  e[i].reaped++;
#ifdef POST_LATE
  e[i].not_posted++;
#endif
  m = 0;
  n = 0
}

inline read(i) {
  if
  :: e[i].readable > 1 -> e[i].consumed++; e[i].readable--
  :: e[i].consumed = e[i].consumed + e[i].readable; e[i].readable = 0
  fi
}

active proctype connection() {
  do
  :: atomic { data_room(0) -> send_data(wire0, 0) }
#if SENDERS == 2
  :: atomic { data_room(1) -> send_data(wire1, 1) }
#endif
  :: atomic { due(0) && control_room(0) -> send_credit(wire0, 0) }
  :: atomic { due(1) && control_room(1) -> send_credit(wire1, 1) }
  :: atomic { nempty(wire1) -> reap(wire1, 0) }
  :: atomic { nempty(wire0) -> reap(wire0, 1) }
#ifdef POST_LATE
  :: atomic { e[0].not_posted > 0 -> e[0].not_posted-- }
  :: atomic { e[1].not_posted > 0 -> e[1].not_posted-- }
#endif
#ifdef NP  /* spin's own flag for this: no cycle without progress */
  :: atomic { e[0].readable > 0 -> read(0) }; progress0: skip
  :: atomic { e[1].readable > 0 -> read(1) }; progress1: skip
#else
  :: atomic { e[0].readable > 0 -> read(0) }
  :: atomic { e[1].readable > 0 -> read(1) }
#endif
  od
}
