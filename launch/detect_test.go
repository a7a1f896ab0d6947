package launch

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		s, ok := env[name]
		return s, ok
	}
}

// child is the environment of rank 2 of 4 started by Local.
var child = map[string]string{
	envRank: "2", envSize: "4", envCoordinator: "unix:/tmp/atoll-1/c.sock", envSockets: "/tmp/atoll-1", envThreads: "3",
}

// with returns env with changes: "NAME=value" sets a variable, "NAME" removes it.
func with(env map[string]string, changes ...string) map[string]string {
	env = maps.Clone(env)
	for _, c := range changes {
		name, value, ok := strings.Cut(c, "=")
		if ok {
			env[name] = value
		} else {
			delete(env, name)
		}
	}
	return env
}

// step is the environment of task 1 of 2 in a Slurm job step.
var step = map[string]string{
	"SLURM_PROCID": "1", "SLURM_NTASKS": "2", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_NUM_NODES": "1",
	"SLURM_JOB_ID": "17", "SLURM_STEP_ID": "3",
}

func TestDetect(t *testing.T) {
	none := map[string]string{}
	alone := "one process, no launcher found"
	for _, test := range []struct {
		name, want string
		env        map[string]string
	}{
		{"nothing", alone, none},
		{"threads alone", alone + ", threads 8", with(none, "ATOLL_THREADS=8")},
		{"child", "rank 2 of 4, started by atoll, coordinator unix:/tmp/atoll-1/c.sock, threads 3", child},
		{"child over TCP", "rank 2 of 4, started by atoll, coordinator [::1]:7070",
			with(child, "ATOLL_COORDINATOR=[::1]:7070", "ATOLL_SOCKETS", "ATOLL_THREADS")},
		{"child inside mpirun", "rank 2 of 4, started by atoll, coordinator unix:/tmp/atoll-1/c.sock, threads 3",
			with(child, "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=9")},
		{"Open MPI", "rank 1 of 3, started by mpirun (Open MPI)",
			with(none, "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=3", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=2")},
		{"mpirun -n 1", alone, with(none, "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1")},
		{"MPICH", "rank 0 of 2, started by mpirun (PMI)", with(none, "PMI_RANK=0", "PMI_SIZE=2")},
		{"srun", "rank 3 of 4, started by srun (Slurm)",
			with(none, "SLURM_PROCID=3", "SLURM_NTASKS=4", "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=4")},
		{"srun without the size of its step", "rank 0 of 4, started by srun (Slurm)",
			with(none, "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_STEP_ID=0")},
		{"srun without its step", "rank 1 of 4, started by srun (Slurm)",
			with(none, "SLURM_PROCID=1", "SLURM_NTASKS=4")},
		{"srun on one node", fmt.Sprintf("rank 1 of 2, started by srun (Slurm), job 17.3, 1 node, coordinator "+
			"unix:/scratch/atoll-%d-17.3/c.sock", os.Getuid()), with(step, "TMPDIR=/scratch")},
		{"srun on two nodes", "rank 1 of 2, started by srun (Slurm), job 17.3, 2 nodes",
			with(step, "SLURM_STEP_NUM_NODES=2")},
		{"srun with PMI", "rank 1 of 2, started by srun (Slurm), job 17.3, 2 nodes",
			with(step, "SLURM_STEP_NUM_NODES=2", "PMI_RANK=1", "PMI_SIZE=2")},
		{"MPICH in an allocation", "rank 1 of 8, started by mpirun (PMI)", with(step, "PMI_RANK=1", "PMI_SIZE=8")},
		{"Open MPI, one rank beside its own srun", alone,
			with(step, "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=1")},
		{"pod of an indexed Job", "rank 2 of 4, started by Kubernetes, coordinator run-0.run:7070",
			with(none, "JOB_COMPLETION_INDEX=2", "ATOLL_SIZE=4", "ATOLL_COORDINATOR=run-0.run:7070")},
		{"pod with a run of its own", alone, with(none, "JOB_COMPLETION_INDEX=2", "ATOLL_SIZE=1")},
		{"child in a pod", "rank 2 of 4, started by atoll, coordinator unix:/tmp/atoll-1/c.sock, threads 3",
			with(child, "JOB_COMPLETION_INDEX=0")},
		{"batch script", alone, with(none, "SLURM_PROCID=0", "SLURM_NTASKS=4")},
		{"interactive shell", alone,
			with(none, "SLURM_PROCID=0", "SLURM_NTASKS=4", "SLURM_STEP_ID=4294967290", "SLURM_STEP_NUM_TASKS=1")},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := detect(lookupIn(test.env))
			if err != nil || p.String() != test.want {
				t.Errorf("got %q, %v\nwant %q", p, err, test.want)
			}
		})
	}
}

