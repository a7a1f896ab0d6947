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

// The environment of a rank; doc.go says what each holds.
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

// maxSize bounds the number of ranks that an environment may claim: tables are made of that length.
const maxSize = 1 << 20

// Launcher is what started this process.
type Launcher uint8

const (
	None       Launcher = iota // nothing that Detect knows: a run of one process
	Atoll                      // Local, or anything that sets the same variables
	OpenMPI                    // mpirun of Open MPI
	PMI                        // mpirun of MPICH, Intel MPI and others that speak PMI
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

// Environment is what the launcher has told this process: its rank, the size of the run, and how to reach the others.
// Rank is 0 and Size is 1 without a launcher.
type Environment struct {
	Launcher   Launcher
	Rank, Size int

	// Threads is how many threads the rank is to keep busy, 0 when nobody has said.
	Threads int

	// Where ranks of Local, and ranks that srun has started on one node, can meet; "" for others.
	Coordinator string // unix:/path or host:port
	Sockets     string // absolute directory for this rank's socket, "" when ranks meet by host and port

	// Of a worker that a supervisor has started: the epoch of the run, from 1, and the epoch in which the command that
	// the run is of began. Zero for others.
	Epoch, FirstEpoch uint64

	// What Slurm says of the step that srun has started: zero for others, or where Slurm does not say.
	Job   string // as in 1234.0: the job and its step
	Nodes int    // on which the step runs
	PMI   bool   // srun offers a process management interface, by which an MPI library finds the other ranks
}

// String says on one line what was found.
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

// Origin says what is the same for all ranks: their launcher, and what Slurm says of the step.
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

// count is a number of things in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Detect reads the environment of this process. Atoll's own variables come first, because a run may be started
// inside an allocation whose variables are inherited. Of mpirun and srun only more than one process counts. A
// variable that is malformed, or missing from its set, is an error that names it.
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
		// MPICH's mpirun starts its helpers by srun, so the step is theirs: other ranks, and seldom as many.
		env.otherLauncher(&p, PMI, "PMI_RANK", "PMI_SIZE")
	case env.has("SLURM_STEP_NUM_TASKS"):
		// A batch script and an interactive shell of an allocation have SLURM_NTASKS and SLURM_PROCID too, though
		// they run once: the size of the step tells them from copies that srun has made.
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

// envReader reads variables and keeps the first error.
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
		e.fail("%s is not set, though other variables of a rank are: set all of %s, %s and %s, or none",
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

// otherLauncher fills in p when another launcher's variables say that this is one of several processes.
func (e *envReader) otherLauncher(p *Environment, by Launcher, rank, size string) {
	if !e.has(rank) || !e.has(size) {
		return
	}
	if n := e.number(size, 1, maxSize); n > 1 {
		p.Launcher, p.Size, p.Rank = by, n, e.number(rank, 0, n-1)
	}
}

// pod fills in p in a pod of an indexed Job, whose index is the rank. Kubernetes tells neither how many pods there are
// nor where they meet, so the Job must.
func (e *envReader) pod(p *Environment) {
	if !e.has(envSize) {
		e.fail("%s is %q: this is a pod of an indexed Job; set %s to its completions and %s to host:port of its pod "+
			"0, or %s to 1 if each pod has a run of its own", envPod, e.text(envPod), envSize, envCoordinator, envSize)
		return
	}
	if n := e.number(envSize, 1, maxSize); n > 1 {
		p.Launcher, p.Size, p.Rank = Kubernetes, n, e.number(envPod, 0, n-1)
		p.Coordinator, p.Sockets = e.addresses()
	}
}

// Pod reports whether this process is that of a pod of an indexed Job, and no rank that one has started; index is the
// pod's, from 0.
func Pod() (index int, is bool, err error) {
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
