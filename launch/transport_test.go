package launch

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	var (
		none    = Environment{Size: 1}
		ours    = Environment{Launcher: Atoll, Size: 4, Coordinator: "unix:/d/c.sock", Sockets: "/d"}
		openMPI = Environment{Launcher: OpenMPI, Size: 4}
		pmi     = Environment{Launcher: PMI, Size: 4}
		node    = Environment{Launcher: Slurm, Size: 4, Nodes: 1, Job: "1.0", Coordinator: "unix:/d/c.sock", Sockets: "/d"}
		nodePMI = Environment{Launcher: Slurm, Size: 4, Nodes: 1, Job: "1.0", Coordinator: "unix:/d/c.sock", Sockets: "/d",
			PMI: true}
		nodes  = Environment{Launcher: Slurm, Size: 4, Nodes: 2, Job: "1.0"}
		many   = Environment{Launcher: Slurm, Size: 4, Nodes: 2, Job: "1.0", PMI: true}
		silent = Environment{Launcher: Slurm, Size: 4}
	)
	for _, test := range []struct {
		name  string
		place Environment
		asked string
		mpi   bool
		want  string // transport: why, or words of the refusal
	}{
		{"alone", none, Auto, false, "local: one process"},
		{"alone with MPI", none, Auto, true, "local: one process"},
		{"alone, processes", none, GRPC, false, "grpc: asked for"},
		{"alone, MPI", none, MPI, true, "mpi: asked for"},
		{"no MPI", none, MPI, false, "refused: built without MPI"},
		{"unknown", none, "pigeon", true, "refused: \"pigeon\" is not known"},
		{"children", ours, Auto, true, "grpc: the launcher has said where the ranks meet"},
		{"children, as told", ours, GRPC, false, "grpc: the launcher has said where the ranks meet"},
		{"children, local", ours, InProcess, false, "refused: atoll has started 4 processes"},
		{"children, MPI", ours, MPI, true, "refused: use mpirun"},
		{"one child, local", Environment{Launcher: Atoll, Size: 1}, InProcess, false, "grpc: "},
		{"mpirun", openMPI, Auto, true, "mpi: started by mpirun"},
		{"mpirun of MPICH", pmi, MPI, true, "mpi: started by mpirun"},
		{"mpirun without MPI", openMPI, Auto, false, "refused: would run 4 independent copies"},
		{"mpirun without MPI, gRPC", pmi, GRPC, false, "refused: atoll run --ranks 4 --transport grpc"},
		{"mpirun, gRPC", openMPI, GRPC, true, "refused: no place to meet"},
		{"mpirun, local", openMPI, InProcess, true, "refused: the whole case by itself"},
		{"srun", node, Auto, false, "grpc: this program has no MPI, and all ranks are on one node"},
		{"srun, gRPC", nodePMI, GRPC, true, "grpc: asked for; all ranks are on one node"},
		{"srun with MPI", nodePMI, Auto, true, "mpi: started by srun"},
		{"srun with MPI, no PMI", node, Auto, true, "grpc: srun offers no PMI to MPI"},
		{"srun with MPI, no PMI, as told", node, MPI, true, "mpi: asked for"},
		{"srun, local", node, InProcess, true, "refused: the whole case by itself"},
		{"nodes", nodes, Auto, false, "refused: mutual TLS"},
		{"nodes, gRPC", nodes, GRPC, true, "refused: srun --nodes=1"},
		{"nodes with MPI", many, Auto, true, "mpi: started by srun"},
		{"nodes with MPI, no PMI", nodes, Auto, true, "refused: srun --mpi=pmix"},
		{"nodes with MPI, no PMI, as told", nodes, MPI, true, "mpi: asked for"},
		{"silent Slurm", silent, Auto, false, "refused: SLURM_STEP_NUM_NODES"},
		{"silent Slurm with MPI", silent, Auto, true, "refused: srun --mpi=pmix"},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport, why, err := Choose(test.place, test.asked, test.mpi)
			if words, refused := strings.CutPrefix(test.want, "refused: "); refused {
				if err == nil || !strings.Contains(err.Error(), words) || ExitCode(err) != 2 || transport != "" {
					t.Errorf("got %q, %v; want a refusal with %q", transport, err, words)
				}
				return
			}
			if got := transport + ": " + why; err != nil || !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, %v\nwant %q", got, err, test.want)
			}
		})
	}
}

// A run of several processes never becomes as many runs of one, whatever is asked for.
func TestNeverCopies(t *testing.T) {
	for launcher := Atoll; launcher <= Slurm; launcher++ {
		for _, asked := range []string{Auto, InProcess, GRPC, MPI} {
			for _, mpi := range []bool{false, true} {
				for nodes := range 3 {
					p := Environment{Launcher: launcher, Size: 2, Nodes: nodes}
					if transport, _, err := Choose(p, asked, mpi); transport == InProcess || err == nil && transport == MPI && !mpi {
						t.Errorf("%v, asked for %s, MPI %v: %s", p, asked, mpi, transport)
					}
				}
			}
		}
	}
}
