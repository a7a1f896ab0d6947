package flow

import (
	"context"
	"errors"
	"testing"

	"github.com/atoll-hpc/atoll/grid"
)

// TestLargestFlowsStops proves that checking a velocity ends when the run is cancelled.
func TestLargestFlowsStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := (&grid.Grid{Dim: 2, N: [3]int{40, 36, 1}, Hi: [3]float64{1, 1, 0}}).Whole(2)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := largestFlows(ctx, Uniform(1, 0, 0), b); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
