/* Copyright (c) 2026 The asio_rdma authors
   Distributed under the Boost Software License, Version 1.0 (see LICENSE)

   Messages (doc/wire.md, sections 3 and 4): one end sends messages of any size, the empty one and such as do not fit
   into the ring among them, in parts of any size, and may give up in the middle of one; the other reads them in
   parts. Checked: each message is read with the length that it was sent with, half a message is never taken for one,
   eof comes behind the last of them, no more of them wait to be read than there are receives, and nobody is blocked
   for good. */

#ifndef RING
#define RING 2
#endif
#ifndef DEPTH
#define DEPTH 3          /* receives that data may take */
#endif
#ifndef LONGEST
#define LONGEST 3        /* bytes of a message */
#endif
#ifndef MESSAGES
#define MESSAGES 5
#endif

mtype = { DATA, END, FIN };

chan wire = [DEPTH] of { mtype, byte };  /* what is in here holds a posted receive each */
chan credits = [DEPTH] of { byte, byte };  /* bytes and messages newly reported */
chan sizes = [MESSAGES] of { byte };     /* of messages whose end was sent and not read */

/* The sender: what is left to stage of the message, and what was staged and not sent. */
byte begun;
bit within;        /* a message was begun and not ended */
byte size;         /* of this message */
byte left;
byte unconsumed;
byte outstanding;
bit given_up;
bit fin_sent;

/* The receiver. */
chan ends = [DEPTH] of { byte };         /* how many bytes each complete message still has */
byte part;         /* bytes that have come of the message whose end has not */
byte readable;
byte taken;        /* of the message that is being read */
byte consumed;     /* not reported */
byte reaped;       /* not reported */
bit fin_received;
bit told;

mtype kind;
byte n, m;

#define data_room (outstanding < DEPTH && !given_up)

inline post(what, length) {
  assert(nfull(wire));
  wire!what,length;
  unconsumed = unconsumed + length;
  outstanding++
}

active proctype sender() {
  do
  :: atomic { !within && !given_up && !fin_sent && begun < MESSAGES ->
       select(size : 0 .. LONGEST);
       left = size;
       within = 1;
       begun++ }
  :: atomic { within && data_room && left > 0 && unconsumed < RING ->
       /* A part: as the end if all that is left is in it, or as data. */
       n = 1;
       do
       :: n < left && n < RING - unconsumed -> n++
       :: break
       od;
       left = left - n;
       if
       :: left == 0 -> post(END, n); within = 0; sizes!size
       :: post(DATA, n)
       fi;
       n = 0 }
  :: atomic { within && data_room && left == 0 -> post(END, 0); within = 0; sizes!size }
#ifdef RUN_TOGETHER
  /* What is left of one message and all of the next as if they were one. */
  :: atomic { within && data_room && left > 0 && left + 1 <= RING - unconsumed && begun < MESSAGES ->
       sizes!size;
       begun++;
       post(END, left + 1);
       left = 0;
       within = 0;
       sizes!1 }
#endif
  :: atomic { within && !given_up ->  /* cancelled: no fin may follow */
#ifdef FIN_WITHIN
       within = 0
#else
       given_up = 1
#endif
     }
  :: atomic { !within && !given_up && !fin_sent && nfull(wire) -> wire!FIN,0; fin_sent = 1 }
  :: atomic { credits?n,m ->
       assert(n <= unconsumed && m <= outstanding);
       unconsumed = unconsumed - n;
       outstanding = outstanding - m;
       n = 0;
       m = 0 }
  :: atomic { told -> break }
  od
}

inline at_end() {
  ends?n;
  sizes?m;
  assert(taken == m);  /* as long as it was sent */
  taken = 0;
#ifndef COUNT_EARLY
  reaped++;
#endif
  n = 0;
  m = 0
}

active proctype receiver() {
  byte k, l;
  do
  :: atomic { wire?kind,k ->
       if
       :: kind == FIN -> assert(part == 0); fin_received = 1  /* not within a message */
       :: kind == DATA -> part = part + k; reaped++
       :: kind == END ->
         assert(nfull(ends));  /* they have room */
         ends!part + k;
         part = 0
#ifdef COUNT_EARLY
         ; reaped++
#endif
       fi;
       readable = readable + k;
       assert(readable <= RING);
       kind = 0;
       k = 0 }
  /* The user takes some of the oldest message, whether all of it has come or not. */
  :: atomic { nempty(ends) -> ends?<l>;
       /* l: bytes of the oldest message that came; a part of them was read before its end came. */
       if
       :: l > taken -> readable--; consumed++; taken++
       :: else -> at_end()
       fi;
       l = 0 }
  :: atomic { empty(ends) && readable > 0 -> readable--; consumed++; taken++ }
  :: atomic { (consumed > 0 || reaped > 0) && nfull(credits) ->
       credits!consumed,reaped;
       consumed = 0;
       reaped = 0 }
  :: atomic { fin_received && empty(ends) && readable == 0 ->
       assert(empty(sizes) && taken == 0);
       told = 1;
       break }
  :: atomic { given_up && empty(wire) && empty(ends) && readable == 0 ->
       /* A reset, behind what has come: of a message that was not finished, perhaps, but of no other. */
       assert(empty(sizes));
       told = 1;
       break }
  od
}
