// The part of the transport that calls MPI. It allocates the MPI requests and the memory that MPI uses between calls;
// long messages are sent from and received into pinned memory of Go. Every function returns within about 200 µs.

#ifndef ATOLL_MPI_ENGINE_H
#define ATOLL_MPI_ENGINE_H

#include <mpi.h>
#include <stdint.h>

enum {
	ATOLL_BUFFER = 4096,  // bytes of a slot's own memory
	ATOLL_HEADER = 8,    // bytes of a message's header, its length
	ATOLL_NOTICE = 1024, // largest size of a notice in bytes
};

// Channels are duplicates of MPI_COMM_WORLD: messages of one never match receives of another.
enum { ATOLL_MESSAGES, ATOLL_BODIES, ATOLL_COLLECTIVES, ATOLL_NOTICES, ATOLL_CHANNELS };

typedef struct atoll_world {
	MPI_Comm channel[ATOLL_CHANNELS];
	int stopped;    // the run has failed: atoll_wait returns at once
	int has_notice; // a notice is in the buffer notice
	int testing;    // a thread is testing for a notice
	MPI_Request notice_request;
	int notice_length;
	unsigned char notice[ATOLL_NOTICE];
} atoll_world;

// The states of a slot: what it is waiting for.
enum {
	ATOLL_NOTHING, // complete or failed
	ATOLL_QUEUED,  // a receive that is not posted yet
	ATOLL_HEAD,    // a message without a header, a short message, or the header of a long one
	ATOLL_BODY,    // the body of a long message
};

// States of the cancellation of a receive.
enum {
	ATOLL_NOT_CANCELLED,
	ATOLL_CANCELLING, // MPI_Cancel was called
	ATOLL_CANCELLED,  // MPI has cancelled the receive
};

// atoll_slot is the part of a send or receive that Go reads and writes. It holds no C pointers, so that cgo does not
// check in every call what they point to.
//
// A message begins with a header, its length. In a short message its bytes follow; in a long one the tag of its body,
// which is sent on the channel ATOLL_BODIES. So the receiver knows the length before it posts the receive of the body.
// MPI would allow posting a receive into memory that may be too small, but Open MPI 4.1 then writes beyond its end over
// shared memory.
typedef struct atoll_slot {
	uintptr_t next;   // the next slot in the list that one call waits for, or 0
	uintptr_t target; // memory for the body of a long receive, or 0
	int pending;      // the state
	int send;         // 1 for a send, 0 for a receive
	int framed;       // the message has a header
	int up_to;        // the receive accepts up to length bytes, not only exactly length
	int cancelled;    // the state of the cancellation
	int peer, tag;
	int error;         // error code of MPI
	int length;        // bytes of a send; bytes that a receive expects
	int rejected_body; // the tag of a body that does not fit the receive, plus one; or 0
	int64_t got;       // bytes received, or the length of a message that does not fit
	unsigned char buffer[ATOLL_BUFFER];
} atoll_slot;

atoll_slot *atoll_new_slot(atoll_world *w);

int atoll_tag_limit(void);
int atoll_version(char *text, int size);
void atoll_error_text(int error, char *text, int size);

int atoll_open(atoll_world *w);
int atoll_free(atoll_world *w);
int atoll_abort(int code);
void atoll_stop(atoll_world *w);

// The following two post the receives in queue, then begin a send. atoll_send_short copies the bytes. atoll_send_long
// uses buf until the slot is complete; body_tag distinguishes its body from other bodies to the same peer.
int atoll_send_short(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length);
int atoll_send_long(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length,
                    int body_tag);

// atoll_receive posts a queue of receives, in which Go has set pending, peer, tag, length, up_to and target; target is
// 0 if the message cannot be long. A short message is received into the slot's own memory, after the header. Errors of
// MPI are stored in the slots.
void atoll_receive(atoll_slot *queue);

// atoll_discard begins to receive the body of a message that does not fit its receive, so that its send completes.
int atoll_discard(atoll_slot *s, int peer, int body_tag, int64_t length);

// atoll_post begins a send or receive without a header, between ranks that both know the length. If buf is NULL, the
// bytes are in the slot's own memory.
int atoll_post(atoll_slot *s, int channel, int send, int peer, unsigned char *buf, int length);

// atoll_wait returns NULL when s and all slots after it are complete, or the first slot that failed, which is no longer
// pending. After about 200 µs, or when a notice has arrived, or after atoll_stop, it returns the first pending slot.
// waited is how long, in nanoseconds, the caller has waited so far: the longer, the longer are the sleeps between
// tests.
atoll_slot *atoll_wait(atoll_slot *s, int64_t waited);

// atoll_exchange posts a receive from rank source into in's own memory, and a send of length bytes of out's own memory
// to rank dest, and waits for both as atoll_wait does. Rank -1 means no message in that direction. *error is the error
// code of posting.
atoll_slot *atoll_exchange(atoll_slot *in, int source, atoll_slot *out, int dest, int length, int *error);

// atoll_done tests once and reports whether the slot is complete or failed.
int atoll_done(atoll_slot *s);

// atoll_cancel asks MPI to cancel a receive. The slot then ends cancelled or, if the message has arrived, complete.
int atoll_cancel(atoll_slot *s);

// atoll_has_notice reports whether a notice has arrived; atoll_listen posts the receive of the next one.
int atoll_has_notice(atoll_world *w);
int atoll_listen(atoll_world *w);

#endif
