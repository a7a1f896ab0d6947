package launch

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	var (
		none    = Environment{Size: 1}
		atoll   = Environment{Launcher: Atoll, Size: 4, Coordinator: "unix:/d/c.sock", Sockets: "/d"}
		openMPI = Environment{Launcher: OpenMPI, Size: 4}
		pmi     = Environment{Launcher: PMI, Size: 4}
		node    = Environment{Launcher: Slurm, Size: 4, Nodes: 1, Job: "1.0", Coordinator: "unix:/d/c.sock", Sockets: "/d"}
		nodePMI = Environment{Launcher: Slurm, Size: 4, Nodes: 1, Job: "1.0", Coordinator: "unix:/d/c.sock", Sockets: "/d",
			PMI: true}
		nodes    = Environment{Launcher: Slurm, Size: 4, Nodes: 2, Job: "1.0"}
		nodesPMI = Environment{Launcher: Slurm, Size: 4, Nodes: 2, Job: "1.0", PMI: true}
		oldSlurm = Environment{Launcher: Slurm, Size: 4} // sets few variables
	)
	for _, test := range []struct {
		name      string
		env       Environment
		requested string
		mpi       bool
		want      string // the start of "transport: why", or "error: " and words of the error
	}{
		{"alone", none, Auto, false, "local: one process"},
		{"alone with MPI", none, Auto, true, "local: one process"},
		{"alone, processes", none, GRPC, false, "grpc: requested"},
		{"alone, MPI", none, MPI, true, "mpi: requested"},
		{"no MPI", none, MPI, false, "error: built without MPI"},
		{"unknown", none, "pigeon", true, "error: \"pigeon\" is unknown"},
		{"atoll", atoll, Auto, true, "grpc: the launcher has set the coordinator's address"},
		{"atoll, gRPC", atoll, GRPC, false, "grpc: the launcher has set the coordinator's address"},
		{"atoll, local", atoll, InProcess, false, "error: atoll has started 4 processes"},
		{"atoll, MPI", atoll, MPI, true, "error: use mpirun"},
		{"atoll, one rank, local", Environment{Launcher: Atoll, Size: 1}, InProcess, false, "grpc: "},
		{"mpirun", openMPI, Auto, true, "mpi: started by mpirun"},
		{"mpirun of MPICH", pmi, MPI, true, "mpi: started by mpirun"},
		{"mpirun without MPI", openMPI, Auto, false, "error: would run 4 independent copies"},
		{"mpirun without MPI, gRPC", pmi, GRPC, false, "error: atoll run --ranks 4 --transport grpc"},
		{"mpirun, gRPC", openMPI, GRPC, true, "error: no coordinator's address"},
		{"mpirun, local", openMPI, InProcess, true, "error: the whole case by itself"},
		{"srun", node, Auto, false, "grpc: this program has no MPI, and all ranks are on one node"},
		{"srun, gRPC", nodePMI, GRPC, true, "grpc: requested; all ranks are on one node"},
		{"srun with MPI", nodePMI, Auto, true, "mpi: started by srun"},
		{"srun with MPI, no PMI", node, Auto, true, "grpc: srun offers no PMI to MPI"},
		{"srun with MPI, no PMI, mpi", node, MPI, true, "mpi: requested"},
		{"srun, local", node, InProcess, true, "error: the whole case by itself"},
		{"nodes", nodes, Auto, false, "error: mutual TLS"},
		{"nodes, gRPC", nodes, GRPC, true, "error: srun --nodes=1"},
		{"nodes with MPI", nodesPMI, Auto, true, "mpi: started by srun"},
		{"nodes with MPI, no PMI", nodes, Auto, true, "error: srun --mpi=pmix"},
		{"nodes with MPI, no PMI, mpi", nodes, MPI, true, "mpi: requested"},
		{"old Slurm", oldSlurm, Auto, false, "error: SLURM_STEP_NUM_NODES"},
		{"old Slurm with MPI", oldSlurm, Auto, true, "error: srun --mpi=pmix"},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport, why, err := Choose(test.env, test.requested, test.mpi)
			if words, isError := strings.CutPrefix(test.want, "error: "); isError {
				if err == nil || !strings.Contains(err.Error(), words) || ExitCode(err) != 2 || transport != "" {
					t.Errorf("got %q, %v; want an error with %q", transport, err, words)
				}
				return
			}
			if got := transport + ": " + why; err != nil || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, %v\nwant %q", got, err, test.want)
			}
		})
	}
}

// Whatever transport is requested, the processes of a launcher never run independent copies of the case.
func TestNoIndependentCopies(t *testing.T) {
	for launcher := Atoll; launcher <= Slurm; launcher++ {
		for _, requested := range []string{Auto, InProcess, GRPC, MPI} {
			for _, mpi := range []bool{false, true} {
				for nodes := range 3 {
					p := Environment{Launcher: launcher, Size: 2, Nodes: nodes}
					transport, _, err := Choose(p, requested, mpi)
					if transport == InProcess || err == nil && transport == MPI && !mpi {
						t.Errorf("%v, requested %s, MPI %v: got transport %s", p, requested, mpi, transport)
					}
				}
			}
		}
	}
}
