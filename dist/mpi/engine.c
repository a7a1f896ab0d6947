//go:build mpi && cgo

#define _GNU_SOURCE
#include "engine.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	SPINS = 64,          // tests before the first yield: some 10 µs
	SPINS_A_LOOK = 16,   // tests between looks at notices
	YIELD_NS = 2000000,  // from then on a waiting thread sleeps
	NAP_SHARE = 32,      // a nap is this share of the time waited so far, so that it adds 3% at most
	NAP_MOST_NS = 200000,
	STAY_NS = 200000,    // the longest stay in one call
};

// entry is the whole of a slot, which comes first in it.
typedef struct {
	atoll_slot slot;
	atoll_world *world;
	MPI_Request request, body;
	void *scrap; // memory for a body that nobody wants, until it has come
} entry;

static entry *whole(atoll_slot *s) { return (entry *)s; }

static MPI_Comm lane_of(atoll_slot *s, int lane) { return whole(s)->world->lane[lane]; }

static atoll_slot *next_of(const atoll_slot *s) { return (atoll_slot *)s->next; }

atoll_slot *atoll_new_slot(atoll_world *w) {
	entry *e = calloc(1, sizeof *e);
	if (e == NULL)
		abort();
	e->world = w;
	return &e->slot;
}

int atoll_tag_limit(void) {
	int *limit, found;
	if (MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &found) != MPI_SUCCESS || !found)
		return 32767; // what every MPI offers
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
	for (int i = 0; i < ATOLL_LANES && e == MPI_SUCCESS; i++) {
		e = MPI_Comm_dup(MPI_COMM_WORLD, &w->lane[i]);
		if (e == MPI_SUCCESS)
			e = MPI_Comm_set_errhandler(w->lane[i], MPI_ERRORS_RETURN);
	}
	return e == MPI_SUCCESS ? atoll_listen(w) : e;
}

