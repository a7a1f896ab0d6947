package launch

import (
	"fmt"
	"math"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The environment variables of a rank; doc.go describes them.
const (
	envRank        = "ATOLL_RANK"
	envSize        = "ATOLL_SIZE"
	envCoordinator = "ATOLL_COORDINATOR"
	envSockets     = "ATOLL_SOCKETS"
	envThreads     = "ATOLL_THREADS"
	envEpoch       = "ATOLL_EPOCH"
	envBegan       = "ATOLL_BEGAN"
	envPod         = "JOB_COMPLETION_INDEX" // Kubernetes sets it in the pods of an indexed Job
)

// maxSize bounds the number of ranks in the environment, since tables of that length are allocated.
const maxSize = 1 << 20

// Launcher is the program that started this process.
type Launcher uint8

const (
	None       Launcher = iota // no known launcher: a run of one process
	Atoll                      // Local, or another program that sets the same variables
	OpenMPI                    // mpirun of Open MPI
	PMI                        // mpirun of MPICH, Intel MPI and others that use PMI
	Slurm                      // srun
	Kubernetes                 // an indexed Job
)

func (l Launcher) String() string {
	switch l {
	case Atoll:
		return "atoll"
	case OpenMPI:
		return "mpirun (Open MPI)"
	case PMI:
		return "mpirun (PMI)"
	case Slurm:
		return "srun (Slurm)"
	case Kubernetes:
		return "Kubernetes"
	}
	return "no launcher"
}

// Environment is what the launcher has set for this process: its rank, the number of ranks, and how to reach the
// other ranks. Without a launcher Rank is 0 and Size is 1.
type Environment struct {
	Launcher   Launcher
	Rank, Size int

	// Threads is the number of threads that the rank should use, 0 if not set.
	Threads int

	// Addresses, set by Local and derived for ranks that srun has started on one node; otherwise "".
	Coordinator string // unix:/path or host:port
	Sockets     string // absolute directory for this rank's socket, "" if ranks use host and port

	// Set for a worker of a supervisor, otherwise 0: the epoch of the run, from 1, and the first epoch of the present
	// command "atoll run", which is later than 1 if the command continues a run.
	Epoch, FirstEpoch uint64

	// Set for tasks of srun, as far as Slurm sets the variables; otherwise zero.
	Job   string // job and step, as in 1234.0
	Nodes int    // number of nodes of the step
	PMI   bool   // srun offers a process management interface, by which an MPI library finds the other ranks
}

// String describes the environment in one line.
func (p Environment) String() string {
	var b strings.Builder
	if p.Launcher == None {
		b.WriteString("one process")
	} else {
		fmt.Fprintf(&b, "rank %d of %d", p.Rank, p.Size)
	}
	b.WriteString(", " + p.Origin())
	if p.Coordinator != "" {
		fmt.Fprintf(&b, ", coordinator %s", p.Coordinator)
	}
	if p.Threads > 0 {
		fmt.Fprintf(&b, ", threads %d", p.Threads)
	}
	return b.String()
}

// Origin describes what is the same for all ranks: the launcher and the job step.
func (p Environment) Origin() string {
	if p.Launcher == None {
		return "no launcher found"
	}
	s := fmt.Sprintf("started by %v", p.Launcher)
	if p.Job != "" {
		s += ", job " + p.Job
	}
	if p.Nodes > 0 {
		s += ", " + count(p.Nodes, "node")
	}
	return s
}

// count returns a number with its noun, as in "2 nodes".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Detect reads the environment of this process. Atoll's own variables take precedence, because a run may be started
// inside an allocation whose variables are inherited. mpirun and srun are recognised only with more than one process.
// If a variable is malformed or missing, the error names it.
func Detect() (Environment, error) { return detect(os.LookupEnv) }

func detect(lookup func(string) (string, bool)) (Environment, error) {
	env := envReader{lookup: lookup}
	p := Environment{Size: 1}
	if env.has(envThreads) {
		p.Threads = env.number(envThreads, 1, maxSize)
	}
	switch {
	case env.has(envPod) && !env.has(envRank):
		env.pod(&p)
	case env.has(envRank), env.has(envSize), env.has(envCoordinator), env.has(envSockets):
		p.Launcher = Atoll
		p.Size = env.number(envSize, 1, maxSize)
		p.Rank = env.number(envRank, 0, p.Size-1)
		p.Coordinator, p.Sockets = env.addresses()
		if env.has(envEpoch) {
			p.Epoch = uint64(env.number(envEpoch, 1, math.MaxInt))
			p.FirstEpoch = uint64(env.number(envBegan, 1, int(p.Epoch)))
		}
	case env.has("OMPI_COMM_WORLD_SIZE"):
		env.otherLauncher(&p, OpenMPI, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
	case env.has("PMI_SIZE") && env.differs("SLURM_STEP_NUM_TASKS", env.text("PMI_SIZE")):
		// MPICH's mpirun starts its helper processes by srun, so the step describes the helpers, not the ranks.
		env.otherLauncher(&p, PMI, "PMI_RANK", "PMI_SIZE")
	case env.has("SLURM_STEP_NUM_TASKS"):
		// Batch scripts and interactive shells of an allocation have SLURM_NTASKS and SLURM_PROCID too, although they
		// run once. The size of the step distinguishes tasks of srun from them.
		env.otherLauncher(&p, Slurm, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
	case env.has("SLURM_STEP_ID"), env.differs("SLURM_PROCID", "0"):
		env.otherLauncher(&p, Slurm, "SLURM_PROCID", "SLURM_NTASKS")
	default:
		env.otherLauncher(&p, PMI, "PMI_RANK", "PMI_SIZE")
	}
	if p.Launcher == Slurm {
		env.slurmStep(&p)
	}
	if env.err != nil {
		return Environment{}, env.err
	}
	return p, nil
}

// envReader reads variables and records the first error.
type envReader struct {
	lookup func(string) (string, bool)
	err    error
}

func (e *envReader) has(name string) bool {
	_, ok := e.lookup(name)
	return ok
}

func (e *envReader) text(name string) string {
	s, _ := e.lookup(name)
	return s
}

func (e *envReader) differs(name, value string) bool { return e.has(name) && e.text(name) != value }

func (e *envReader) fail(format string, args ...any) {
	if e.err == nil {
		e.err = &usageError{fmt.Sprintf(format, args...)}
	}
}

func (e *envReader) number(name string, low, high int) int {
	s, ok := e.lookup(name)
	if !ok {
		e.fail("%s is not set, but other variables of a rank are: set all of %s, %s and %s, or none of them",
			name, envRank, envSize, envCoordinator)
		return low
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < low || n > high {
		e.fail("%s is %q: want a whole number from %d to %d", name, s, low, high)
		return low
	}
	return n
}

// otherLauncher fills in p if the variables rank and size of launcher l show that it started several processes.
func (e *envReader) otherLauncher(p *Environment, l Launcher, rank, size string) {
	if !e.has(rank) || !e.has(size) {
		return
	}
	if n := e.number(size, 1, maxSize); n > 1 {
		p.Launcher, p.Size, p.Rank = l, n, e.number(rank, 0, n-1)
	}
}

// pod fills in p in a pod of an indexed Job: the pod's index is the rank. Kubernetes sets neither the number of pods
// nor the address of the coordinator, so the manifest of the Job must set them.
func (e *envReader) pod(p *Environment) {
	if !e.has(envSize) {
		e.fail("%s is %q: this is a pod of an indexed Job; set %s to the Job's completions and %s to host:port of its "+
			"pod 0, or set %s to 1 if each pod has a run of its own", envPod, e.text(envPod), envSize, envCoordinator, envSize)
		return
	}
	if n := e.number(envSize, 1, maxSize); n > 1 {
		p.Launcher, p.Size, p.Rank = Kubernetes, n, e.number(envPod, 0, n-1)
		p.Coordinator, p.Sockets = e.addresses()
	}
}

// Pod returns the index, from 0, of the pod of an indexed Job in which this process is the main process. ok is false
// outside such a pod, and in ranks that the pod's main process started.
func Pod() (index int, ok bool, err error) {
	env := envReader{lookup: os.LookupEnv}
	if !env.has(envPod) || env.has(envRank) {
		return 0, false, nil
	}
	index = env.number(envPod, 0, maxSize-1)
	return index, true, env.err
}

func (e *envReader) addresses() (coordinator, sockets string) {
	coordinator, sockets = e.text(envCoordinator), e.text(envSockets)
	path, unix := strings.CutPrefix(coordinator, "unix:")
	switch {
	case coordinator == "":
		e.fail("%s is not set: want unix:/path or host:port, the same for all ranks", envCoordinator)
	case unix && !filepath.IsAbs(path):
		e.fail("%s is %q: want an absolute path after unix:", envCoordinator, coordinator)
	case unix && sockets == "":
		e.fail("%s is not set: want the directory for this rank's socket", envSockets)
	case !unix:
		if host, port, err := net.SplitHostPort(coordinator); err != nil || host == "" || port == "" {
			e.fail("%s is %q: want unix:/path or host:port", envCoordinator, coordinator)
		}
	}
	if sockets != "" && !filepath.IsAbs(sockets) {
		e.fail("%s is %q: want an absolute path", envSockets, sockets)
	}
	return coordinator, sockets
}
