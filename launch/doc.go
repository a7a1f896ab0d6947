// Package launch starts the ranks of a run on this machine. In a rank's process it finds the rank's number, the
// addresses of the other ranks, and the processors that the rank may use.
//
// Detect returns which launcher started a process (mpirun, srun, Local or none), Choose selects the transport, and
// Divide sets the threads of each rank so that all ranks on a machine together use its processors. SlurmScript
// writes the batch script of a run.
//
// Local starts N processes and waits until all have ended. It sets their environment, which Detect reads:
//
//	ATOLL_RANK         the rank of the process, 0 … ATOLL_SIZE-1
//	ATOLL_SIZE         the number of ranks
//	ATOLL_COORDINATOR  the address of the coordinator: unix:/path or host:port
//	ATOLL_SOCKETS      a directory, private to the run, for the sockets of the ranks
//	ATOLL_THREADS      the number of threads that the rank may use
//
// Workers are the ranks of one epoch of a supervised run (package supervise) that run on this machine; other ranks of
// the epoch may run on other machines. They get two more variables:
//
//	ATOLL_EPOCH        the epoch, from 1; it only grows
//	ATOLL_BEGAN        the first epoch of the present command "atoll run" (Environment.FirstEpoch)
//
// If the ranks' threads use all processors, each rank is bound to its own block of processors. Measured with 2 ranks of
// one thread on a Xeon with 2 cores, over gRPC: 9.0 to 9.3 million cell updates a second with binding, 6.5 to 8.5
// without; while other programs kept both cores busy, 4.8 with binding and 3.4 without (medians of five).
//
// A worker that makes progress updates the modification time of a file (Environment.Heartbeat). A worker that makes
// none for too long counts as hung and is killed.
//
// In a pod of an indexed Job of Kubernetes the rank is JOB_COMPLETION_INDEX, which Kubernetes sets. With --places the
// pod's process is the supervisor of that rank. Without --places it is the rank itself, and the Job sets ATOLL_SIZE,
// and ATOLL_COORDINATOR to host:port of its pod 0.
//
// The tasks of a Slurm job step need no ATOLL variables: on one node they meet in a directory whose name each task
// derives from the numbers of the job and the step.
//
// # How a run ends
//
// A run succeeds when every rank exits with code 0. Otherwise the parent escalates:
//
//	a rank fails             the others have Grace (3 s) to detect it, report the lost rank, and exit
//	the run is stopped       every rank gets the signal once, and has Drain (30 s) to write a checkpoint
//	Grace or Drain is over   SIGTERM; one second later SIGKILL
//
// A run is stopped by SIGINT, SIGTERM or SIGHUP to the parent, by the end of the context, or by a rank that exits
// with code 75 (stopped, with a checkpoint). A second signal to the parent kills the ranks at once.
//
// Each rank has its own process group, so that Ctrl-C at a terminal reaches only the parent, and the ranks get the
// signal once. When a rank ends, its child processes are killed. When the parent dies, even by SIGKILL, the kernel
// kills the ranks; only the directory of sockets remains.
package launch
