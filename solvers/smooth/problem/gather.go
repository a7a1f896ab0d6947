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
func (s *smoothing) gather(ctx context.Context, comm dist.Comm, solver *smooth.Solver) (wholeMesh, error) {
	coordinates, err := solver.Coordinates()
	if err != nil {
		return nil, err
	}
	quality, err := solver.Qualities()
	if err != nil {
		return nil, err
	}
	d := s.subdomain()
	positions, err := gatherByID(ctx, comm, d.Global[:d.Owned], int(s.Vertices), coordinates...)
	if err != nil {
		return nil, err
	}
	measures, err := gatherByID(ctx, comm, s.cellIDs(), int(s.Cells), quality)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	return s.initialMesh.moved(positions, measures[0]), nil
}

// gatherByID returns, on rank 0, columns of values of all ranks sorted by their ids, which are 0 to n-1.
func gatherByID(ctx context.Context, comm dist.Comm, ids []int32, n int, columns ...[]float64) ([][]float64, error) {
	row := 4 + 8*len(columns)
	packed := make([]byte, 0, len(ids)*row)
	for i, id := range ids {
		packed = binary.LittleEndian.AppendUint32(packed, uint32(id))
		for _, c := range columns {
			packed = binary.LittleEndian.AppendUint64(packed, math.Float64bits(c[i]))
		}
	}
	gathered, err := comm.Gatherv(ctx, 0, packed)
	if err != nil || comm.Rank() != 0 {
		return nil, err
	}
	sorted := make([][]float64, len(columns))
	for k := range sorted {
		sorted[k] = make([]float64, n)
	}
	received := 0
	for r, b := range gathered {
		for ; len(b) >= row; b = b[row:] {
			id := int64(binary.LittleEndian.Uint32(b))
			if id >= int64(n) {
				return nil, fmt.Errorf("rank %d sent the values of vertex or cell %d; there are %d", r, id, n)
			}
			for k := range sorted {
				sorted[k][id] = math.Float64frombits(binary.LittleEndian.Uint64(b[4+8*k:]))
			}
			received++
		}
	}
	if received != n {
		return nil, fmt.Errorf("values of %d vertices or cells came from all ranks; there are %d", received, n)
	}
	return sorted, nil
}
