//go:build mpi && cgo

#define _GNU_SOURCE
#include "engine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SPINS = 64,             // tests before the first yield: about 10 µs
	SPINS_PER_NOTICE = 16,  // tests of messages between tests for a notice
	YIELD_NS = 2000000,     // after this wait a thread sleeps between tests instead of yielding its core
	SLEEP_FRACTION = 32,    // a sleep is 1/32 of the time waited so far: it delays a message by at most 3%
	MAX_SLEEP_NS = 200000,
	MAX_CALL_NS = 200000,   // the longest time in one call of atoll_wait
};

// operation is a slot with the members that Go does not use. The slot must be the first member.
typedef struct {
	atoll_slot slot;
	atoll_world *world;
	MPI_Request request, body;
	void *discarded; // memory for the body of a message that does not fit, until it has arrived; or NULL
} operation;

static operation *operation_of(atoll_slot *s) { return (operation *)s; }

static MPI_Comm channel_of(atoll_slot *s, int channel) { return operation_of(s)->world->channel[channel]; }

static atoll_slot *next_of(const atoll_slot *s) { return (atoll_slot *)s->next; }

atoll_slot *atoll_new_slot(atoll_world *w) {
	operation *o = calloc(1, sizeof *o);
	if (o == NULL)
		abort();
	o->world = w;
	return &o->slot;
}

int atoll_tag_limit(void) {
	int *limit, found;
	if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found) != MPI_SUCCESS || !found)
		return 32767; // the least limit that the MPI standard allows
	return *limit;
}

int atoll_version(char *text, int size) {
	char all[MPI_MAX_LIBRARY_VERSION_STRING];
	int n;
	if (MPI_Get_library_version(all, &n) != MPI_SUCCESS)
		return 0;
	if (n > size)
		n = size;
	memcpy(text, all, n);
	return n;
}

void atoll_error_text(int error, char *text, int size) {
	char all[MPI_MAX_ERROR_STRING] = "";
	int n;
	if (MPI_Error_string(error, all, &n) != MPI_SUCCESS)
		strcpy(all, "unknown MPI error");
	strncpy(text, all, size - 1);
	text[size - 1] = 0;
}

int atoll_open(atoll_world *w) {
	memset(w, 0, sizeof *w);
	int e = MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < ATOLL_CHANNELS && e == MPI_SUCCESS; i++) {
		e = MPI_Comm_dup(MPI_COMM_WORLD, &w->channel[i]);
		if (e == MPI_SUCCESS)
			e = MPI_Comm_set_errhandler(w->channel[i], MPI_ERRORS_RETURN);
	}
	return e == MPI_SUCCESS ? atoll_listen(w) : e;
}

