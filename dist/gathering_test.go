package dist_test

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// TestGatherings proves that gatherings in the background of collectives get the messages of all ranks in their order,
// although ranks begin them in different orders.
func TestGatherings(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8, 10} { // whose numbers have one digit
		testGatherings(t, ranks)
	}
}

func testGatherings(t *testing.T, ranks int) {
	const count = 4
	var wait sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		wait.Go(func() {
			var background sync.WaitGroup
			for k := range count {
				tag := (k + rank) % count // in another order on each rank
				background.Go(func() {
					g := dist.Gathering{Comm: comm, Tag: tag}
					for round := range 3 {
						own := fmt.Sprint(tag, round, rank, ";")
						before, total, err := g.Scan(t.Context(), []int64{int64(100*round + rank), -1})
						wantBefore := []int64{int64(100*round*rank + rank*(rank-1)/2), int64(-rank)}
						wantTotal := []int64{int64(100*round*ranks + ranks*(ranks-1)/2), int64(-ranks)}
						if err != nil || !slices.Equal(before, wantBefore) || !slices.Equal(total, wantTotal) {
							t.Errorf("rank %d: sums %v and %v, error %v; want %v and %v", rank, before, total, err,
								wantBefore, wantTotal)
						}
						want := ""
						for r := range ranks {
							want += fmt.Sprint(tag, round, r, ";")
						}
						all, err := g.Gather(t.Context(), []byte(own))
						if rank > 0 {
							want = ""
						}
						if err != nil || string(all) != want {
							t.Errorf("rank %d gathered %q, error %v; want %q", rank, all, err, want)
						}
					}
				})
				if err := comm.Barrier(t.Context()); err != nil {
					t.Error(err)
				}
			}
			background.Wait()
			if err := comm.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

// All ranks get the text of the lowest rank that has one, however long it is.
func TestFirstText(t *testing.T) {
	long := strings.Repeat("lagoon ", 10_000)
	for _, test := range []struct {
		texts []string
		rank  int
	}{{[]string{"", "", ""}, -1}, {[]string{"", long, "b"}, 1}, {[]string{"a", "b", ""}, 0}, {[]string{"", "", "c"}, 2}} {
		var wait sync.WaitGroup
		for rank, comm := range local.New(len(test.texts)) {
			wait.Go(func() {
				want := ""
				if test.rank >= 0 {
					want = test.texts[test.rank]
				}
				first, text, err := dist.FirstText(t.Context(), comm, test.texts[rank])
				if err != nil || first != test.rank || text != want {
					t.Errorf("rank %d got %d bytes of rank %d, error %v; want %d of %d", rank, len(text), first, err, len(want),
						test.rank)
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
}

// counted counts the messages that a rank sends and receives.
type counted struct {
	dist.Comm
	count int
}

func (c *counted) Isend(ctx context.Context, to, tag int, buf []byte) (dist.Request, error) {
	c.count++
	return c.Comm.Isend(ctx, to, tag, buf)
}

func (c *counted) Irecv(ctx context.Context, from, tag int, buf []byte) (dist.Request, error) {
	c.count++
	return c.Comm.Irecv(ctx, from, tag, buf)
}

// A gathering costs a rank at most 2⌈log₂ P⌉ messages, and all ranks 4(P-1) that are sent or received, half of them
// where there is no answer.
func TestCostOfGatherings(t *testing.T) {
	for _, ranks := range []int{256, 1000} {
		comms := make([]*counted, ranks)
		var wait sync.WaitGroup
		for rank, comm := range local.New(ranks) {
			c := &counted{Comm: comm}
			comms[rank] = c
			wait.Go(func() {
				g := dist.Gathering{Comm: c}
				if _, total, err := g.Scan(t.Context(), []int64{1}); err != nil || total[0] != int64(ranks) {
					t.Errorf("%d ranks: %v", total, err)
				}
				if _, err := g.Gather(t.Context(), []byte{1}); err != nil {
					t.Error(err)
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		most, all := 0, 0
		for _, c := range comms {
			most, all = max(most, c.count), all+c.count
		}
		if limit := 3 * bits.Len(uint(ranks-1)); most > limit || all != 6*(ranks-1) {
			t.Errorf("%d ranks: a scan and a gathering take %d messages of a rank, want at most %d; %d in all, want %d", ranks,
				most, limit, all, 6*(ranks-1))
		}
	}
}
