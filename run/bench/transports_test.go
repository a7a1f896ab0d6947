package bench

import (
	"context"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/dist/local"
)

// TestTransport uses three ranks: one of them takes part only in the reductions.
func TestTransport(t *testing.T) {
	var out strings.Builder
	comms := local.New(3)
	g, ctx := errgroup.WithContext(context.Background())
	for _, c := range comms {
		g.Go(func() error {
			defer c.Close()
			return Transport(ctx, &out, c, TransportOptions{Sizes: []int{0, 64, 4096}, Seconds: 1e-3})
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	const last = "minimum of one number over 3 ranks: "
	if len(lines) != 5 || len(strings.Fields(lines[3])) != 5 || !strings.HasPrefix(lines[4], last) {
		t.Fatalf("printed\n%s", out.String())
	}
}

func TestTransportNeedsTwoRanks(t *testing.T) {
	if Transport(t.Context(), nil, local.New(1)[0], TransportOptions{}) == nil {
		t.Fatal("no error with a single rank")
	}
}
