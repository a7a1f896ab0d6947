package smooth

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/partition"
)

// view returns the vertices where the host can read them; ghosts may be out of date.
func (s *engine[F, V]) view() ([]V, error) {
	if !s.apart {
		return s.v, nil
	}
	n := s.sub.Owned
	return s.host, backend.Download(s.dev, s.host[:n], s.v[:n])
}

// everything returns all vertices of the part, ghosts too, on the host.
func (s *engine[F, V]) everything() ([]V, error) {
	if !s.apart {
		return s.v, nil
	}
	return s.host, backend.Download(s.dev, s.host, s.v)
}

func (s *engine[F, V]) Coordinates() ([][]float64, error) {
	v, err := s.view()
	if err != nil {
		return nil, err
	}
	return s.coordinates(v[:s.sub.Owned]), nil
}

func (s *engine[F, V]) Places() ([][]float64, error) {
	v := s.v
	if s.apart { // beside the host's copy, which exchanges go by
		v = make([]V, len(s.v))
		if err := backend.Download(s.dev, v, s.v); err != nil {
			return nil, err
		}
	}
	return s.coordinates(v), nil
}

func (s *engine[F, V]) coordinates(v []V) [][]float64 {
	x := make([][]float64, s.dim)
	for k := range x {
		x[k] = make([]float64, len(v))
		for i := range v {
			x[k][i] = float64(s.numbers(&v[i])[k])
		}
	}
	return x
}

// chunk is how many vertices are gathered at a time.
const chunk = 1 << 16

func (s *engine[F, V]) Hash(ctx context.Context) (string, error) {
	if s.order == nil {
		s.order = ascending(s.sub)
	}
	v, err := s.view()
	if err != nil {
		return "", err
	}
	size := s.dim * int(sizeOf[F]())
	return hashOf(ctx, s.comm, s.sub, s.order, size, func(buf []byte, i int32) []byte {
		return append(buf, rawBytes(&v[i])[:size]...)
	})
}

// ascending lists the owned vertices by global id.
func ascending(p *Subdomain) []int32 {
	order, ids := make([]int32, p.Owned), make([]uint64, p.Owned)
	for i := range order {
		order[i], ids[i] = int32(i), uint64(p.Global[i])
	}
	partition.SortByKey(ids, order)
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
