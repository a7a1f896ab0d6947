// Package launch starts the ranks of a run on this machine, and tells a process whether it is one of them, how it
// reaches the others, and what it may use of its machine.
//
// Detect finds out what has started a process (mpirun, srun, Local or nothing), Choose which transport fits that, and
// Divide how many threads each rank keeps busy, so that the ranks on a machine together have as many as there are
// processors for them. SlurmScript writes the batch script of a run.
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
// Workers are the ranks of one epoch of a supervised run (package supervise), of which some may be on other machines.
// They get two more:
//
//	ATOLL_EPOCH        the epoch, from 1; it only grows
//	ATOLL_BEGAN        the first epoch of the command that started them (Environment.FirstEpoch)
//
// Where the ranks' threads fill the machine, each rank is bound to its own block of processors. Measured with 2 ranks
// of one thread on a Xeon with 2 cores, over gRPC: 9.0 to 9.3 million cell updates a second, against 6.5 to 8.5
// without; while others kept both cores busy as well, 4.8 in the median of five, against 3.4.
//
// A worker that makes progress updates the time of a file (Environment.Heartbeat); one that lives and does not is
// killed at last.
//
// In a pod of an indexed Job of Kubernetes the rank is JOB_COMPLETION_INDEX, which Kubernetes sets. With --places the
// pod is the supervisor of that rank; without, it is the rank itself, and the Job sets ATOLL_SIZE and
// ATOLL_COORDINATOR, the latter to host:port of its pod 0.
//
// The tasks of a step of Slurm's need no such variables: on one node they meet in a directory that each works out from
// the numbers of job and step.
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
