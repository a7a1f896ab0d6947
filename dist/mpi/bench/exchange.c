// The reference for the speed of the MPI transport: the measurements of `atoll bench transports` in C, with direct
// calls of MPI. Usage: mpirun -np N exchange SECONDS BYTES...

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, peer;
static int bytes;
static char *out, *in;

static void one_way(void) { // a round trip, of which half the time is that of one way
	if (rank == 0) {
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
		MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
	}
}

static void two_way(void) {
	MPI_Request requests[2];
	if (rank > 1)
		return;
	MPI_Irecv(in, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(out, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void minimum(void) {
	double own = rank, least;
	MPI_Allreduce(&own, &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

// best returns the least time of a call in µs, over five passes of a fifth of the seconds each.
static double best(void (*f)(void), double seconds) {
	double least = 0;
	long times = 8;
	for (int pass = 0; pass < 5;) {
		double begin = MPI_Wtime();
		for (long i = 0; i < times; i++)
			f();
		double took = MPI_Wtime() - begin;
		MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // all ranks follow rank 0's clock
		if (took < seconds / 5) {
			times *= 2;
			continue;
		}
		if (pass++ == 0 || took / times < least)
			least = took / times;
	}
	return least * 1e6;
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size < 2 || argc < 2) {
		fprintf(stderr, "usage: mpirun -np N exchange SECONDS BYTES..., with N at least 2\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	peer = 1 - rank;
	double seconds = atof(argv[1]);
	for (int i = 2; i < argc; i++) {
		bytes = atoi(argv[i]);
		out = malloc(bytes);
		in = malloc(bytes);
		memset(out, 1, bytes);
		memset(in, 1, bytes);
		double one = best(one_way, seconds) / 2, two = best(two_way, seconds);
		if (rank == 0)
			printf("%9d %12.2f %12.3f %12.2f %12.3f\n", bytes, one, bytes / one / 1e3, two, bytes / two / 1e3);
		free(out);
		free(in);
	}
	double least = best(minimum, seconds);
	if (rank == 0)
		printf("minimum of one number over %d ranks: %.2f µs\n", size, least);
	MPI_Finalize();
	return 0;
}
