/* Copyright (c) 2026 The asio_rdma authors
   Distributed under the Boost Software License, Version 1.0 (see LICENSE)

   Fin and close (doc/wire.md, section 5; src/socket/connection_close.cpp): two ends, each of which writes some bytes,
   ends its direction or not, closes in order or at once, and reads as long as it likes. Checked: whoever reads gets
   an exact prefix of what was written; eof comes behind the last byte and never before it; whoever closes in order
   and is read from has delivered everything, and its peer sees no reset; both ends come to their end. */

#ifndef BYTES
#define BYTES 2  /* that each end may write */
#endif
#ifndef RING
#define RING 1
#endif
#define MESSAGES (2 * BYTES + 1)

mtype = { DATA, FIN, CREDIT };

/* Requests of an end that its device has not got through; what has arrived at an end and waits in its completion
   queue. */
chan wire0 = [MESSAGES] of { mtype, byte };
chan wire1 = [MESSAGES] of { mtype, byte };
chan arrived0 = [MESSAGES] of { mtype, byte };
chan arrived1 = [MESSAGES] of { mtype, byte };

typedef end {
  byte written;    /* bytes taken over from the user */
  byte sent;
  byte credited;   /* of these, consumed by the peer as far as known */
  byte received;
  byte consumed;
  byte reported;
  bit shut;        /* no more is written: fin follows */
  bit fin_sent, fin_arrived, fin_acknowledged;
  bit fin_received;
  bit closed;      /* by its user */
  bit in_order;    /* so that all is to be delivered */
  bit gave_up;     /* lingered for so long that nobody can be expected to read */
  bit goodbye;     /* the peer's connection manager is told */
  bit peer_gone;   /* the peer's goodbye has arrived */
  bit reset;       /* the peer went without a fin */
  bit over;        /* its queue pair is destroyed */
  bit told;        /* its user knows how the other direction ended */
};
end e[2];

mtype kind;
byte value;

/* Its queue pair sends and receives. */
#define works(i) (!e[i].over && !e[i].reset && !e[i].peer_gone)

inline destroy(i, wire) {  /* what was not sent yet is lost */
  e[i].over = 1;
  e[i].goodbye = 1;
  do
  :: wire?kind,value
  :: empty(wire) -> break
  od
}

inline reap(i, arrived) {
  arrived?kind,value;
  if
  :: kind == DATA ->
    assert(value == e[i].received && !e[i].fin_received);
    e[i].received++;
    assert(e[i].received - e[i].consumed <= RING)
  :: kind == FIN -> assert(!e[i].fin_received); e[i].fin_received = 1
  :: kind == CREDIT -> assert(value <= e[i].sent); e[i].credited = value
  fi;
  kind = 0;
  value = 0
}

inline close(i, wire) {
  e[i].closed = 1;
  if
  :: works(i) -> e[i].shut = 1; e[i].in_order = 1
  :: else -> destroy(i, wire)
  fi
}

inline arrive(i, wire, arrived) {  /* at end i */
  wire?kind,value;
  if
  :: works(i) ->
    arrived!kind,value;
    if
    :: kind == FIN -> e[1 - i].fin_arrived = 1
    :: else
    fi
  :: else  /* nobody answers */
  fi;
  kind = 0;
  value = 0
}

inline hear_goodbye(i, arrived) {
#ifndef WITHOUT_DRAINING
  /* What was acknowledged to the peer is here, if nobody has looked at it yet. */
  do
  :: nempty(arrived) -> reap(i, arrived)
  :: empty(arrived) -> break
  od;
#endif
  e[i].peer_gone = 1;
  if
  :: !e[i].fin_received -> e[i].reset = 1; e[i].goodbye = 1
  :: else
  fi
}

#ifdef HASTY_GOODBYE
#define has_delivered(i) (e[i].fin_sent)
#else
#define has_delivered(i) (e[i].fin_acknowledged)
#endif
#ifdef HASTY_FIN
#define is_empty(i) (true)
#else
#define is_empty(i) (e[i].sent == e[i].written)
#endif

#define STEPS(i, wire, arrived, from) \
  /* the user */ \
  :: atomic { works(i) && !e[i].shut && e[i].written < BYTES -> e[i].written++ } \
  :: atomic { works(i) && !e[i].shut -> e[i].shut = 1 } \
  :: atomic { !e[i].closed -> close(i, wire) } \
  :: atomic { !e[i].closed -> e[i].closed = 1; destroy(i, wire) } \
  :: atomic { !e[i].closed && e[i].received > e[i].consumed -> e[i].consumed++ } \
  :: atomic { !e[i].closed && !e[i].told && e[i].received == e[i].consumed && e[i].fin_received -> \
       assert(e[1 - i].shut && e[i].consumed == e[1 - i].written); \
       e[i].told = 1 } \
  :: atomic { !e[i].closed && !e[i].told && e[i].received == e[i].consumed && e[i].reset && !e[i].fin_received -> \
       assert(!e[1 - i].in_order || e[1 - i].gave_up); \
       e[i].told = 1 } \
  /* the connection */ \
  :: atomic { works(i) && e[i].sent < e[i].written && e[i].sent - e[i].credited < RING -> \
       wire!DATA,e[i].sent; \
       e[i].sent++ } \
  :: atomic { works(i) && e[i].shut && !e[i].fin_sent && is_empty(i) -> wire!FIN,0; e[i].fin_sent = 1 } \
  :: atomic { works(i) && e[i].consumed > e[i].reported && !e[i].fin_received -> \
       wire!CREDIT,e[i].consumed; \
       e[i].reported = e[i].consumed } \
  :: atomic { works(i) && nempty(arrived) -> reap(i, arrived) } \
  :: atomic { works(i) && e[i].fin_arrived && !e[i].fin_acknowledged -> e[i].fin_acknowledged = 1 } \
  :: atomic { e[i].closed && !e[i].over && (has_delivered(i) || !works(i)) -> destroy(i, wire) } \
  /* the network */ \
  :: atomic { nempty(from) -> arrive(i, from, arrived) } \
  :: atomic { e[1 - i].goodbye && !e[i].over && !e[i].peer_gone -> hear_goodbye(i, arrived) }

active proctype connection() {
  do
  STEPS(0, wire0, arrived0, wire1)
  STEPS(1, wire1, arrived1, wire0)
  :: atomic { e[0].over && e[1].over -> break }
  :: atomic { timeout ->  /* of lingering */
       if
       :: e[0].closed && !e[0].over -> e[0].gave_up = 1; destroy(0, wire0)
       :: e[1].closed && !e[1].over -> e[1].gave_up = 1; destroy(1, wire1)
       fi }
  od
}
