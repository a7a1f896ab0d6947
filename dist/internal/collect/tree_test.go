package collect

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
)

// mailbox is the Links of a rank in a test: messages between goroutines, which it counts.
type mailbox struct {
	all   []*mailbox
	rank  int
	in    map[int]chan []byte // by the rank that sends
	count int                 // of messages sent and received
}

// newTrees returns the trees of size ranks and their links.
func newTrees(size int) ([]*Tree, []*mailbox) {
	trees, boxes := make([]*Tree, size), make([]*mailbox, size)
	for r := range trees {
		trees[r], boxes[r] = NewTree(r, size), &mailbox{all: boxes, rank: r, in: map[int]chan []byte{}}
	}
	for r, t := range trees {
		for _, child := range t.childRanks {
			boxes[r].in[child], boxes[child].in[r] = make(chan []byte, 1), make(chan []byte, 1)
		}
	}
	return trees, boxes
}

func (m *mailbox) Send(_ context.Context, msg []byte, to []int) error {
	for _, rank := range to {
		m.all[rank].in[m.rank] <- bytes.Clone(msg)
		m.count++
	}
	return nil
}

func (m *mailbox) Receive(ctx context.Context, from []int) ([][]byte, error) {
	var all [][]byte
	for _, rank := range from {
		select {
		case msg := <-m.in[rank]:
			all = append(all, msg)
			m.count++
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return all, nil
}

// onAll calls f for all ranks at once, and ends the others after an error.
func onAll(trees []*Tree, boxes []*mailbox, f func(ctx context.Context, t *Tree, l Links) error) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	var wg sync.WaitGroup
	for r, t := range trees {
		wg.Go(func() {
			if err := f(ctx, t, boxes[r]); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// part is what a rank contributes to a gather.
func part(rank int) []byte { return bytes.Repeat([]byte{byte(rank)}, rank%3) }

func isGather(parts []byte, size int) error {
	all, err := Parts(parts, size)
	for r := 0; err == nil && r < size; r++ {
		if !bytes.Equal(all[r], part(r)) {
			err = fmt.Errorf("part %d is %v", r, all[r])
		}
	}
	return err
}

// makeAll makes collectives of all kinds as one rank, and checks their results. The number of ranks is size.
func makeAll(ctx context.Context, t *Tree, l Links, size int) error {
	if _, err := t.Run(ctx, l, Call{Kind: Barrier}, nil); err != nil {
		return err
	}
	sum, err := t.Run(ctx, l, Call{Kind: ReduceInt64, Op: dist.Sum, Len: 8}, Bytes([]int64{int64(t.rank)}))
	if err != nil || !bytes.Equal(sum, Bytes([]int64{int64(size * (size - 1) / 2)})) {
		return fmt.Errorf("the sum is %v: %v", sum, err)
	}
	x := -float64(t.rank)
	least, err := t.Run(ctx, l, Call{Kind: ReduceFloat64, Op: dist.Min, Len: 8}, Bytes([]float64{x}))
	if err != nil || !bytes.Equal(least, Bytes([]float64{-float64(size - 1)})) {
		return fmt.Errorf("the least is %v: %v", least, err)
	}
	if t.rank == size/2 {
		x = math.Float64frombits(math.Float64bits(math.NaN()) ^ 6) // a NaN with another payload
	}
	none, err := t.Run(ctx, l, Call{Kind: ReduceFloat64, Op: dist.Min, Len: 8}, Bytes([]float64{x}))
	if err != nil || !bytes.Equal(none, Bytes([]float64{math.NaN()})) {
		return fmt.Errorf("the least of NaN is %v: %v", none, err)
	}
	for _, root := range []int{0, 1 % size, size / 2, size - 1} {
		got, err := t.Run(ctx, l, Call{Kind: Bcast, Root: root, Len: 3}, []byte{byte(t.rank), 2, 3})
		if err != nil || !bytes.Equal(got, []byte{byte(root), 2, 3}) {
			return fmt.Errorf("rank %d sends %v: %v", root, got, err)
		}
		all, err := t.Run(ctx, l, Call{Kind: Gather, Root: root}, part(t.rank))
		if err == nil && t.rank == root {
			err = isGather(all, size)
		}
		if err != nil {
			return err
		}
	}
	all, err := t.Run(ctx, l, Call{Kind: Allgather}, part(t.rank))
	if err != nil {
		return err
	}
	return isGather(all, size)
}

func TestCollectivesAlongATree(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 8, 9, 10, 57, 58, 64, 100, 500} {
		trees, boxes := newTrees(size)
		err := onAll(trees, boxes, func(ctx context.Context, t *Tree, l Links) error {
			if err := makeAll(ctx, t, l, size); err != nil {
				return fmt.Errorf("rank %d: %w", t.rank, err)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%d ranks: %v", size, err)
		}
	}
}

// A collective costs a rank at most 2⌈log₂ P⌉ messages, and all ranks 2(P-1); what a rank keeps does not grow with P.
func TestCostOfATree(t *testing.T) {
	for size := 256; size <= 4096; size *= 2 {
		trees, boxes := newTrees(size)
		for name, call := range map[string]Call{"barrier": {Kind: Barrier},
			"sum":       {Kind: ReduceInt64, Op: dist.Sum, Len: 568},
			"broadcast": {Kind: Bcast, Root: size / 3, Len: 100}} {
			for _, b := range boxes {
				b.count = 0
			}
			if err := onAll(trees, boxes, func(ctx context.Context, t *Tree, l Links) error {
				_, err := t.Run(ctx, l, call, make([]byte, call.Len))
				return err
			}); err != nil {
				t.Fatal(err)
			}
			most, all := 0, 0
			for _, b := range boxes {
				most, all = max(most, b.count), all+b.count
			}
			if limit := 2 * bits.Len(uint(size-1)); most > limit || all != 4*(size-1) {
				t.Errorf("%s of %d ranks: %d messages of a rank, want at most %d; %d sent and received, want %d", name, size,
					most, limit, all, 4*(size-1))
			}
			t.Logf("%s of %d ranks: at most %d messages of a rank", name, size, most)
		}
		least := uint64(math.MaxUint64) // goroutines that end may allocate at the same time
		for range 10 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			trees[0] = NewTree(0, size)
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > 4096 {
			t.Errorf("%d ranks: the tree of rank 0 takes %d bytes, want at most 4096", size, least)
		}
	}
}

// Ranks that make different calls, or contribute what the call does not have, are named.
func TestTreeNamesWrongRanks(t *testing.T) {
	const size, wrong = 70, 37
	for want, f := range map[string]func(ctx context.Context, t *Tree, l Links) error{
		fmt.Sprintf("rank %d: calls Bcast(root 0, 8 bytes) where rank", wrong): func(ctx context.Context, t *Tree,
			l Links) error {
			call := Call{Kind: Barrier}
			if t.rank == wrong {
				call = Call{Kind: Bcast, Len: 8}
			}
			_, err := t.Run(ctx, l, call, nil)
			return err
		},
		fmt.Sprintf("rank %d: contributes 3 bytes to Barrier", wrong): func(ctx context.Context, t *Tree, l Links) error {
			return garbled(ctx, t, l, wrong, append(Call{Kind: Barrier}.Append(nil), 1, 2, 3))
		},
		fmt.Sprintf("rank %d: contributes a message of 5 bytes", wrong): func(ctx context.Context, t *Tree, l Links) error {
			return garbled(ctx, t, l, wrong, make([]byte, 5))
		},
		fmt.Sprintf("rank %d: dist: no collective has number 77", wrong): func(ctx context.Context, t *Tree,
			l Links) error {
			return garbled(ctx, t, l, wrong, Call{Kind: 77}.Append(nil))
		},
	} {
		trees, boxes := newTrees(size)
		err := onAll(trees, boxes, f)
		if !errors.As(err, new(*dist.PeerError)) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// garbled makes a barrier in which a rank, a leaf, contributes a message of its own.
func garbled(ctx context.Context, t *Tree, l Links, wrong int, msg []byte) error {
	if t.rank == wrong {
		return l.Send(ctx, msg, t.parentRank)
	}
	_, err := t.Run(ctx, l, Call{Kind: Barrier}, nil)
	return err
}

func FuzzParts(f *testing.F) {
	f.Add(appendPart(appendPart(nil, []byte("ring")), nil), 2)
	f.Fuzz(func(t *testing.T, data []byte, ranks int) {
		if ranks < 1 || ranks > 100 {
			return
		}
		parts, err := Parts(data, ranks)
		if err != nil {
			return
		}
		var again []byte
		for _, p := range parts {
			again = appendPart(again, p)
		}
		if !bytes.Equal(again, data) || binary.LittleEndian.Uint64(data) != uint64(len(parts[0])) {
			t.Fatal("packing the parts does not restore the data")
		}
	})
}
