package halo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/dist/local"
)

// testItem is an item that contains its source, destination, round and number.
type testItem struct {
	source, dest, round, serial int32
	weight                      float64
}

// countOf returns the number of items from one rank to another in a round: none, some, or all that are allowed.
// Both ranks compute it, so that each can check what it receives.
func countOf(source, dest, round, limit int) int {
	r := rand.New(rand.NewPCG(uint64(source)<<32|uint64(dest), uint64(round)))
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return limit
	}
	return r.IntN(limit + 1)
}

// exchangeItems exchanges in several rounds, and checks that exactly the items of each peer arrive, in order.
func exchangeItems(ctx context.Context, c dist.Comm, plan *ItemPlan, rounds int, kind string) (err error) {
	exchange, closeItems, err := openItems(kind, plan, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeItems()) }()
	out := make([][]testItem, len(plan.Peers))
	for round := range rounds {
		for k, p := range plan.Peers {
			out[k] = out[k][:0]
			for serial := range countOf(c.Rank(), p.Rank, round, p.Send) {
				out[k] = append(out[k], testItem{int32(c.Rank()), int32(p.Rank), int32(round), int32(serial), 0.5})
			}
		}
		in, err := exchange(ctx, out)
		if err != nil {
			return err
		}
		for k, p := range plan.Peers {
			if want := countOf(p.Rank, c.Rank(), round, p.Receive); len(in[k]) != want {
				return fmt.Errorf("round %d: %d items from rank %d, want %d", round, len(in[k]), p.Rank, want)
			}
			for serial, l := range in[k] {
				if l != (testItem{int32(p.Rank), int32(c.Rank()), int32(round), int32(serial), 0.5}) {
					return fmt.Errorf("round %d: item %d from rank %d is %+v", round, serial, p.Rank, l)
				}
			}
		}
	}
	return nil
}

// randomItemPlans draws the ranks that exchange items, and their limits.
func randomItemPlans(t *rapid.T) []*ItemPlan {
	ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
	limits := make([][]int, ranks)
	for p := range limits {
		limits[p] = rapid.SliceOfN(rapid.SampledFrom([]int{0, 0, 1, 5, 300, 20_000}), ranks, ranks).Draw(t, "most items")
	}
	plans := make([]*ItemPlan, ranks)
	for p := range plans {
		plans[p] = &ItemPlan{Rank: p}
		for q := range ranks {
			if q != p {
				plans[p].Peers = append(plans[p].Peers, ItemPeer{q, limits[p][q], limits[q][p]})
			}
		}
	}
	return plans
}

// TestItemsArrive: items arrive completely and in order for random ranks and counts, with delayed messages, by all
// exchangers of items.
func TestItemsArrive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(itemKinds).Draw(t, "kind")
		plans := randomItemPlans(t)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		comms := local.New(len(plans), local.Delay(rapid.Uint64().Draw(t, "seed"), 50*time.Microsecond))
		err := onAllRanks(comms, func(c dist.Comm) error { return exchangeItems(ctx, c, plans[c.Rank()], 4, kind) })
		if err != nil {
			t.Fatal(err)
		}
	})
}

// TestItemsArriveOverGRPC: the same over gRPC, which sends short and long messages by different protocols.
func TestItemsArriveOverGRPC(t *testing.T) {
	plans := make([]*ItemPlan, 3)
	for p, limits := range [][3]int{{0, 40_000, 7}, {1000, 0, 40_000}, {40_000, 300, 0}} {
		plans[p] = &ItemPlan{Rank: p}
		for q, n := range limits {
			if q != p {
				plans[p].Peers = append(plans[p].Peers, ItemPeer{Rank: q, Send: n})
			}
		}
	}
	for _, plan := range plans {
		for k, p := range plan.Peers {
			back, _ := plans[p.Rank].Index(plan.Rank)
			plan.Peers[k].Receive = plans[p.Rank].Peers[back].Send
		}
	}
	for _, kind := range itemKinds {
		comms := grpctest.Open(t, 3)
		disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
			return exchangeItems(ctx, c, plans[c.Rank()], 10, kind)
		})
		disttest.Close(t, comms)
	}
}

