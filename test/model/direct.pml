/* Copyright (c) 2026 The asio_rdma authors
 * Distributed under the Boost Software License, Version 1.0 (see LICENSE)
 *
 * One direction of a stream whose reader offers memory: own_adverts and peer_adverts (src/transfer), with the rules of
 * doc/wire.md. Bytes go through the ring or into memory that was offered, in any mixture; offers cross data, are asked
 * back, and end early. No byte is lost, doubled or out of order, and nothing is written into memory that its owner has
 * back.
 *
 * Mutations: STALE, the writer uses an offer made before data that it had sent already; EARLY, the reader takes memory
 * back without an answer; AFTER_FIN, the writer still ends an offer after its fin.
 */
#ifndef BYTES
#define BYTES 4
#endif
#ifndef OFFERS
#define OFFERS 4  /* in all */
#endif
#define OPEN 2      /* at once */
#define LENGTH 2    /* bytes of each */
#define NOTHING 255

mtype = { DATA, DIRECT, FIN, WITHDRAWN, ADVERT, WITHDRAW };
chan to_reader = [3] of { mtype, byte, bool };
chan to_writer = [4] of { mtype, byte };
chan ring = [BYTES] of { byte };

active proctype writer() {
  byte next = 0, ring_messages = 0, held = 0, used = 0, then;
  bool fin = false, answer = false, ends;
end:
  do
  :: atomic { next < BYTES && nfull(to_reader) ->
       to_reader!DATA(next, false); next++; ring_messages++; held = 0; used = 0 }
  :: atomic { next < BYTES && held > 0 && nfull(to_reader) ->
       if :: ends = true :: ends = false fi;
       to_reader!DIRECT(next, ends); next++; used++;
       if :: ends || used == LENGTH -> held--; used = 0 :: else fi }
  :: atomic { used > 0 && nfull(to_reader) -> to_reader!DIRECT(NOTHING, true); held--; used = 0 }
  :: atomic { next == BYTES && !fin && nfull(to_reader) ->
       to_reader!FIN(0, false); fin = true;
#ifndef AFTER_FIN
       held = 0; used = 0
#endif
     }
  :: atomic { to_writer?ADVERT(then) ->
#ifndef STALE
       if :: then == ring_messages -> held++ :: else fi;
#else
       held++;
#endif
       assert(held <= OPEN) }
  :: atomic { to_writer?WITHDRAW(then) -> held = 0; used = 0; answer = true }
  :: atomic { answer && nfull(to_reader) -> to_reader!WITHDRAWN(0, false); answer = false }
  od
}

byte filled[OPEN];
bool over[OPEN];
byte first[OPEN], second[OPEN];
byte begin = 0, end_ = 0, expected = 0;

#define PLACE(i) ((i) % OPEN)

inline pass_over() {
  i = begin;
  do :: i < end_ -> over[PLACE(i)] = true; i++ :: else -> break od
}

active proctype reader() {
  byte b, i, ring_messages = 0, offers = 0;
  bool ends, fin = false, asked = false;
  do
  :: atomic { to_reader?DATA(b, ends) -> assert(!fin); ring!b; ring_messages++; pass_over() }
  :: atomic { to_reader?FIN(b, ends) -> assert(!fin); fin = true; pass_over() }
  :: atomic { to_reader?WITHDRAWN(b, ends) -> assert(asked); asked = false; pass_over() }
  :: atomic { to_reader?DIRECT(b, ends) ->
       assert(!fin);
       i = begin;
       do :: i < end_ && over[PLACE(i)] -> i++ :: else -> break od;
       assert(i < end_);  /* or it is written into memory that its owner has back */
       if
       :: b != NOTHING ->
            if :: filled[PLACE(i)] == 0 -> first[PLACE(i)] = b :: else -> second[PLACE(i)] = b fi;
            filled[PLACE(i)]++
       :: else
       fi;
       over[PLACE(i)] = ends || filled[PLACE(i)] == LENGTH }
  :: atomic { offers < OFFERS && end_ - begin < OPEN && !asked && empty(ring) && !fin && nfull(to_writer) ->
       filled[PLACE(end_)] = 0; over[PLACE(end_)] = false; end_++; offers++;
       to_writer!ADVERT(ring_messages) }
  :: atomic { begin < end_ && !over[PLACE(end_ - 1)] && !asked && nfull(to_writer) ->
       to_writer!WITHDRAW(0); asked = true;
#ifdef EARLY
       pass_over()
#endif
     }
  :: atomic { begin < end_ && over[PLACE(begin)] ->
       if :: filled[PLACE(begin)] > 0 -> assert(first[PLACE(begin)] == expected); expected++ :: else fi;
       if :: filled[PLACE(begin)] > 1 -> assert(second[PLACE(begin)] == expected); expected++ :: else fi;
       begin++ }
  :: atomic { begin == end_ && nempty(ring) -> ring?b; assert(b == expected); expected++ }
  :: atomic { fin && begin == end_ && empty(ring) -> assert(expected == BYTES); break }
  od
}
