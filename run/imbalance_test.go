package run

import (
	"context"
	"maps"
	"testing"

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
