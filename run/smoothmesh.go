package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/dist"
	smoothproblem "github.com/atoll-hpc/atoll/solvers/smooth/problem"
)

// SmoothOptions say how to smooth the mesh of a case on one rank. All ranks pass the same, but for Comm and Device.
type SmoothOptions struct {
	Case   *config.Case // of solver smooth; of its output nothing counts
	Comm   dist.Comm
	Device backend.Device
	Out    string    // the mesh file to write, by its extension; "" for none
	Log    io.Writer // where the stages of the set-up are told as they end; nil for nowhere
}

// SmoothMesh smooths the mesh of a case and writes it to a file, with its groups and fields, and the quality of each
// cell as the cell field "quality" where the format has fields. Every rank of o.Comm calls it; rank 0 writes and gets
// the report. An error of one rank ends the others.
func SmoothMesh(ctx context.Context, o SmoothOptions) (*SmoothReport, error) {
	report, err := smoothMesh(ctx, o)
	var bad *BadInput
	if err != nil && !errors.As(err, &bad) {
		o.Comm.Abort(1, err)
	}
	return report, err
}

func smoothMesh(ctx context.Context, o SmoothOptions) (*SmoothReport, error) {
	begin := time.Now()
	s, err := newSmoothing(ctx, o.Case, o.Comm, o.Device, "auto", o.Log)
	if err != nil {
		return nil, err
	}
	defer s.solver.Close()
	w := o.Case.Sections.(*smoothproblem.Sections)
	r := &SmoothReport{Dim: s.dim(), Vertices: s.Vertices, Cells: s.Cells, Colours: s.subdomain().Colours,
		Crowded: s.Crowded, Held: s.held,
		Scale: s.solver.Scale(), Untangled: s.untangled,
		SetUp: time.Since(begin).Seconds(), Before: s.before}
	begin = time.Now()
	rules := newStopRules(w.Stop, &s.before)
	for done := rules.reason != ""; !done && s.solver.Sweeps() < w.Method.Sweeps; {
		n := s.solver.Sweeps()
		move, err := s.solver.Sweep(ctx, min(w.Method.Sweeps-n, rules.left(n)))
		if err != nil {
			return nil, fmt.Errorf("after %d sweeps: %w", n, err)
		}
		if done, err = rules.look(ctx, s.solver, move); err != nil {
			return nil, err
		}
	}
	r.Stopped, r.Sweeps, r.Seconds = rules.why(), s.solver.Sweeps(), time.Since(begin).Seconds()
	if r.After, err = s.solver.Diagnose(ctx); err != nil {
		return nil, err
	}
	if r.SHA256, err = s.solver.Hash(ctx); err != nil {
		return nil, err
	}
	smoothed, err := s.gather(ctx, o.Comm)
	if err != nil || smoothed == nil {
		return r, err
	}
	r.Places = func(before bool, cell int64) []float64 {
		if before {
			return s.body.centre(int(cell))
		}
		return smoothed.centre(int(cell))
	}
	if o.Out == "" {
		return r, nil
	}
	r.NotKept = s.body.notKept(o.Out)
	return r, smoothed.write(o.Out)
}

// gather returns the mesh as it is now, on rank 0, with the quality of its cells; nil on others.
func (s *smoothing) gather(ctx context.Context, comm dist.Comm) (smoothBody, error) {
	at, err := s.solver.Coordinates()
	if err != nil {
		return nil, err
	}
	quality, err := s.solver.Qualities()
	if err != nil {
		return nil, err
	}
	d := s.subdomain()
	places, err := gatherByID(ctx, comm, d.Global[:d.Owned], int(s.Vertices), at...)
	if err != nil {
		return nil, err
	}
	measures, err := gatherByID(ctx, comm, s.cellIDs(), int(s.Cells), quality)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	return s.body.moved(places, measures[0]), nil
}

// gatherByID returns, on rank 0, columns of values of all ranks in the order of their ids, which are 0 to n-1.
func gatherByID(ctx context.Context, comm dist.Comm, ids []int32, n int, columns ...[]float64) ([][]float64, error) {
	row := 4 + 8*len(columns)
	mine := make([]byte, 0, len(ids)*row)
	for i, id := range ids {
		mine = binary.LittleEndian.AppendUint32(mine, uint32(id))
		for _, c := range columns {
			mine = binary.LittleEndian.AppendUint64(mine, math.Float64bits(c[i]))
		}
	}
	all, err := comm.Gatherv(ctx, 0, mine)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	to := make([][]float64, len(columns))
	for k := range to {
		to[k] = make([]float64, n)
	}
	total := 0
	for r, b := range all {
		for ; len(b) >= row; b = b[row:] {
			id := int64(binary.LittleEndian.Uint32(b))
			if id >= int64(n) {
				return nil, fmt.Errorf("rank %d sent values of %d, and there are %d", r, id, n)
			}
			for k := range to {
				to[k][id] = math.Float64frombits(binary.LittleEndian.Uint64(b[4+8*k:]))
			}
			total++
		}
	}
	if total != n {
		return nil, fmt.Errorf("values of %d vertices or cells came from all ranks; there are %d", total, n)
	}
	return to, nil
}
