package halo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// particle moves among the cells of a grid. mark is computed from id, to detect mixed-up particles.
type particle struct {
	id   int64
	cell [3]int32
	mark float64
}

const (
	gridCells     = 12
	particleCount = 2000
	maxMove       = 2 // largest move of a particle per step along each axis, in cells
)

// move moves a particle by a pseudo-random number of cells that depends on its id and the step, on a periodic grid.
func (p *particle) move(step int) {
	r := rand.New(rand.NewPCG(uint64(p.id), uint64(step)))
	for a := range p.cell {
		p.cell[a] = (p.cell[a] + int32(r.IntN(2*maxMove+1)-maxMove) + gridCells) % gridCells
	}
}

// rankOf returns the rank whose box contains a cell.
func rankOf(b Boxes, cell [3]int32) int {
	rank := 0
	for a := 2; a >= 0; a-- {
		k, inside := slices.BinarySearch(b.Cuts[a], int(cell[a]))
		if !inside {
			k--
		}
		rank = rank*b.parts(a) + k
	}
	return rank
}

// migrate moves the particles for some steps; after each step every particle is on the rank that owns its cell.
func migrate(ctx context.Context, b Boxes, c dist.Comm, steps int) ([]particle, error) {
	var particles []particle
	for id := range int64(particleCount) {
		p := particle{id: id, mark: 1 / float64(id+1)}
		p.move(-1)
		if rankOf(b, p.cell) == c.Rank() {
			particles = append(particles, p)
		}
	}
	plan, err := NewBoxPlan(b, c.Rank(), maxMove, [3]int{maxMove, maxMove, maxMove}, AxisByAxis)
	if err != nil {
		return nil, err
	}
	items, err := plan.Items(func(cells int) int { return min(20*cells, particleCount) })
	if err != nil {
		return nil, err
	}
	x, leaving := NewItemExchanger[particle](items, c, 3), make([][]particle, len(items.Peers))
	for step := range steps {
		for k := range leaving {
			leaving[k] = leaving[k][:0]
		}
		kept := particles[:0]
		for _, p := range particles {
			p.move(step)
			dest := rankOf(b, p.cell)
			if dest == c.Rank() {
				kept = append(kept, p)
				continue
			}
			k, ok := items.Index(dest)
			if !ok {
				return nil, fmt.Errorf("particle %d goes from rank %d to rank %d, which is not a neighbour", p.id, c.Rank(), dest)
			}
			leaving[k] = append(leaving[k], p)
		}
		received, err := x.Exchange(ctx, leaving)
		if err != nil {
			return nil, err
		}
		particles = kept
		for _, arrived := range received {
			particles = append(particles, arrived...)
		}
		for _, p := range particles {
			if owner := rankOf(b, p.cell); owner != c.Rank() {
				return nil, fmt.Errorf("step %d: particle %d belongs to rank %d and is on rank %d", step, p.id, owner, c.Rank())
			}
		}
	}
	return particles, nil
}

// TestParticlesMigrate: particles that move on a periodic grid, across faces, edges and corners, are the same on
// any number of ranks, with delayed messages: none is lost or duplicated.
func TestParticlesMigrate(t *testing.T) {
	const steps = 12
	var want []particle
	for _, parts := range [][3]int{{1, 1, 1}, {2, 1, 1}, {2, 2, 1}, {3, 1, 2}, {2, 2, 2}, {3, 3, 3}} {
		b := Boxes{Dim: 3, Periodic: [3]bool{true, true, true}}
		for a, n := range parts {
			for k := range n + 1 {
				b.Cuts[a] = append(b.Cuts[a], k*gridCells/n)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		var mu sync.Mutex
		var got []particle
		comms := local.New(parts[0]*parts[1]*parts[2], local.Delay(uint64(parts[0]), 50*time.Microsecond))
		err := onAllRanks(comms, func(c dist.Comm) error {
			own, err := migrate(ctx, b, c, steps)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, own...)
			if err == nil && len(own) == 0 {
				err = errors.New("a rank has no particles: the test would prove nothing")
			}
			return err
		})
		cancel()
		if err != nil {
			t.Fatalf("%v boxes: %v", parts, err)
		}
		slices.SortFunc(got, func(a, b particle) int { return cmp.Compare(a.id, b.id) })
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || len(got) != particleCount {
			t.Errorf("%v boxes: %d particles differ from those of one box", parts, len(got))
		}
	}
}
