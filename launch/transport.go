package launch

import "fmt"

// Transports, by their names on the command line.
const (
	Auto      = "auto"  // chosen by the launcher
	InProcess = "local" // ranks are goroutines of one process
	GRPC      = "grpc"  // one process per rank, connected by gRPC
	MPI       = "mpi"   // one process per rank, connected by an MPI library
)

// Choose returns the transport of a run, and the reason as text that completes "transport grpc: ". requested is one of
// the names above; mpi reports whether this program was built with MPI. Choose returns an error if the transport cannot
// work, above all if the N processes of a launcher would run N independent copies of the case.
func Choose(p Environment, requested string, mpi bool) (transport, why string, err error) {
	switch requested {
	case Auto, InProcess, GRPC, MPI:
	default:
		return refuse("transport %q is unknown: choose %s, %s, %s or %s", requested, Auto, InProcess, GRPC, MPI)
	}
	if requested == MPI && !mpi {
		return refuse("transport mpi: this program was built without MPI; %s", withMPI)
	}
	if p.Launcher == None {
		if requested == Auto {
			return InProcess, "one process", nil
		}
		return requested, "requested", nil
	}
	started := fmt.Sprintf("%v has started %d processes", p.Launcher, p.Size)
	if requested == InProcess && p.Size > 1 {
		return refuse("%s, and with transport local each would run the whole case by itself: omit --transport", started)
	}
	switch p.Launcher {
	case Atoll, Kubernetes:
		if requested == MPI {
			return refuse("%s without MPI: use mpirun, or omit --transport", started)
		}
		return GRPC, "the launcher has set the coordinator's address", nil
	case OpenMPI, PMI:
		switch {
		case !mpi:
			return refuse("%s, but this program has no MPI and would run %d independent copies of the case: %s; "+
				"or, on one machine, atoll run --ranks %d --transport grpc", started, p.Size, withMPI, p.Size)
		case requested == GRPC:
			return refuse("%s, which have no coordinator's address for gRPC: omit --transport", started)
		}
		return MPI, "started by mpirun", nil
	}
	return chooseInStep(p, requested, mpi, started)
}

func refuse(format string, args ...any) (transport, why string, err error) {
	return "", "", &usageError{fmt.Sprintf(format, args...)}
}

// withMPI is the advice, in errors, to build the program with MPI.
const withMPI = "build it with MPI (make build-mpi)"

// chooseInStep is Choose for the tasks of a Slurm job step.
func chooseInStep(p Environment, requested string, mpi bool, started string) (transport, why string, err error) {
	switch {
	case requested == MPI:
		return MPI, "requested", nil
	case requested == Auto && mpi && p.PMI:
		return MPI, "started by srun", nil
	case requested == Auto && mpi && p.Sockets == "":
		return refuse("%s, but provides no PMI, by which MPI finds the ranks: use srun --mpi=pmix (srun --mpi=list "+
			"lists the choices), or --transport mpi if this MPI library supports Slurm directly", started)
	case p.Nodes > 1:
		return refuse("%s on %d nodes, and gRPC finds ranks by itself on one node only: on several, each rank needs the "+
			"coordinator's address and a certificate for mutual TLS (docs/operations.md); %s, or use one node "+
			"(srun --nodes=1)", started, p.Nodes, withMPI)
	case p.Sockets == "":
		return refuse("%s, but has not set the number of nodes, or the job and step (SLURM_STEP_NUM_NODES, SLURM_JOB_ID, "+
			"SLURM_STEP_ID), which gRPC needs: it finds ranks on one node only; %s", started, withMPI)
	case requested == GRPC:
		return GRPC, "requested; all ranks are on one node", nil
	case mpi:
		return GRPC, "srun offers no PMI to MPI (srun --mpi=pmix would), and all ranks are on one node", nil
	}
	return GRPC, "this program has no MPI, and all ranks are on one node", nil
}