int atoll_free(atoll_world *w) {
	int e = MPI_SUCCESS;
	if (w->notice_request != MPI_REQUEST_NULL) {
		MPI_Cancel(&w->notice_request);
		e = MPI_Wait(&w->notice_request, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < ATOLL_CHANNELS && e == MPI_SUCCESS; i++)
		e = MPI_Comm_free(&w->channel[i]);
	return e;
}

int atoll_abort(int code) { return MPI_Abort(MPI_COMM_WORLD, code); }

void atoll_stop(atoll_world *w) { __atomic_store_n(&w->stopped, 1, __ATOMIC_RELEASE); }

int atoll_listen(atoll_world *w) {
	int e = MPI_Irecv(w->notice, ATOLL_NOTICE, MPI_BYTE, MPI_ANY_SOURCE, 0, w->channel[ATOLL_NOTICES], &w->notice_request);
	__atomic_store_n(&w->has_notice, 0, __ATOMIC_RELEASE);
	return e;
}

int atoll_has_notice(atoll_world *w) {
	if (__atomic_load_n(&w->has_notice, __ATOMIC_ACQUIRE))
		return 1;
	if (__atomic_exchange_n(&w->testing, 1, __ATOMIC_ACQUIRE))
		return 0; // another thread is testing
	int arrived = __atomic_load_n(&w->has_notice, __ATOMIC_ACQUIRE);
	if (!arrived && w->notice_request != MPI_REQUEST_NULL) {
		MPI_Status status;
		int e = MPI_Test(&w->notice_request, &arrived, &status);
		if (e == MPI_SUCCESS && arrived)
			e = MPI_Get_count(&status, MPI_BYTE, &w->notice_length);
		if (e != MPI_SUCCESS) {
			w->notice_length = 0; // not a valid length: decoding the notice fails
			arrived = 1;
		}
		if (arrived)
			__atomic_store_n(&w->has_notice, 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&w->testing, 0, __ATOMIC_RELEASE);
	return arrived;
}

static void begin(atoll_slot *s, int send, int peer, int length) {
	s->next = 0;
	s->target = 0;
	operation_of(s)->body = MPI_REQUEST_NULL;
	s->send = send;
	s->framed = s->up_to = s->cancelled = s->rejected_body = 0;
	operation_of(s)->discarded = NULL;
	s->peer = peer;
	s->length = length;
	s->got = 0;
}

// started sets the state of a slot after MPI_Isend or MPI_Irecv has returned error.
static int started(atoll_slot *s, int error) {
	s->error = error;
	s->pending = error == MPI_SUCCESS ? ATOLL_HEAD : ATOLL_NOTHING;
	return error;
}

int atoll_post(atoll_slot *s, int channel, int send, int peer, unsigned char *buf, int length) {
	begin(s, send, peer, length);
	if (buf == NULL)
		buf = s->buffer;
	MPI_Request *r = &operation_of(s)->request;
	return started(s, send ? MPI_Isend(buf, length, MPI_BYTE, peer, 0, channel_of(s, channel), r)
	                     : MPI_Irecv(buf, length, MPI_BYTE, peer, 0, channel_of(s, channel), r));
}

void atoll_receive(atoll_slot *queue) {
	for (atoll_slot *s = queue, *next; s != NULL; s = next) {
		next = next_of(s);
		uintptr_t target = s->target;
		int up_to = s->up_to;
		begin(s, 0, s->peer, s->length);
		s->framed = 1;
		s->target = target;
		s->up_to = up_to;
		started(s, MPI_Irecv(s->buffer, ATOLL_BUFFER, MPI_BYTE, s->peer, s->tag, channel_of(s, ATOLL_MESSAGES),
		                   &operation_of(s)->request));
	}
}

// send_buffer sends the header of a message and the n bytes that follow it in the buffer.
static int send_buffer(atoll_slot *s, int tag, int n) {
	int64_t header = s->length;
	memcpy(s->buffer, &header, ATOLL_HEADER);
	return MPI_Isend(s->buffer, ATOLL_HEADER + n, MPI_BYTE, s->peer, tag, channel_of(s, ATOLL_MESSAGES),
	                 &operation_of(s)->request);
}

int atoll_send_short(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length) {
	atoll_receive(queue);
	begin(s, 1, peer, length);
	memcpy(s->buffer + ATOLL_HEADER, buf, length);
	return started(s, send_buffer(s, tag, length));
}

int atoll_send_long(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length,
                    int body_tag) {
	atoll_receive(queue);
	begin(s, 1, peer, length);
	memcpy(s->buffer + ATOLL_HEADER, &body_tag, sizeof body_tag);
	int e = send_buffer(s, tag, sizeof body_tag);
	if (e == MPI_SUCCESS)
		e = MPI_Isend(buf, length, MPI_BYTE, peer, body_tag, channel_of(s, ATOLL_BODIES), &operation_of(s)->body);
	return started(s, e);
}

int atoll_discard(atoll_slot *s, int peer, int body_tag, int64_t length) {
	begin(s, 0, peer, length);
	void *buf = malloc(length);
	if (buf == NULL)
		return started(s, MPI_ERR_NO_MEM);
	operation_of(s)->discarded = buf;
	return started(s, MPI_Irecv(buf, length, MPI_BYTE, peer, body_tag, channel_of(s, ATOLL_BODIES), &operation_of(s)->request));
}

// ended sets the state of a slot that is complete, or has failed with error.
static int ended(atoll_slot *s, int error) {
	s->pending = ATOLL_NOTHING;
	s->error = error;
	free(operation_of(s)->discarded);
	operation_of(s)->discarded = NULL;
	return 1;
}

// fits reports whether a receive accepts a message of the received length.
static int fits(const atoll_slot *s) { return s->up_to ? s->got <= s->length : s->got == s->length; }

// read_header reads the header of a message, of which n bytes have arrived. If the message is long and fits, it begins
// to receive its body and returns 0; else the slot has ended and it returns 1.
static int read_header(atoll_slot *s, int n) {
	int tag;
	if (n < ATOLL_HEADER)
		return ended(s, MPI_ERR_OTHER);
	memcpy(&s->got, s->buffer, ATOLL_HEADER);
	if (s->got == n - ATOLL_HEADER && s->got <= ATOLL_BUFFER - ATOLL_HEADER)
		return ended(s, MPI_SUCCESS);
	if (n != ATOLL_HEADER + (int)sizeof tag || s->got <= ATOLL_BUFFER - ATOLL_HEADER || s->got > INT32_MAX)
		return ended(s, MPI_ERR_OTHER);
	memcpy(&tag, s->buffer + ATOLL_HEADER, sizeof tag);
	if (tag < 0 || tag == INT32_MAX)
		return ended(s, MPI_ERR_OTHER);
	if (!fits(s)) {
		s->rejected_body = tag + 1;
		return ended(s, MPI_SUCCESS);
	}
	int e = MPI_Irecv((void *)s->target, (int)s->got, MPI_BYTE, s->peer, tag, channel_of(s, ATOLL_BODIES),
	                  &operation_of(s)->body);
	if (e != MPI_SUCCESS)
		return ended(s, e);
	s->pending = ATOLL_BODY;
	return 0;
}

int atoll_done(atoll_slot *s) {
	int done = 0, n = 0, cancelled = 0;
	MPI_Status status;
	if (s->pending == ATOLL_HEAD) {
		int e = MPI_Test(&operation_of(s)->request, &done, &status);
		if (e != MPI_SUCCESS)
			return ended(s, e);
		if (!done)
			return 0;
		if (s->cancelled && MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled) {
			s->cancelled = ATOLL_CANCELLED;
			return ended(s, MPI_SUCCESS);
		}
		if (s->send) {
			if (operation_of(s)->body == MPI_REQUEST_NULL)
				return ended(s, MPI_SUCCESS);
			s->pending = ATOLL_BODY;
		} else {
			if ((e = MPI_Get_count(&status, MPI_BYTE, &n)) != MPI_SUCCESS)
				return ended(s, e);
			s->got = n;
			if (!s->framed)
				return ended(s, MPI_SUCCESS);
			if (read_header(s, n))
				return 1;
		}
	}
	if (s->pending == ATOLL_BODY) {
		int e = MPI_Test(&operation_of(s)->body, &done, MPI_STATUS_IGNORE);
		return e == MPI_SUCCESS && !done ? 0 : ended(s, e);
	}
	return s->pending == ATOLL_NOTHING;
}

static int failed(const atoll_slot *s) {
	return s->error != MPI_SUCCESS || (!s->send && !fits(s));
}

int atoll_cancel(atoll_slot *s) {
	s->cancelled = ATOLL_CANCELLING;
	return s->pending == ATOLL_HEAD ? MPI_Cancel(&operation_of(s)->request) : MPI_SUCCESS;
}

// advance returns the first slot that is pending or has failed. Every test makes progress on all MPI requests, but the
// receive of a body is posted only when the header is tested. So advance tests the headers of all long messages.
static atoll_slot *advance(atoll_slot *s) {
	while (s != NULL && atoll_done(s) && !failed(s))
		s = next_of(s);
	for (atoll_slot *later = s != NULL ? next_of(s) : NULL; later != NULL; later = next_of(later))
		if (later->pending == ATOLL_HEAD && later->target != 0)
			atoll_done(later);
	return s;
}

static int interrupted(atoll_world *w) {
	return __atomic_load_n(&w->stopped, __ATOMIC_ACQUIRE) || atoll_has_notice(w);
}

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// yield_core lets other threads use the core: for a scheduling round, or longer if the thread has waited long.
static void yield_core(int64_t waited) {
	if (waited < YIELD_NS) {
		sched_yield();
		return;
	}
	int64_t sleep = waited / SLEEP_FRACTION;
	struct timespec t = {0, sleep < MAX_SLEEP_NS ? sleep : MAX_SLEEP_NS};
	nanosleep(&t, NULL);
}

atoll_slot *atoll_wait(atoll_slot *s, int64_t waited) {
	atoll_world *w = operation_of(s)->world;
	int spins = waited == 0 ? SPINS : 1;
	for (int i = 1; i <= spins; i++) {
		s = advance(s);
		if (s == NULL || !s->pending)
			return s;
		if (i % SPINS_PER_NOTICE == 0 && interrupted(w))
			return s;
	}
	int64_t began = now();
	for (;;) {
		int64_t elapsed = now() - began;
		if (elapsed > MAX_CALL_NS || interrupted(w))
			return s;
		yield_core(waited + elapsed);
		s = advance(s);
		if (s == NULL || !s->pending)
			return s;
	}
}

atoll_slot *atoll_exchange(atoll_slot *in, int source, atoll_slot *out, int dest, int length, int *error) {
	atoll_slot *first = NULL;
	*error = MPI_SUCCESS;
	if (source >= 0) {
		*error = atoll_post(in, ATOLL_COLLECTIVES, 0, source, NULL, ATOLL_BUFFER);
		in->up_to = 1;
		first = in;
	}
	if (dest >= 0 && *error == MPI_SUCCESS) {
		*error = atoll_post(out, ATOLL_COLLECTIVES, 1, dest, NULL, length);
		if (first != NULL)
			in->next = (uintptr_t)out;
		else
			first = out;
	}
	return *error == MPI_SUCCESS ? atoll_wait(first, 0) : NULL;
}
