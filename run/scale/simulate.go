package scale

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/atoll-hpc/atoll/internal/parallel"
)

// Noise lengthens computations: each by a share that is drawn from an exponential distribution with this mean.
type Noise struct {
	Share float64
	Seed  uint64
}

// Timing is how ranks have spent the simulated steps, in s.
type Timing struct {
	Total float64 // until the last rank has ended
	// Means over ranks. Waiting for messages and the overhead of these count as exchanges.
	Compute, Exchange, Reduce float64
	Busiest                   float64 // the most that a rank computes
	Messages, Bytes           float64 // that ranks send, means
	MostMessages, MostBytes   float64 // of a rank
	Collectives               int
}

// simulation are the clocks of all ranks.
type simulation struct {
	*World
	m       *Machine
	now     []float64 // of each rank, s
	network []float64 // of each rank, when its next message may leave
	compute []float64 // s so far
	reduced []float64
	sent    []float64
	bytes   []float64
	flying  map[int][]float64 // by tag: the arrival of each message of a phase on its way
	begun   []float64         // scratch: when a rank began a phase
	scratch []float64
	result  Timing
}

// perWorker is the number of ranks for which a goroutine is worth its cost.
const perWorker = 2000

// simulate plays a sequence: ranks compute, send, and wait. times returns the seconds of a rank before an operation of
// a group.
func simulate(ctx context.Context, w *World, m *Machine, s *sequence, times func(rank, group int) float64,
	noise Noise) (Timing, error) {
	n := w.Ranks
	v := &simulation{World: w, m: m, now: make([]float64, n), network: make([]float64, n), compute: make([]float64, n),
		reduced: make([]float64, n), sent: make([]float64, n), bytes: make([]float64, n), begun: make([]float64, n),
		scratch: make([]float64, n), flying: map[int][]float64{}}
	sizes := map[int]float64{} // bytes of an item of exchanges on their way, by tag
	for k, o := range s.ops {
		if err := ctx.Err(); err != nil {
			return v.result, err
		}
		v.each(func(r int) {
			d := times(r, o.of)
			if noise.Share > 0 && d > 0 {
				random := rand.New(rand.NewPCG(noise.Seed, uint64(k)<<32|uint64(r)))
				d *= 1 + noise.Share*random.ExpFloat64()
			}
			v.now[r] += d
			v.compute[r] += d
		})
		if n == 1 {
			continue
		}
		x := w.exchanges[o.tag]
		switch {
		case o.kind == opReduce:
			copy(v.begun, v.now)
			v.reduce(o.bytes)
			for r := range v.now {
				v.reduced[r] += v.now[r] - v.begun[r]
			}
			v.result.Collectives++
		case x == nil || len(x.phases) == 0:
		case o.kind == opStart:
			sizes[o.tag] = o.bytes
			v.send(x, 0, o.tag, o.bytes)
		case o.kind == opFinish:
			v.receive(x, 0, o.tag)
			for p := 1; p < len(x.phases); p++ {
				v.send(x, p, o.tag, sizes[o.tag])
				v.receive(x, p, o.tag)
			}
		}
	}
	return v.sum(), nil
}

func (v *simulation) each(f func(r int)) {
	parallel.Ranges(v.Ranks, parallel.Parts(v.Ranks, perWorker), func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			f(r)
		}
	})
}

// send sends the messages of a phase: each takes o + O·n of the sender, leaves it g + G·n after the one before, and
// arrives after L + G·n.
func (v *simulation) send(x *exchange, phase, tag int, itemBytes float64) {
	p, m := &x.phases[phase], v.m
	copy(v.begun, v.now)
	arrival := v.flying[tag]
	if cap(arrival) < len(p.to) {
		arrival = make([]float64, len(p.to))
	}
	arrival = arrival[:len(p.to)]
	v.flying[tag] = arrival
	v.each(func(r int) {
		for k := p.first[r]; k < p.first[r+1]; k++ {
			bytes := float64(p.items[k]) * itemBytes
			v.now[r] += m.Overhead + m.OverheadPerByte*bytes
			leaves := max(v.now[r], v.network[r])
			if m.Eager > 0 && bytes > m.Eager { // a request, and the receiver's answer when it has begun
				leaves = max(leaves+m.Latency, v.begun[p.to[k]]) + m.Latency
			}
			v.network[r] = leaves + m.Gap + m.GapPerByte*bytes
			arrival[k] = leaves + m.Latency + m.GapPerByte*bytes
			v.sent[r]++
			v.bytes[r] += bytes
		}
	})
}

// receive waits for the messages of a phase, in the order of their senders: each takes o of the receiver.
func (v *simulation) receive(x *exchange, phase, tag int) {
	p, arrival := &x.phases[phase], v.flying[tag]
	v.each(func(r int) {
		for _, k := range p.in[p.inAt[r]:p.inAt[r+1]] {
			v.now[r] = max(v.now[r], arrival[k]) + v.m.Overhead
		}
	})
}

// reduce combines a number of bytes of all ranks.
func (v *simulation) reduce(bytes float64) {
	m := v.m
	cost := m.Overhead + m.OverheadPerByte*bytes
	flight := m.Latency + m.GapPerByte*bytes
	if m.Reduction == doubling {
		v.double(cost, flight)
		return
	}
	n := v.Ranks
	for step := 1; step < n; step *= 2 { // up the binomial tree
		for r := 0; r+step < n; r += 2 * step {
			sender := &v.now[r+step]
			*sender += cost
			v.now[r] = max(v.now[r], *sender+flight) + cost
		}
	}
	top := 1
	for top < n {
		top *= 2
	}
	for step := top / 2; step >= 1; step /= 2 { // and down
		for r := 0; r+step < n; r += 2 * step {
			v.now[r] += cost
			v.now[r+step] = max(v.now[r+step], v.now[r]+flight) + cost
		}
	}
}

// double reduces by recursive doubling. Ranks beyond a power of 2 give their numbers to others first, and get the
// result last.
func (v *simulation) double(cost, flight float64) {
	n := v.Ranks
	power := 1
	for 2*power <= n {
		power *= 2
	}
	for r := power; r < n; r++ {
		v.now[r] += cost
		v.now[r-power] = max(v.now[r-power], v.now[r]+flight) + cost
	}
	for step := 1; step < power; step *= 2 {
		copy(v.scratch, v.now)
		v.each(func(r int) {
			if r < power {
				v.now[r] = max(v.scratch[r]+cost, v.scratch[r^step]+cost+flight) + cost
			}
		})
	}
	for r := power; r < n; r++ {
		v.now[r-power] += cost
		v.now[r] = max(v.now[r], v.now[r-power]+flight) + cost
	}
}

// sum returns the result.
func (v *simulation) sum() Timing {
	t, n := &v.result, float64(v.Ranks)
	for r := range v.now {
		t.Total = max(t.Total, v.now[r])
	}
	for r := range v.now {
		t.Compute += v.compute[r]
		t.Reduce += v.reduced[r]
		t.Exchange += v.now[r] - v.compute[r] - v.reduced[r]
		t.Busiest = math.Max(t.Busiest, v.compute[r])
		t.Messages += v.sent[r]
		t.Bytes += v.bytes[r]
		t.MostMessages, t.MostBytes = max(t.MostMessages, v.sent[r]), max(t.MostBytes, v.bytes[r])
	}
	for _, mean := range []*float64{&t.Compute, &t.Reduce, &t.Exchange, &t.Messages, &t.Bytes} {
		*mean /= n
	}
	return *t
}
