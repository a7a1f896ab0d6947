package run

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/solvers"
)

func TestImbalanceOfEachSpace(t *testing.T) {
	owned := [][2]int{{10, 0}, {10, 30}, {10, 0}, {6, 0}} // cells and particles of each rank
	got, err := local.Each(len(owned), func(comm dist.Comm) (map[string]float64, error) {
		cells := &solvers.Space{Name: "cell", Owned: owned[comm.Rank()][0]}
		particles := &solvers.Space{Name: "particle", Owned: owned[comm.Rank()][1]}
		none := &solvers.Space{Name: "marker"}
		return imbalance(context.Background(), comm, []solvers.Field{{Space: cells}, {Space: cells}, {Space: particles},
			{Space: none}})
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"cell": 40. / 36, "particle": 4, "marker": 1}; !maps.Equal(got, want) {
		t.Errorf("imbalance %v, want %v", got, want)
	}
}

func TestOneRankHasNoImbalance(t *testing.T) {
	cells := []solvers.Field{{Space: &solvers.Space{Name: "cell", Owned: 7}}}
	if got, err := imbalance(context.Background(), local.New(1)[0], cells); got != nil || err != nil {
		t.Errorf("imbalance %v, %v, want none", got, err)
	}
}

// Processor times are those of processes: their mean and the largest.
func TestProcessorTimesOfRanks(t *testing.T) {
	for _, transport := range []string{"grpc", "local"} {
		var wait sync.WaitGroup
		for rank, comm := range local.New(4) {
			wait.Go(func() {
				got, err := work(t.Context(), comm, transport, time.Duration(rank+1)*time.Second)
				switch {
				case err != nil:
					t.Error(err)
				case transport == "local" && got != nil:
					t.Errorf("goroutines have processor times of their own: %v", got)
				case transport == "grpc" && (got == nil || got.Mean != 2.5 || got.Most != 4):
					t.Errorf("rank %d: got %v, want a mean of 2.5 s and 4 s at most", rank, got)
				}
				if err := comm.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
}
