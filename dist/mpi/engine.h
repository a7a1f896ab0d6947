// The part of the transport that speaks MPI. Requests, and the memory that MPI keeps between calls, live on this side;
// longer messages travel straight from and into pinned memory of Go. Every function returns soon.

#ifndef ATOLL_MPI_ENGINE_H
#define ATOLL_MPI_ENGINE_H

#include <mpi.h>
#include <stdint.h>

enum {
	ATOLL_STAGE = 4096,  // bytes of a slot's own memory
	ATOLL_HEADER = 8,    // bytes before a message there: its length
	ATOLL_NOTICE = 1024, // bytes of a notice
};

// Lanes are duplicates of MPI_COMM_WORLD: messages of one never match receives of another.
enum { ATOLL_MESSAGES, ATOLL_BODIES, ATOLL_ROUNDS, ATOLL_NOTICES, ATOLL_LANES };

typedef struct atoll_world {
	MPI_Comm lane[ATOLL_LANES];
	int down;    // set once the run has failed: nothing waits any more
	int noticed; // a notice is in the buffer
	int testing; // some thread tests for notices
	MPI_Request listening;
	int notice_length;
	unsigned char notice[ATOLL_NOTICE];
} atoll_world;

// What a slot is waiting for.
enum { ATOLL_NOTHING, ATOLL_QUEUED, ATOLL_HEAD, ATOLL_BODY };

// atoll_slot is a send or receive, as far as Go looks into it. It holds no pointer, so that cgo need not check in every
// call what a pointer points to.
//
// A message begins with its length. A short one holds its bytes after that; a long one holds the tag of its body, which
// travels on a lane of its own. So the receiver knows the length before it names the memory for the bytes. MPI would
// allow to receive into memory that may be too short, but Open MPI 4.1 writes beyond its end over shared memory.
typedef struct atoll_slot {
	uintptr_t next;   // the slot after this one, of those that one call waits for, or 0
	uintptr_t target; // of a long receive, or 0
	int pending;      // for what
	int send;
	int framed;    // the message begins with its length
	int any;       // a receive of up to length bytes, not of exactly so many
	int withdrawn; // 1 when MPI was asked to take it back, 2 when it did
	int peer, tag;
	int error;    // what MPI returned
	int length;   // of the bytes, of a receive as expected
	int unwanted; // the tag of a body that does not fit, plus one
	int64_t got;  // bytes received, or of a message that does not fit
	unsigned char stage[ATOLL_STAGE];
} atoll_slot;

atoll_slot *atoll_new_slot(atoll_world *w);

int atoll_tag_limit(void);
int atoll_version(char *text, int size);
void atoll_error_text(int error, char *text, int size);

int atoll_open(atoll_world *w);
int atoll_free(atoll_world *w);
int atoll_abort(int code);
void atoll_down(atoll_world *w);

// The following begin a message. That of a short send is copied. The memory of a long one is used until it ends;
// body_tag tells it from others to the same peer. Receives that are queued are posted first.
int atoll_send_short(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length);
int atoll_send_long(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length,
                    int body_tag);

// atoll_receive posts receives that Go has queued, by setting pending, peer, tag, length, any and target, which is 0
// where no message can be long. A short message leaves its bytes in the slot's own memory, after the header. What MPI
// says of each is in its error.
void atoll_receive(atoll_slot *queue);

// atoll_discard begins to receive a body that nobody wants, so that its send can end.
int atoll_discard(atoll_slot *s, int peer, int body_tag, int64_t length);

// atoll_post begins a send or receive of bytes alone, between ranks that agree on the length. With buf NULL they are,
// or will be, in the slot's own memory.
int atoll_post(atoll_slot *s, int lane, int send, int peer, unsigned char *buf, int length);

// atoll_wait returns NULL when s and all after it are complete, or the first that failed, which is no longer pending.
// When nothing has ended for some 200 µs, or a notice has come, or the run is down, it returns the first that is
// pending. waited is how long, in nanoseconds, the caller has waited so far: it gives way the more the longer.
atoll_slot *atoll_wait(atoll_slot *s, int64_t waited);

// atoll_trade posts a receive into in's own memory and a send from out's, and waits for both as atoll_wait does. A rank
// of -1 leaves out its direction. *error is what posting returned.
atoll_slot *atoll_trade(atoll_slot *in, int from, atoll_slot *out, int to, int length, int *error);

// atoll_done tests once and reports whether the slot is no longer pending.
int atoll_done(atoll_slot *s);

// atoll_cancel asks MPI to take a receive back; the slot ends as withdrawn, or with the message.
int atoll_cancel(atoll_slot *s);

// atoll_noticed reports whether a notice is there to be read; atoll_listen makes room for the next.
int atoll_noticed(atoll_world *w);
int atoll_listen(atoll_world *w);

#endif
