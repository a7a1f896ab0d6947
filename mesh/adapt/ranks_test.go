package adapt

import (
	"errors"
	"math/bits"
	"slices"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
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

func (s seat) Route(ranks []int, send [][]byte) (from []int, received [][]byte, err error) {
	for rank, x := range s.post(s.rank, mail{slices.Clone(ranks), slices.Clone(send)}) {
		m := x.(mail)
		if k := slices.Index(m.ranks, s.rank); k >= 0 {
			from, received = append(from, rank), append(received, m.send[k])
		}
	}
	return from, received, nil
}

// owners divides vertices in strips along x, or at random.
func owners(random bool) func(x [][]float64, loads []float64, ranks int) ([]int32, error) {
	return func(x [][]float64, _ []float64, ranks int) ([]int32, error) {
		owner := make([]int32, len(x[0]))
		for v := range owner {
			owner[v] = min(int32(ranks-1), int32(x[0][v]*float64(ranks)))
			if random {
				owner[v] = int32(measure.Mix(uint64(v)+99) % uint64(ranks))
			}
		}
		return owner, nil
	}
}

// onRanks returns the mesh that ranks make. exchange is that of each rank.
func onRanks(t *testing.T, a *Adapter, field Field, exchange []Exchange) *mutable.Mesh {
	t.Helper()
	var wait sync.WaitGroup
	for rank := range exchange {
		wait.Go(func() {
			var err error
			if rank == 0 {
				a.o.Exchange = exchange[0]
				err = a.Run(t.Context(), field)
			} else {
				err = Help(t.Context(), field, Options{Threads: 1, Exchange: exchange[rank]})
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	return a.whole.Mesh
}

// seats returns the exchange of each of so many ranks.
func seats(ranks int) (all []Exchange) {
	r := newRoom(ranks)
	for rank := range ranks {
		all = append(all, seat{r, rank})
	}
	return all
}

// counted counts what a rank sends in rounds of adaptation.
type counted struct {
	Exchange
	rounds, messages, bytes int
	started                 bool // the first exchange divides the mesh, and is not counted
}

func (c *counted) count(messages int, send [][]byte) {
	if !c.started {
		c.started = true
		return
	}
	c.rounds++
	c.messages += messages
	for _, b := range send {
		c.bytes += len(b)
	}
}

func (c *counted) Swap(ranks []int, send [][]byte) ([][]byte, error) {
	if len(ranks) < c.Size()-1 || ranks[0] != 1 { // not the last one of rank 0, which gathers the mesh
		c.count(len(ranks), send)
	}
	return c.Exchange.Swap(ranks, send)
}

// Route sends at most two messages for each halving of the ranks.
func (c *counted) Route(ranks []int, send [][]byte) ([]int, [][]byte, error) {
	c.count(2*bits.Len(uint(c.Size()-1)), send)
	return c.Exchange.Route(ranks, send)
}

// TestLoadOfRank proves that with the same share of a mesh for each rank the rounds, messages and bytes of a rank
// hardly grow with the number of ranks: of a strip with a square for each rank, the busiest of 16 ranks and of 4.
func TestLoadOfRank(t *testing.T) {
	field := func(x measure.Vector) measure.Tensor {
		return stretched(2, measure.Vector{.6, .8}, .05, .1)
	}
	most := func(ranks int) (m counted) {
		in := must(mutable.FromTriangles(must(mesh.Rectangle(0, 0, float64(ranks), 1, 60*ranks, 3))))
		o := Options{Ridge: 45, Threads: 1, Owners: func(x [][]float64, _ []float64, ranks int) ([]int32, error) {
			owner := make([]int32, len(x[0]))
			for v := range owner {
				owner[v] = min(int32(ranks-1), int32(x[0][v]))
			}
			return owner, nil
		}}
		all := seats(ranks)
		counts := make([]*counted, ranks)
		for rank := range all {
			counts[rank] = &counted{Exchange: all[rank]}
			all[rank] = counts[rank]
		}
		onRanks(t, &Adapter{whole: newEngine(in, o), o: o}, field, all)
		for _, c := range counts[1:] {
			m.rounds, m.messages, m.bytes = max(m.rounds, c.rounds), max(m.messages, c.messages), max(m.bytes, c.bytes)
		}
		return m
	}
	few, many := most(4), most(16)
	t.Logf("4 ranks: %d rounds, %d messages, %d bytes; 16: %d, %d, %d", few.rounds, few.messages, few.bytes, many.rounds,
		many.messages, many.bytes)
	// Sums over the ranks before one take rounds that grow with the logarithm of their number.
	for _, c := range [][2]int{{few.rounds, many.rounds}, {few.messages, many.messages}, {few.bytes, many.bytes}} {
		if float64(c[1]) > 1.4*float64(c[0]) {
			t.Errorf("of the busiest rank of 4 and of 16: rounds %d, %d, messages %d, %d, bytes %d, %d", few.rounds,
				many.rounds, few.messages, many.messages, few.bytes, many.bytes)
			break
		}
	}
}