// itemPair returns the plans of two ranks that may send up to limit items to each other.
func itemPair(limit int) [2]*ItemPlan {
	return [2]*ItemPlan{{0, []ItemPeer{{1, limit, limit}}}, {1, []ItemPeer{{0, limit, limit}}}}
}

func TestItemExchangeAllocatesNothing(t *testing.T) {
	plans, comms := itemPair(500), local.New(2)
	ctx := context.Background()
	const runs = 200
	err := onAllRanks(comms, func(c dist.Comm) error {
		x, items, out := NewItemExchanger[cell](plans[c.Rank()], c, 1), make([]cell, 500), make([][]cell, 1)
		round := 0
		exchange := func() {
			out[0] = items[:round*37%501]
			in, err := x.Exchange(ctx, out)
			if err != nil {
				panic(err)
			}
			if len(in[0]) != len(out[0]) {
				panic("wrong number of items")
			}
			round++
		}
		if c.Rank() == 1 {
			for range runs + 1 { // AllocsPerRun warms up with one more
				exchange()
			}
			return nil
		}
		if n := testing.AllocsPerRun(runs, exchange); n != 0 {
			t.Errorf("an exchange allocates %v times", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestTooManyItemsAreRefused: too many items are an error that names the peer; nothing is sent, and the exchanger
// remains usable.
func TestTooManyItemsAreRefused(t *testing.T) {
	plans := itemPair(3)
	err := onAllRanks(local.New(2), func(c dist.Comm) error {
		x := NewItemExchanger[int64](plans[c.Rank()], c, 1)
		err := x.Start(t.Context(), [][]int64{make([]int64, 4)})
		if want := fmt.Sprintf("halo: 4 items for rank %d, the plan allows 3", 1-c.Rank()); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			return fmt.Errorf("error %v, want %s", err, want)
		}
		if err := x.Start(t.Context(), nil); err == nil {
			return errors.New("items for no peer are accepted, the plan has one")
		}
		in, err := x.Exchange(t.Context(), [][]int64{{5, 6, 7}})
		if err == nil && !slices.Equal(in[0], []int64{5, 6, 7}) {
			err = fmt.Errorf("received %v", in)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInvalidMessagesAreRefused: a peer that sends more than its plan allows, or not a multiple of the item size,
// is named.
func TestInvalidMessagesAreRefused(t *testing.T) {
	for _, bytes := range []int{4, 12, 32, 100_000} {
		comms := local.New(2)
		x := NewItemExchanger[int64](itemPair(3)[0], comms[0], 1)
		if err := x.Start(t.Context(), [][]int64{nil}); err != nil {
			t.Fatal(err)
		}
		sent, err := comms[1].Isend(t.Context(), 0, 1, make([]byte, bytes))
		if err != nil {
			t.Fatal(err)
		}
		got, err := comms[1].Irecv(t.Context(), 0, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := comms[1].Wait(t.Context(), []dist.Request{sent, got}); err != nil {
			t.Fatal(err)
		}
		_, err = x.Finish(t.Context())
		var peer *dist.PeerError
		if !errors.As(err, &peer) || peer.Rank != 1 || !strings.Contains(err.Error(), fmt.Sprint(bytes)) {
			t.Errorf("%d bytes: error %v, want one that names rank 1", bytes, err)
		}
		disttest.Close(t, comms)
	}
}

func TestItemsWithoutBytes(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("items without bytes are accepted")
		}
	}()
	NewItemExchanger[struct{}](itemPair(1)[0], nil, 1)
}

func BenchmarkItemExchange(b *testing.B) {
	for _, n := range []int{0, 10, 1000, 50000} {
		b.Run(fmt.Sprintf("%dB", n*24), func(b *testing.B) {
			plans, comms := itemPair(50000), local.New(2)
			ctx := context.Background()
			b.SetBytes(int64(n * 24))
			err := onAllRanks(comms, func(c dist.Comm) error {
				x, out := NewItemExchanger[cell](plans[c.Rank()], c, 1), [][]cell{make([]cell, n)}
				for range b.N {
					if _, err := x.Exchange(ctx, out); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}
