package launch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// SlurmConfig is what the batch script of a run asks of a cluster.
type SlurmConfig struct {
	Program string   // atoll's path on the cluster
	Case    string   // the case file, relative to where the job is submitted, or absolute
	Args    []string // further arguments of atoll run

	Nodes       int
	Tasks       int    // ranks, 0 for one a GPU
	CPUsPerTask int    // threads of each rank
	GPUsPerNode int    // 0 for none; else ranks run on GPUs, one on each
	Time        string // limit in Slurm's notation, "" for the partition's
	Partition   string // "" for the cluster's default
}

var (
	slurmTime = regexp.MustCompile(`^(\d+|\d+(:\d+){1,2}|\d+-\d+(:\d+){0,2})$`)
	slurmName = regexp.MustCompile(`^[\w.-]+(,[\w.-]+)*$`)
	plainWord = regexp.MustCompile(`^[\w.,:/=@%+-]+$`) // means the same to the shell without quotes
	unnamed   = regexp.MustCompile(`[^\w.-]+`)         // what a job's name does without
)

func (c SlurmConfig) prepare() (SlurmConfig, error) {
	if c.Tasks == 0 {
		c.Tasks = c.Nodes * c.GPUsPerNode
	}
	refuse := func(format string, args ...any) (SlurmConfig, error) {
		return c, &usageError{fmt.Sprintf(format, args...)}
	}
	for _, word := range append([]string{c.Program, c.Case}, c.Args...) {
		if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return refuse("%q has a control character, which a script cannot hold in one line", word)
		}
	}
	switch {
	case c.Program == "" || c.Case == "":
		return refuse("a batch script needs a program and a case")
	case c.Nodes < 1 || c.Nodes > maxSize:
		return refuse("--nodes %d: want 1 to %d", c.Nodes, maxSize)
	case c.GPUsPerNode < 0 || c.GPUsPerNode > 64:
		return refuse("--gpus-per-node %d: want 0 to 64", c.GPUsPerNode)
	case c.Tasks == 0:
		return refuse("--ntasks: say how many ranks, as in --ntasks %d", max(c.Nodes, 2))
	case c.Tasks < c.Nodes || c.Tasks > maxSize:
		return refuse("--ntasks %d on %s: want %d to %d", c.Tasks, count(c.Nodes, "node"), c.Nodes, maxSize)
	case c.GPUsPerNode > 0 && c.Tasks != c.Nodes*c.GPUsPerNode:
		return refuse("--ntasks %d: with %s of %s, one rank on each makes %d", c.Tasks, count(c.Nodes, "node"),
			count(c.GPUsPerNode, "GPU"), c.Nodes*c.GPUsPerNode)
	case c.CPUsPerTask < 1 || c.CPUsPerTask > maxCPU:
		return refuse("--cpus-per-task %d: want 1 to %d", c.CPUsPerTask, maxCPU)
	case c.Time != "" && !slurmTime.MatchString(c.Time):
		return refuse("--time %q: want minutes, hours:minutes:seconds or days-hours:minutes:seconds", c.Time)
	case c.Partition != "" && !slurmName.MatchString(c.Partition):
		return refuse("--partition %q: want a name, or several with commas between them", c.Partition)
	}
	return c, nil
}

// SlurmScript writes the batch script of a run. What makes no sense is refused.
func SlurmScript(c SlurmConfig) (string, error) {
	c, err := c.prepare()
	if err != nil {
		return "", err
	}
	name := unnamed.ReplaceAllString(strings.TrimSuffix(filepath.Base(c.Case), filepath.Ext(c.Case)), "-")
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	option := func(name string, value any) { line("#SBATCH --%s=%v", name, value) }

	line("#!/bin/bash")
	line("# %s: %s on %s, %s each.", name, count(c.Tasks, "rank"), count(c.Nodes, "node"), count(c.CPUsPerTask, "thread"))
	line("# Hand in with sbatch, watch with squeue --me, end with scancel. Paths are relative to where sbatch is called.")
	option("job-name", name)
	option("nodes", c.Nodes)
	option("ntasks", c.Tasks)
	if c.Tasks%c.Nodes == 0 {
		option("ntasks-per-node", c.Tasks/c.Nodes)
	}
	option("cpus-per-task", c.CPUsPerTask)
	if c.GPUsPerNode > 0 {
		option("gpus-per-node", c.GPUsPerNode)
	}
	if c.Time != "" {
		option("time", c.Time)
	}
	if c.Partition != "" {
		option("partition", c.Partition)
	}
	option("output", "%x-%j.out")
	line("")
	line("# What the program needs on this cluster (see: module avail), and how its MPI finds the ranks (see: srun " +
		"--mpi=list).")
	line("# module load openmpi")
	line("# export SLURM_MPI_TYPE=pmix")
	line("")
	line("# From Slurm 22.05 on, srun does not take --cpus-per-task over from the job. Ranks keep to their cores, " +
		"and when one")
	line("# fails the others end with it.")
	line(`srun --cpus-per-task="$SLURM_CPUS_PER_TASK" --cpu-bind=cores --kill-on-bad-exit=1 \`)
	words := []string{c.Program, "run", c.Case}
	if c.GPUsPerNode > 0 {
		words = append(words, "--backend", "cuda")
	}
	for i, word := range append(words, c.Args...) {
		if i == 0 {
			b.WriteString("\t")
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(shellWord(word))
	}
	line("")
	return b.String(), nil
}

// shellWord quotes a word for the shell where that is needed.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
