package smooth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers/smooth/kernels"
)

// view returns the vertices where the host can read them; ghosts may be out of date.
func (s *solver[F]) view() ([]kernels.Vertex[F], error) {
	if !s.apart {
		return s.v, nil
	}
	n := s.part.Owned
	return s.host, backend.Download(s.dev, s.host[:n], s.v[:n])
}

func (s *solver[F]) Coordinates() (x, y []float64, err error) {
	v, err := s.view()
	if err != nil {
		return nil, nil, err
	}
	x, y = make([]float64, s.part.Owned), make([]float64, s.part.Owned)
	for i := range x {
		x[i], y[i] = float64(v[i].X), float64(v[i].Y)
	}
	return x, y, nil
}

// chunk is how many vertices are gathered at a time.
const chunk = 1 << 16

// Hash gathers the coordinates in blocks of global ids, so that no rank ever holds them all.
func (s *solver[F]) Hash(ctx context.Context) (string, error) {
	if s.order == nil {
		s.order = make([]int32, s.part.Owned)
		for i := range s.order {
			s.order[i] = int32(i)
		}
		slices.SortFunc(s.order, func(a, b int32) int { return int(s.part.Global[a]) - int(s.part.Global[b]) })
	}
	last := []int64{-1}
	if len(s.order) > 0 {
		last[0] = int64(s.part.Global[s.order[len(s.order)-1]])
	}
	if err := s.comm.AllreduceInt64(ctx, dist.Max, last); err != nil {
		return "", err
	}
	v, err := s.view()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	size := 2 * int(sizeOf[F]())
	block := make([]byte, chunk*size)
	var buf []byte
	next := 0
	for base := int64(0); base <= last[0]; base += chunk {
		buf = buf[:0]
		for ; next < len(s.order) && int64(s.part.Global[s.order[next]]) < base+chunk; next++ {
			i := s.order[next]
			place := [2]F{v[i].X, v[i].Y}
			buf = binary.LittleEndian.AppendUint32(buf, uint32(s.part.Global[i]))
			buf = append(buf, unsafe.Slice((*byte)(unsafe.Pointer(&place)), size)...)
		}
		all, err := s.comm.Gatherv(ctx, 0, buf)
		if err != nil {
			return "", err
		}
		for r, part := range all {
			for ; len(part) >= 4+size; part = part[4+size:] {
				at := int64(binary.LittleEndian.Uint32(part)) - base
				if at < 0 || at >= chunk {
					return "", fmt.Errorf("rank %d sent vertex %d for the block from %d", r, at+base, base)
				}
				copy(block[int(at)*size:], part[4:4+size])
			}
		}
		sum.Write(block[:size*int(min(chunk, last[0]+1-base))])
	}
	digest := sum.Sum(nil)
	if err := s.comm.Bcast(ctx, 0, digest); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest), nil
}
