package launch

import "fmt"

// Transports that Choose knows, by the names of the command line.
const (
	Auto      = "auto"  // what fits the launcher
	InProcess = "local" // ranks are goroutines of one process
	GRPC      = "grpc"  // a process each, over unix sockets
	MPI       = "mpi"   // a process each, over an MPI library
)

// Choose says which transport the ranks of a run take, and why, in words that complete "transport grpc: ". asked is
// one of the names above; mpi reports whether this program was built with MPI. What cannot work is refused: above all
// N copies of a run of one rank.
func Choose(p Environment, asked string, mpi bool) (transport, why string, err error) {
	switch asked {
	case Auto, InProcess, GRPC, MPI:
	default:
		return refuse("transport %q is not known: choose %s, %s, %s or %s", asked, Auto, InProcess, GRPC, MPI)
	}
	if asked == MPI && !mpi {
		return refuse("transport mpi: this program was built without MPI; %s", withMPI)
	}
	if p.Launcher == None {
		if asked == Auto {
			return InProcess, "one process", nil
		}
		return asked, "asked for", nil
	}
	started := fmt.Sprintf("%v has started %d processes", p.Launcher, p.Size)
	if asked == InProcess && p.Size > 1 {
		return refuse("%s, and with transport local each would run the whole case by itself: leave --transport out", started)
	}
	switch p.Launcher {
	case Atoll, Kubernetes:
		if asked == MPI {
			return refuse("%s, which MPI does not know of: use mpirun, or leave --transport out", started)
		}
		return GRPC, "the launcher has said where the ranks meet", nil
	case OpenMPI, PMI:
		switch {
		case !mpi:
			return refuse("%s, but this program has no MPI and would run %d independent copies of the case: %s; "+
				"or, on one machine, atoll run --ranks %d --transport grpc", started, p.Size, withMPI, p.Size)
		case asked == GRPC:
			return refuse("%s, which have no place to meet over gRPC: leave --transport out", started)
		}
		return MPI, "started by mpirun", nil
	}
	return chooseInStep(p, asked, mpi, started)
}

func refuse(format string, args ...any) (transport, why string, err error) {
	return "", "", &usageError{fmt.Sprintf(format, args...)}
}

// withMPI says how a program with MPI is made.
const withMPI = "build it with MPI (make build-mpi)"

// chooseInStep is Choose for the tasks of a step of Slurm's.
func chooseInStep(p Environment, asked string, mpi bool, started string) (transport, why string, err error) {
	switch {
	case asked == MPI:
		return MPI, "asked for", nil
	case asked == Auto && mpi && p.PMI:
		return MPI, "started by srun", nil
	case asked == Auto && mpi && p.Sockets == "":
		return refuse("%s, and offers MPI no PMI by which it finds the ranks: use srun --mpi=pmix (srun --mpi=list "+
			"tells what there is), or --transport mpi if this MPI knows Slurm by itself", started)
	case p.Nodes > 1:
		return refuse("%s on %d nodes, and gRPC finds the ranks of one node by itself: on several, each must be told where "+
			"they meet, and have a certificate for mutual TLS (docs/operations.md); %s, or take one node (srun --nodes=1)",
			started, p.Nodes, withMPI)
	case p.Sockets == "":
		return refuse("%s, but not said on how many nodes, or in which job and step (SLURM_STEP_NUM_NODES, SLURM_JOB_ID, "+
			"SLURM_STEP_ID): gRPC works within a node; %s", started, withMPI)
	case asked == GRPC:
		return GRPC, "asked for; all ranks are on one node", nil
	case mpi:
		return GRPC, "srun offers no PMI to MPI (srun --mpi=pmix would), and all ranks are on one node", nil
	}
	return GRPC, "this program has no MPI, and all ranks are on one node", nil
}
