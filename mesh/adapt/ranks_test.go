package adapt

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
)

// room connects ranks that are goroutines. Swap checks that neighbours know each other.
type room struct {
	size    int
	lock    sync.Mutex
	changed *sync.Cond
	arrived int
	turn    int
	boards  [2][]any // what the ranks have posted, in even and odd turns
}

func newRoom(size int) *room {
	r := &room{size: size}
	r.changed = sync.NewCond(&r.lock)
	r.boards = [2][]any{make([]any, size), make([]any, size)}
	return r
}

// post posts something, and returns what all ranks have posted.
func (r *room) post(rank int, x any) []any {
	r.lock.Lock()
	defer r.lock.Unlock()
	turn := r.turn
	r.boards[turn%2][rank] = x
	if r.arrived++; r.arrived == r.size {
		r.arrived, r.turn = 0, turn+1
		r.changed.Broadcast()
	}
	for r.turn == turn {
		r.changed.Wait()
	}
	return r.boards[turn%2]
}

// seat is one rank's side of a room.
type seat struct {
	*room
	rank int
}

func (s seat) Rank() int { return s.rank }
func (s seat) Size() int { return s.size }

type mail struct {
	ranks []int
	send  [][]byte
}

func (s seat) Swap(ranks []int, send [][]byte) ([][]byte, error) {
	all := s.post(s.rank, mail{slices.Clone(ranks), slices.Clone(send)})
	received := make([][]byte, len(ranks))
	for i, r := range ranks {
		m := all[r].(mail)
		k := slices.Index(m.ranks, s.rank)
		if k < 0 {
			return nil, errors.New("ranks do not agree on who are neighbours")
		}
		received[i] = m.send[k]
	}
	return received, nil
}

func (s seat) Sum(numbers []int64) error {
	for i := range numbers {
		sum := int64(0)
		for _, x := range s.post(s.rank, numbers[i]) {
			sum += x.(int64)
		}
		numbers[i] = sum
	}
	return nil
}

func (s seat) Max(numbers []float64) error {
	for i := range numbers {
		for _, x := range s.post(s.rank, numbers[i]) {
			numbers[i] = max(numbers[i], x.(float64))
		}
	}
	return nil
}

func (s seat) All(mine []byte) ([][]byte, error) {
	var all [][]byte
	for _, x := range s.post(s.rank, mine) {
		all = append(all, x.([]byte))
	}
	return all, nil
}

// onRanks returns the hash of the mesh that ranks make, the same on all of them.
func onRanks(t *testing.T, c trial, ranks int, owners string) string {
	t.Helper()
	r := newRoom(ranks)
	hashes := make([]string, ranks)
	var wait sync.WaitGroup
	for rank := range ranks {
		wait.Go(func() {
			in := shuffled(c.in(), rand.New(rand.NewPCG(uint64(rank), 5)))
			owner := make([]int32, len(in.X))
			for v := range owner {
				owner[v] = min(int32(ranks-1), int32(in.X[v][0]*float64(ranks)))
				if owners == "random" {
					owner[v] = int32(measure.Mix(uint64(in.ID[v])+99) % uint64(ranks))
				}
			}
			e := newEngine(in, c.o)
			e.divide(seat{r, rank}, owner)
			e.retarget(c.field)
			if err := e.run(t.Context()); err != nil {
				t.Error(err)
			}
			whole, err := e.gather()
			if err != nil {
				t.Error(err)
				return
			}
			hashes[rank] = mutable.HashOf(whole.Mesh)
		})
	}
	wait.Wait()
	for _, h := range hashes {
		if h != hashes[0] {
			t.Error("ranks have gathered different meshes")
		}
	}
	return hashes[0]
}
