package run

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/solvers"
)

// programBytes is what this program takes by itself, in bytes, on top of what a case does: measured.
const programBytes = 48 << 20

// MemoryEstimate is the memory that a run will take, in bytes.
type MemoryEstimate struct {
	Entities int64 // that a step updates, of all ranks, about; 0 where nobody can tell beforehand
	Arrays   int64 // of the fullest rank, on its device
	Host     int64 // on this machine in all, the program and, on a CPU, the arrays of its ranks among it
	MeshPeak bool  // it is the whole mesh that makes Host so large, while it is made ready
}

// EstimateMemory tells what a case takes on so many ranks, of which so many are on this machine, from counts alone:
// nothing of the size of the case is made. apart is of devices with memory of their own.
func EstimateMemory(o *Options, ranks, beside int, apart bool) (n MemoryEstimate, err error) {
	kind, ok := solvers.Find(o.Case.Solver)
	if !ok || kind.Foresee == nil {
		return n, nil
	}
	f, err := kind.Foresee(o.Case, ranks, apart)
	if err != nil || f.Entities == 0 {
		return n, err
	}
	n.Entities, n.Arrays = f.Entities, kind.Needs(o.Case, f.Held)
	each := float64(f.Host)
	if !apart {
		each += float64(n.Arrays)
	}
	host := programBytes + each*float64(beside)
	if first := programBytes + float64(f.First); first > host {
		host, n.MeshPeak = first, true
	}
	n.Host = int64(min(host, math.MaxInt64/2))
	return n, nil
}

// Check is why a machine with so much free memory cannot have the run; nil if it can.
func (n *MemoryEstimate) Check(free int64, of string, beside int) error {
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
		solvers.Amount(n.Host), n.Entities, solvers.Amount(free), of, remedy)
}

// Free is how much memory a run on this machine may take, in bytes, and what bounds it.
func Free() (free int64, of string) {
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

// checkMemory tells on rank 0 what the run will take, and refuses it on all ranks if that is more than the machine or
// the device of one has, before anything is made.
func (r *runner) checkMemory(ctx context.Context) error {
	o := &r.Options
	_, apart := o.Device.(backend.Memory)
	here := max(1, o.LocalRanks)
	n, err := EstimateMemory(o, o.Comm.Size(), here, apart)
	if err == nil && n.Entities > 0 {
		if o.Comm.Rank() == 0 && o.Progress.Out != nil {
			fmt.Fprintf(o.Progress.Out, "%-16s %s\n", "memory foreseen", n.text(here, apart))
		}
		free, of := Free()
		if err = n.Check(free, of, here); err == nil {
			err = solvers.Fits(o.Device, n.Arrays, here)
		}
	}
	return solvers.Agree(ctx, o.Comm, err)
}

func (n *MemoryEstimate) text(beside int, apart bool) string {
	where := "there"
	if apart {
		where = "on its device"
	}
	text := fmt.Sprintf("about %s on this machine, %s of them in arrays", solvers.Amount(n.Host),
		solvers.Amount(n.Arrays*int64(beside)))
	if beside > 1 || apart {
		text = fmt.Sprintf("about %s on this machine; arrays of %s on a rank, %s", solvers.Amount(n.Host),
			solvers.Amount(n.Arrays), where)
	}
	return text
}