func TestDetectRefuses(t *testing.T) {
	for _, test := range []struct {
		names string // the variable that the error must name
		env   map[string]string
	}{
		{envRank, with(child, envRank)},
		{envRank, with(child, "ATOLL_RANK=two")},
		{envRank, with(child, "ATOLL_RANK=")},
		{envRank, with(child, "ATOLL_RANK=4")},
		{envRank, with(child, "ATOLL_RANK=-1")},
		{envSize, with(child, envSize)},
		{envSize, with(child, "ATOLL_SIZE=0")},
		{envSize, with(child, "ATOLL_SIZE=99999999")},
		{envSize, with(child, "ATOLL_SIZE=99999999999999999999999")},
		{envCoordinator, with(child, envCoordinator)},
		{envCoordinator, with(child, "ATOLL_COORDINATOR=unix:c.sock")},
		{envCoordinator, with(child, "ATOLL_COORDINATOR=localhost")},
		{envCoordinator, with(child, "ATOLL_COORDINATOR=:7070")},
		{envSockets, with(child, envSockets)},
		{envSockets, with(child, "ATOLL_SOCKETS=here")},
		{envThreads, with(child, "ATOLL_THREADS=0")},
		{envThreads, map[string]string{envThreads: "many"}},
		{"OMPI_COMM_WORLD_SIZE", map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "x"}},
		{"PMI_RANK", map[string]string{"PMI_RANK": "2", "PMI_SIZE": "2"}},
		{"SLURM_STEP_NUM_NODES", with(step, "SLURM_STEP_NUM_NODES=0")},
		{"SLURM_JOB_ID", with(step, "SLURM_JOB_ID=../x")},
		{"SLURM_STEP_ID", with(step, "SLURM_STEP_ID=batch")},
		{"SLURM_RESTART_COUNT", with(step, "SLURM_RESTART_COUNT=/")},
		{"SLURM_PROCID", map[string]string{"SLURM_PROCID": "", "SLURM_NTASKS": "2"}},
		{envSize, map[string]string{envPod: "0"}},
		{envPod, map[string]string{envPod: "4", envSize: "4", envCoordinator: "run-0.run:7070"}},
		{envCoordinator, map[string]string{envPod: "0", envSize: "4"}},
	} {
		p, err := detect(lookupIn(test.env))
		if err == nil || !strings.Contains(err.Error(), test.names+" ") {
			t.Errorf("%v: got %q, %v; want an error that names %s", test.env, p, err, test.names)
		}
		if code := ExitCode(err); code != 2 {
			t.Errorf("%v: exit code %d, want 2", test.env, code)
		}
	}
}

// Detect reads the variables that Local sets, whatever the parent's own environment contains.
func TestDetectReadsWhatLocalSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 1000).Draw(t, "size")
		rank := rapid.IntRange(0, size-1).Draw(t, "rank")
		threads := rapid.IntRange(1, 512).Draw(t, "threads")
		config := LocalConfig{Ranks: size, Threads: threads}
		config.Env = []string{"A=1", "ATOLL_RANK=77", "ATOLL_SIZE=1", "ATOLL_RANKS=x"}
		env := map[string]string{}
		for _, entry := range config.command(rank, "/tmp/d").Env {
			name, value, _ := strings.Cut(entry, "=")
			if _, twice := env[name]; twice {
				t.Fatalf("%s is set twice", name)
			}
			env[name] = value
		}
		if env["A"] != "1" || env["ATOLL_RANKS"] != "x" {
			t.Fatal("a variable of the user is lost")
		}
		got, err := detect(lookupIn(env))
		want := Environment{Launcher: Atoll, Rank: rank, Size: size, Threads: threads,
			Coordinator: "unix:/tmp/d/c.sock", Sockets: "/tmp/d"}
		if err != nil || got != want {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
	})
}

// For any environment, the result is an error or a rank below the size.
func FuzzDetect(f *testing.F) {
	f.Add("2", "4", "unix:/tmp/c.sock", "/tmp", "1", "1", "2")
	f.Add("", "", "", "", "", "", "")
	f.Add("0", "1", "host:1", "", "-1", "0", "1")
	f.Fuzz(func(t *testing.T, rank, size, coordinator, sockets, threads, foreignRank, foreignSize string) {
		env := map[string]string{}
		for name, value := range map[string]string{
			envRank: rank, envSize: size, envCoordinator: coordinator, envSockets: sockets, envThreads: threads,
			"PMI_RANK": foreignRank, "PMI_SIZE": foreignSize, "SLURM_PROCID": foreignRank, "SLURM_NTASKS": foreignSize,
			envPod: foreignRank,
		} {
			if value != "" {
				env[name] = value
			}
		}
		p, err := detect(lookupIn(env))
		if err != nil {
			if p != (Environment{}) {
				t.Errorf("got %v with error %v, want the zero Environment", p, err)
			}
			return
		}
		if p.Rank < 0 || p.Rank >= p.Size || p.Size > maxSize || (p.Launcher == None) != (p.Size == 1 && rank == "") {
			t.Errorf("got %+v, want a rank below the size, and a launcher if the size is above 1", p)
		}
		if strings.Contains(p.String(), "\n") && !strings.Contains(coordinator, "\n") {
			t.Errorf("got %q, want one line", p)
		}
	})
}
