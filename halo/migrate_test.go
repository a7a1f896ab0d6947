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

// particle moves among the cells of a grid. What it carries is made of its id, so that a mixture is noticed.
type particle struct {
	id   int64
	cell [3]int32
	mark float64
}

const (
	gridCells     = 12
	particleCount = 2000
	reach         = 2 // cells that a particle moves in a step at most, along each axis
)

// wander moves a particle by what its id and the step tell, around the period.
func (p *particle) wander(step int) {
	r := rand.New(rand.NewPCG(uint64(p.id), uint64(step)))
	for a := range p.cell {
		p.cell[a] = (p.cell[a] + int32(r.IntN(2*reach+1)-reach) + gridCells) % gridCells
	}
}

// rankOf is the rank whose box holds a cell: boxes are half open, so that there is one.
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

// migrate moves the particles of a rank by steps, after each of which every particle is where its cell is.
func migrate(ctx context.Context, b Boxes, c dist.Comm, steps int) ([]particle, error) {
	var own []particle
	for id := range int64(particleCount) {
		p := particle{id: id, mark: 1 / float64(id+1)}
		p.wander(-1)
		if rankOf(b, p.cell) == c.Rank() {
			own = append(own, p)
		}
	}
	plan, err := NewBoxPlan(b, c.Rank(), reach, [3]int{reach, reach, reach}, AxisByAxis)
	if err != nil {
		return nil, err
	}
	items, err := plan.Items(func(cells int) int { return min(20*cells, particleCount) })
	if err != nil {
		return nil, err
	}
	x, out := NewItemExchanger[particle](items, c, 3), make([][]particle, len(items.Peers))
	for step := range steps {
		for k := range out {
			out[k] = out[k][:0]
		}
		stay := own[:0]
		for _, p := range own {
			p.wander(step)
			to := rankOf(b, p.cell)
			if to == c.Rank() {
				stay = append(stay, p)
				continue
			}
			k, ok := items.Index(to)
			if !ok {
				return nil, fmt.Errorf("particle %d goes from rank %d to rank %d, which is no neighbour", p.id, c.Rank(), to)
			}
			out[k] = append(out[k], p)
		}
		in, err := x.Exchange(ctx, out)
		if err != nil {
			return nil, err
		}
		own = stay
		for _, came := range in {
			own = append(own, came...)
		}
		for _, p := range own {
			if at := rankOf(b, p.cell); at != c.Rank() {
				return nil, fmt.Errorf("step %d: particle %d belongs to rank %d and is on rank %d", step, p.id, at, c.Rank())
			}
		}
	}
	return own, nil
}

// TestParticlesMigrate: particles that wander over a periodic grid are the same on any number of ranks, none lost and
// none twice, however messages are delayed: across faces, edges and corners.
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
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		var mu sync.Mutex
		var got []particle
		comms := local.New(parts[0]*parts[1]*parts[2], local.Delay(uint64(parts[0]), 50*time.Microsecond))
		err := everywhere(comms, func(c dist.Comm) error {
			own, err := migrate(ctx, b, c, steps)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, own...)
			if err == nil && len(own) == 0 {
				err = errors.New("no particle is left here: the test would prove nothing")
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
			t.Errorf("%v boxes: %d particles, which are not those of one box", parts, len(got))
		}
	}
}
