package adaptation

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/disttest"
	"github.com/atoll-hpc/atoll/dist/grpc/grpctest"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
)

// TestSameFileOnRanks proves that the command writes the same bytes for any number of ranks, also if the metric is made
// several times, on the mesh of the round before.
func TestSameFileOnRanks(t *testing.T) {
	in := square(t, "in.vtu", 300)
	var first []byte
	for _, ranks := range []int{1, 2, 5} {
		out := filepath.Join(t.TempDir(), strconv.Itoa(ranks)+".vtu")
		if _, err := adaptedOn(t, ranks, in, out, "hessian", "tanh(30*(x - y))", "target", "400"); err != nil {
			t.Fatal(err)
		}
		written, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = written
		}
		if !bytes.Equal(written, first) {
			t.Errorf("%d ranks write another file than one", ranks)
		}
	}
}

// TestSameMeshOverGRPC proves that ranks over gRPC make the same mesh as one.
func TestSameMeshOverGRPC(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	field := func(x measure.Vector) measure.Tensor {
		h := .03 + .1*x[0]
		return measure.Tensor{1 / (h * h), 0, 100}
	}
	run := func(ctx context.Context, o adapt.Options) (string, error) {
		a, err := adapt.Triangles(m, o)
		if err != nil {
			return "", err
		}
		err = a.Run(ctx, field)
		return a.Hash(), err
	}
	want, err := run(t.Context(), adapt.Options{Ridge: 45, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	owner := make([]int32, len(m.X))
	for v := range owner {
		owner[v] = int32(v % 3)
	}
	comms := grpctest.Open(t, 3)
	disttest.Each(t, comms, func(ctx context.Context, c dist.Comm) error {
		got, err := run(ctx, adapt.Options{Ridge: 45, Threads: 1, Exchange: &exchange{ctx, c}, Owner: owner})
		if got != want {
			t.Errorf("rank %d: another mesh", c.Rank())
		}
		return err
	})
	disttest.Close(t, comms)
}