int atoll_free(atoll_world *w) {
	int e = MPI_SUCCESS;
	if (w->listening != MPI_REQUEST_NULL) {
		MPI_Cancel(&w->listening);
		e = MPI_Wait(&w->listening, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < ATOLL_LANES && e == MPI_SUCCESS; i++)
		e = MPI_Comm_free(&w->lane[i]);
	return e;
}

int atoll_abort(int code) { return MPI_Abort(MPI_COMM_WORLD, code); }

void atoll_down(atoll_world *w) { __atomic_store_n(&w->down, 1, __ATOMIC_RELEASE); }

int atoll_listen(atoll_world *w) {
	int e = MPI_Irecv(w->notice, ATOLL_NOTICE, MPI_BYTE, MPI_ANY_SOURCE, 0, w->lane[ATOLL_NOTICES], &w->listening);
	__atomic_store_n(&w->noticed, 0, __ATOMIC_RELEASE);
	return e;
}

int atoll_noticed(atoll_world *w) {
	if (__atomic_load_n(&w->noticed, __ATOMIC_ACQUIRE))
		return 1;
	if (__atomic_exchange_n(&w->testing, 1, __ATOMIC_ACQUIRE))
		return 0; // another thread looks
	int here = __atomic_load_n(&w->noticed, __ATOMIC_ACQUIRE);
	if (!here && w->listening != MPI_REQUEST_NULL) {
		MPI_Status status;
		int e = MPI_Test(&w->listening, &here, &status);
		if (e == MPI_SUCCESS && here)
			e = MPI_Get_count(&status, MPI_BYTE, &w->notice_length);
		if (e != MPI_SUCCESS) {
			w->notice_length = 0; // which no notice has: the reader refuses it
			here = 1;
		}
		if (here)
			__atomic_store_n(&w->noticed, 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&w->testing, 0, __ATOMIC_RELEASE);
	return here;
}

static void begin(atoll_slot *s, int send, int peer, int length) {
	s->next = 0;
	s->target = 0;
	whole(s)->body = MPI_REQUEST_NULL;
	s->send = send;
	s->framed = s->any = s->withdrawn = s->unwanted = 0;
	whole(s)->scrap = NULL;
	s->peer = peer;
	s->length = length;
	s->got = 0;
}

static int begun(atoll_slot *s, int error) {
	s->error = error;
	s->pending = error == MPI_SUCCESS ? ATOLL_HEAD : ATOLL_NOTHING;
	return error;
}

int atoll_post(atoll_slot *s, int lane, int send, int peer, unsigned char *buf, int length) {
	begin(s, send, peer, length);
	if (buf == NULL)
		buf = s->stage;
	MPI_Request *r = &whole(s)->request;
	return begun(s, send ? MPI_Isend(buf, length, MPI_BYTE, peer, 0, lane_of(s, lane), r)
	                     : MPI_Irecv(buf, length, MPI_BYTE, peer, 0, lane_of(s, lane), r));
}

void atoll_receive(atoll_slot *queue) {
	for (atoll_slot *s = queue, *next; s != NULL; s = next) {
		next = next_of(s);
		uintptr_t target = s->target;
		int any = s->any;
		begin(s, 0, s->peer, s->length);
		s->framed = 1;
		s->target = target;
		s->any = any;
		begun(s, MPI_Irecv(s->stage, ATOLL_STAGE, MPI_BYTE, s->peer, s->tag, lane_of(s, ATOLL_MESSAGES),
		                   &whole(s)->request));
	}
}

// send_head sends the length of a message and the n bytes that the stage holds after it.
static int send_head(atoll_slot *s, int tag, int n) {
	int64_t head = s->length;
	memcpy(s->stage, &head, ATOLL_HEADER);
	return MPI_Isend(s->stage, ATOLL_HEADER + n, MPI_BYTE, s->peer, tag, lane_of(s, ATOLL_MESSAGES),
	                 &whole(s)->request);
}

int atoll_send_short(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length) {
	atoll_receive(queue);
	begin(s, 1, peer, length);
	memcpy(s->stage + ATOLL_HEADER, buf, length);
	return begun(s, send_head(s, tag, length));
}

int atoll_send_long(atoll_slot *queue, atoll_slot *s, int peer, int tag, const unsigned char *buf, int length,
                    int body_tag) {
	atoll_receive(queue);
	begin(s, 1, peer, length);
	memcpy(s->stage + ATOLL_HEADER, &body_tag, sizeof body_tag);
	int e = send_head(s, tag, sizeof body_tag);
	if (e == MPI_SUCCESS)
		e = MPI_Isend(buf, length, MPI_BYTE, peer, body_tag, lane_of(s, ATOLL_BODIES), &whole(s)->body);
	return begun(s, e);
}

int atoll_discard(atoll_slot *s, int peer, int body_tag, int64_t length) {
	begin(s, 0, peer, length);
	void *scrap = malloc(length);
	if (scrap == NULL)
		return begun(s, MPI_ERR_NO_MEM);
	whole(s)->scrap = scrap;
	return begun(s, MPI_Irecv(scrap, length, MPI_BYTE, peer, body_tag, lane_of(s, ATOLL_BODIES), &whole(s)->request));
}

// ended notes that nothing is pending any more.
static int ended(atoll_slot *s, int error) {
	s->pending = ATOLL_NOTHING;
	s->error = error;
	free(whole(s)->scrap);
	whole(s)->scrap = NULL;
	return 1;
}

// fits reports whether a receive takes a message of the length that has come.
static int fits(const atoll_slot *s) { return s->any ? s->got <= s->length : s->got == s->length; }

// unframe reads the head of a message of which n bytes have come, and begins to receive a body that fits.
static int unframe(atoll_slot *s, int n) {
	int tag;
	if (n < ATOLL_HEADER)
		return ended(s, MPI_ERR_OTHER);
	memcpy(&s->got, s->stage, ATOLL_HEADER);
	if (s->got == n - ATOLL_HEADER && s->got <= ATOLL_STAGE - ATOLL_HEADER)
		return ended(s, MPI_SUCCESS);
	if (n != ATOLL_HEADER + (int)sizeof tag || s->got <= ATOLL_STAGE - ATOLL_HEADER || s->got > INT32_MAX)
		return ended(s, MPI_ERR_OTHER);
	memcpy(&tag, s->stage + ATOLL_HEADER, sizeof tag);
	if (tag < 0 || tag == INT32_MAX)
		return ended(s, MPI_ERR_OTHER);
	if (!fits(s)) {
		s->unwanted = tag + 1;
		return ended(s, MPI_SUCCESS);
	}
	int e = MPI_Irecv((void *)s->target, (int)s->got, MPI_BYTE, s->peer, tag, lane_of(s, ATOLL_BODIES),
	                  &whole(s)->body);
	if (e != MPI_SUCCESS)
		return ended(s, e);
	s->pending = ATOLL_BODY;
	return 0;
}

int atoll_done(atoll_slot *s) {
	int done = 0, n = 0, cancelled = 0;
	MPI_Status status;
	if (s->pending == ATOLL_HEAD) {
		int e = MPI_Test(&whole(s)->request, &done, &status);
		if (e != MPI_SUCCESS)
			return ended(s, e);
		if (!done)
			return 0;
		if (s->withdrawn && MPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled) {
			s->withdrawn = 2;
			return ended(s, MPI_SUCCESS);
		}
		if (s->send) {
			if (whole(s)->body == MPI_REQUEST_NULL)
				return ended(s, MPI_SUCCESS);
			s->pending = ATOLL_BODY;
		} else {
			if ((e = MPI_Get_count(&status, MPI_BYTE, &n)) != MPI_SUCCESS)
				return ended(s, e);
			s->got = n;
			if (!s->framed)
				return ended(s, MPI_SUCCESS);
			if (unframe(s, n))
				return 1;
		}
	}
	if (s->pending == ATOLL_BODY) {
		int e = MPI_Test(&whole(s)->body, &done, MPI_STATUS_IGNORE);
		return e == MPI_SUCCESS && !done ? 0 : ended(s, e);
	}
	return s->pending == ATOLL_NOTHING;
}

static int failed(const atoll_slot *s) {
	return s->error != MPI_SUCCESS || (!s->send && !fits(s));
}

int atoll_cancel(atoll_slot *s) {
	s->withdrawn = 1;
	return s->pending == ATOLL_HEAD ? MPI_Cancel(&whole(s)->request) : MPI_SUCCESS;
}

// advance returns the first slot that is pending or has failed. MPI makes progress on all requests in every test, but
// the body of a long message is asked for only once its head has been looked at.
static atoll_slot *advance(atoll_slot *s) {
	while (s != NULL && atoll_done(s) && !failed(s))
		s = next_of(s);
	for (atoll_slot *later = s != NULL ? next_of(s) : NULL; later != NULL; later = next_of(later))
		if (later->pending == ATOLL_HEAD && later->target != 0)
			atoll_done(later);
	return s;
}

static int interrupted(atoll_world *w) { return __atomic_load_n(&w->down, __ATOMIC_ACQUIRE) || atoll_noticed(w); }

static int64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void give_way(int64_t waited) {
	if (waited < YIELD_NS) {
		sched_yield();
		return;
	}
	int64_t nap = waited / NAP_SHARE;
	struct timespec t = {0, nap < NAP_MOST_NS ? nap : NAP_MOST_NS};
	nanosleep(&t, NULL);
}

atoll_slot *atoll_wait(atoll_slot *s, int64_t waited) {
	atoll_world *w = whole(s)->world;
	int spins = waited == 0 ? SPINS : 1;
	for (int i = 1; i <= spins; i++) {
		s = advance(s);
		if (s == NULL || !s->pending)
			return s;
		if (i % SPINS_A_LOOK == 0 && interrupted(w))
			return s;
	}
	int64_t began = now();
	for (;;) {
		int64_t stayed = now() - began;
		if (stayed > STAY_NS || interrupted(w))
			return s;
		give_way(waited + stayed);
		s = advance(s);
		if (s == NULL || !s->pending)
			return s;
	}
}

atoll_slot *atoll_trade(atoll_slot *in, int from, atoll_slot *out, int to, int length, int *error) {
	atoll_slot *first = NULL;
	*error = MPI_SUCCESS;
	if (from >= 0) {
		*error = atoll_post(in, ATOLL_ROUNDS, 0, from, NULL, ATOLL_STAGE);
		in->any = 1;
		first = in;
	}
	if (to >= 0 && *error == MPI_SUCCESS) {
		*error = atoll_post(out, ATOLL_ROUNDS, 1, to, NULL, length);
		if (first != NULL)
			in->next = (uintptr_t)out;
		else
			first = out;
	}
	return *error == MPI_SUCCESS ? atoll_wait(first, 0) : NULL;
}
