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

func (s *solver[F]) Hash(ctx context.Context) (string, error) {
	if s.order == nil {
		s.order = ascending(&s.part.Subdomain)
	}
	v, err := s.view()
	if err != nil {
		return "", err
	}
	return hashOf(ctx, s.comm, &s.part.Subdomain, s.order, 2*int(sizeOf[F]()), func(buf []byte, i int32) []byte {
		place := [2]F{v[i].X, v[i].Y}
		return append(buf, unsafe.Slice((*byte)(unsafe.Pointer(&place)), unsafe.Sizeof(place))...)
	})
}

// ascending lists the owned vertices by global id.
func ascending(p *Subdomain) []int32 {
	order := make([]int32, p.Owned)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return int(p.Global[a]) - int(p.Global[b]) })
	return order
}

// hashOf gathers the coordinates in blocks of global ids, so that no rank ever holds them all. put appends those of a
// vertex, of the given size.
func hashOf(ctx context.Context, comm dist.Comm, p *Subdomain, order []int32, size int,
	put func(buf []byte, i int32) []byte) (string, error) {
	last := []int64{-1}
	if len(order) > 0 {
		last[0] = int64(p.Global[order[len(order)-1]])
	}
	if err := comm.AllreduceInt64(ctx, dist.Max, last); err != nil {
		return "", err
	}
	sum := sha256.New()
	block := make([]byte, chunk*size)
	var buf []byte
	next := 0
	for base := int64(0); base <= last[0]; base += chunk {
		buf = buf[:0]
		for ; next < len(order) && int64(p.Global[order[next]]) < base+chunk; next++ {
			i := order[next]
			buf = put(binary.LittleEndian.AppendUint32(buf, uint32(p.Global[i])), i)
		}
		all, err := comm.Gatherv(ctx, 0, buf)
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
	if err := comm.Bcast(ctx, 0, digest); err != nil {
		return "", err
	}
	return hex.EncodeToString(digest), nil
}
