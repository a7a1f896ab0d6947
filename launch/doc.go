// Package launch starts the ranks of a run on this machine, and tells a process whether it is one of them.
//
// Local starts N processes and stays until all of them have ended; Detect, called in each, reads back what Local
// has told it through its environment:
//
//	ATOLL_RANK         its rank, 0 … ATOLL_SIZE-1
//	ATOLL_SIZE         the number of ranks
//	ATOLL_COORDINATOR  where the ranks meet: unix:/path or host:port
//	ATOLL_SOCKETS      a directory, private to the run, in which each rank makes its own socket
//	ATOLL_THREADS      how many threads the rank may keep busy
//
// # How a run ends
//
// A run ends well when every rank exits with code 0. Otherwise the parent climbs one ladder:
//
//	a rank fails             the others have Grace (3 s) to notice, say whom they lost, and exit
//	the run is told to stop  every rank gets the signal once, and has Drain (30 s) to write a checkpoint
//	time is up               SIGTERM; one second later SIGKILL
//
// A run is told to stop by SIGINT, SIGTERM or SIGHUP to the parent, by the end of the context, or by a rank that
// exits with code 75 (stopped, with a checkpoint). A second signal to the parent kills at once.
//
// Ranks are process groups of their own, so Ctrl-C at a terminal reaches the parent alone and the ranks hear of it
// once. When a rank ends, what it has started ends with it. When the parent dies, even by SIGKILL, the kernel kills
// the ranks; only the directory of sockets is left behind then.
package launch
