package problem

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth"
)

// gather returns the current mesh on rank 0, with the quality of its cells; nil on other ranks.
func (s *smoothing) gather(ctx context.Context, comm dist.Comm, of smooth.Solver) (body, error) {
	at, err := of.Coordinates()
	if err != nil {
		return nil, err
	}
	quality, err := of.Qualities()
	if err != nil {
		return nil, err
	}
	d := s.subdomain()
	positions, err := gatherByID(ctx, comm, d.Global[:d.Owned], int(s.Vertices), at...)
	if err != nil {
		return nil, err
	}
	measures, err := gatherByID(ctx, comm, s.cellIDs(), int(s.Cells), quality)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	return s.body.moved(positions, measures[0]), nil
}

// gatherByID returns, on rank 0, columns of values of all ranks sorted by their ids, which are 0 to n-1.
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
				return nil, fmt.Errorf("rank %d sent the values of vertex or cell %d; there are %d", r, id, n)
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
