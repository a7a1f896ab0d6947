// Package estimate tells what a run will take before it takes it: memory by counts, and time by steps that were
// measured.
package estimate

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"

	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/solvers"
)

// programBytes is what this program takes by itself, in bytes, on top of what a case does: measured.
const programBytes = 50 << 20

// Memory is what a run will take, in bytes.
type Memory struct {
	Entities int64 // that a step updates, of all ranks, about; 0 where nobody can tell beforehand
	Arrays   int64 // of the fullest rank, on its device
	Copies   int64 // of these, for output while steps go on, where the device has room; 0 without separate memory
	Host     int64 // on this machine in all, the program and, on a CPU, the arrays of its ranks among it
	MeshPeak bool  // it is the whole mesh that makes Host so large, while it is made ready
}

// MemoryOf tells what a case takes on so many ranks, of which so many are on this machine, from counts alone:
// nothing of the size of the case is made. apart is of devices with memory of their own.
func MemoryOf(c *config.Case, ranks, beside int, apart bool) (n Memory, err error) {
	kind, ok := solvers.Find(c.Solver)
	if !ok || kind.Estimate == nil {
		return n, nil
	}
	f, err := kind.Estimate(c, ranks, apart)
	if err != nil || f.Entities == 0 {
		return n, err
	}
	n.Entities, n.Arrays = f.Entities, kind.Needs(c, f.Held)
	each := float64(f.Host)
	if apart {
		n.Copies = copiesOf(&kind, c, f.Held)
	} else {
		each += float64(n.Arrays)
	}
	host := programBytes + each*float64(beside)
	if first := programBytes + float64(f.SetUpHost); first > host {
		host, n.MeshPeak = first, true
	}
	n.Host = int64(min(host, math.MaxInt64/2))
	return n, nil
}

// wholeFormats are those of frames with the values of all cells.
var wholeFormats = []string{"vtu", "vti", "vdb", "nc"}

// copiesOf adds those of a frame in each format and those of a checkpoint, which may fall on one step.
func copiesOf(kind *solvers.Kind, c *config.Case, held solvers.Counts) (bytes int64) {
	if kind.Copies == nil {
		return 0
	}
	n := kind.Copies(c, held)
	for _, format := range c.Output.Format {
		if slices.Contains(wholeFormats, format) {
			bytes += n.Frame
		}
	}
	if c.Checkpoint.Every > 0 || c.Checkpoint.Steps > 0 {
		bytes += n.Checkpoint
	}
	return bytes
}

// Check is why a machine with so much free memory cannot have the run; nil if it can.
func (n *Memory) Check(free int64, of string, beside int) error {
	if n.Host <= free {
		return nil
	}
	what, remedy := "the case", "use fewer cells, precision float32, or more machines"
	switch {
	case n.MeshPeak:
		what, remedy = "making the mesh ready", "use fewer cells, or a machine with more"
	case beside > 1:
		what = fmt.Sprintf("the case on %d ranks of this machine", beside)
	}
	return fmt.Errorf("%s takes about %s of memory, %d cells or vertices in all, and there is %s, %s; %s", what,
		words.Bytes(n.Host), n.Entities, words.Bytes(free), of, remedy)
}

// Largest is what the case that takes most of some takes, all of them on so many ranks of this machine.
func Largest(cases []*config.Case, ranks int, apart bool) (most Memory, err error) {
	for _, c := range cases {
		n, err := MemoryOf(c, ranks, ranks, apart)
		if err != nil {
			return most, err
		}
		if n.Host > most.Host || n.Host == most.Host && n.Arrays > most.Arrays {
			most = n
		}
	}
	return most, nil
}

// FreeMemory is how much memory a run on this machine may take, in bytes, and what bounds it.
func FreeMemory() (free int64, of string) {
	of = "what this machine can give"
	available, _, err := cpu.HostMemory()
	if err != nil {
		available = math.MaxInt64
	}
	free = int64(min(available, math.MaxInt64))
	if limit := debug.SetMemoryLimit(-1); limit < free {
		free, of = limit, "what GOMEMLIMIT allows"
	}
	return free, of
}

// Text tells people of it, of so many ranks of this machine.
func (n *Memory) Text(beside int, apart bool) string {
	where := "there"
	if apart {
		where = "on its device"
	}
	text := fmt.Sprintf("about %s on this machine, %s of them in arrays", words.Bytes(n.Host),
		words.Bytes(n.Arrays*int64(beside)))
	if beside > 1 || apart {
		text = fmt.Sprintf("about %s on this machine; arrays of %s on a rank, %s", words.Bytes(n.Host),
			words.Bytes(n.Arrays), where)
	}
	if n.Copies > 0 {
		text += fmt.Sprintf(", and up to %s of copies for output if there is room", words.Bytes(n.Copies))
	}
	return text
}
