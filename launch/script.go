package launch

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// SlurmConfig is the run that SlurmScript writes a batch script for, and the resources that the script requests.
type SlurmConfig struct {
	Program string   // atoll's path on the cluster
	Case    string   // path of the case file, absolute or relative to the directory where the job is submitted
	Args    []string // further arguments of atoll run

	Nodes       int
	Tasks       int    // ranks, 0 for one per GPU
	CPUsPerTask int    // threads of each rank
	GPUsPerNode int    // 0 to run on processors; else each rank runs on a GPU of its own
	Time        string // limit in Slurm's notation, "" for the partition's
	Partition   string // "" for the cluster's default
}

var (
	slurmTime = regexp.MustCompile(`^(\d+|\d+(:\d+){1,2}|\d+-\d+(:\d+){0,2})$`)
	slurmName = regexp.MustCompile(`^[\w.-]+(,[\w.-]+)*$`)
	plainWord = regexp.MustCompile(`^[\w.,:/=@%+-]+$`) // needs no quotes in the shell
	notInName = regexp.MustCompile(`[^\w.-]+`)         // replaced by - in a job's name
)

// prepare returns c with the default of Tasks, or an error for values that Slurm or atoll would refuse.
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
		return refuse("--ntasks is missing: want the number of ranks, as in --ntasks %d", max(c.Nodes, 2))
	case c.Tasks < c.Nodes || c.Tasks > maxSize:
		return refuse("--ntasks %d on %s: want %d to %d", c.Tasks, count(c.Nodes, "node"), c.Nodes, maxSize)
	case c.GPUsPerNode > 0 && c.Tasks != c.Nodes*c.GPUsPerNode:
		return refuse("--ntasks %d: want %d, one rank per GPU on %s of %s", c.Tasks, c.Nodes*c.GPUsPerNode,
			count(c.Nodes, "node"), count(c.GPUsPerNode, "GPU"))
	case c.CPUsPerTask < 1 || c.CPUsPerTask > maxCPU:
		return refuse("--cpus-per-task %d: want 1 to %d", c.CPUsPerTask, maxCPU)
	case c.Time != "" && !slurmTime.MatchString(c.Time):
		return refuse("--time %q: want minutes, hours:minutes:seconds or days-hours:minutes:seconds", c.Time)
	case c.Partition != "" && !slurmName.MatchString(c.Partition):
		return refuse("--partition %q: want a name, or several separated by commas", c.Partition)
	}
	return c, nil
}

// SlurmScript returns the batch script of a run, or an error if c is inconsistent.
func SlurmScript(c SlurmConfig) (string, error) {
	c, err := c.prepare()
	if err != nil {
		return "", err
	}
	name := notInName.ReplaceAllString(strings.TrimSuffix(filepath.Base(c.Case), filepath.Ext(c.Case)), "-")
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	option := func(name string, value any) { line("#SBATCH --%s=%v", name, value) }

	line("#!/bin/bash")
	line("# %s: %s on %s, %s per rank.", name, count(c.Tasks, "rank"), count(c.Nodes, "node"),
		count(c.CPUsPerTask, "thread"))
	line("# Submit with sbatch, watch with squeue --me, cancel with scancel. " +
		"Paths are relative to where sbatch is run.")
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
	line("# Load the modules that the program needs (see: module avail), and choose how its MPI finds the ranks " +
		"(see: srun --mpi=list).")
	line("# module load openmpi")
	line("# export SLURM_MPI_TYPE=pmix")
	line("")
	line("# From Slurm 22.05 on, srun does not inherit --cpus-per-task from the job. Each rank is bound to its cores. " +
		"If one rank")
	line("# fails, srun ends the others.")
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

// shellWord quotes a word for the shell if it needs quotes.
func shellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
