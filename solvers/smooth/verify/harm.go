package verify

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/verify"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
	"github.com/atoll-hpc/atoll/solvers/smooth/testmeshes"
)

// roughMeshRanks is the number of ranks on which each mesh is smoothed a second time.
const roughMeshRanks = 5

// roughMeshes smooths 200 meshes in two and 200 in three dimensions with barrier, most of them with slivers, some
// of a quality of 1e-9: neither the mean nor the worst quality may end below the initial one, no cell may be
// inverted, and five ranks, and the twins, must give the bits of one.
func roughMeshes(ctx context.Context, p *verify.Page) error {
	meshes := 200
	if p.Options.Quick {
		meshes = 16
	}
	for _, dim := range []int{2, 3} {
		p.Progress("%d meshes in %d dimensions", meshes, dim)
		all, err := smoothRoughMeshes(ctx, p, dim, meshes)
		if err != nil {
			return err
		}
		printRoughMeshes(p, dim, all)
	}
	return nil
}

// printRoughMeshes prints the results by metric, and each mesh that has become worse.
func printRoughMeshes(p *verify.Page, dim int, all []roughResult) {
	t := p.Table(fmt.Sprintf("barrier on %d meshes in %d dimensions", len(all), dim), "metric", "meshes",
		"worst before, least", "median", "worst after, least", "median", "mean before, median", "after",
		"meshes that lost", "states that differ")
	for kind, name := range testmeshes.Kinds {
		var before, after, meanBefore, meanAfter []float64
		lost, differ := 0, 0
		for n := range all {
			h := &all[n]
			if testmeshes.Kind(n) != kind {
				continue
			}
			before, after = append(before, h.before.QualityMin), append(after, h.after.QualityMin)
			meanBefore, meanAfter = append(meanBefore, h.before.QualityMean), append(meanAfter, h.after.QualityMean)
			if missed := h.worse(); missed != "" {
				p.Note("mesh %d in %d dimensions: %s", n, dim, missed)
				lost++
			}
			if !h.same {
				p.Note("mesh %d in %d dimensions: the state of %d ranks is not that of one", n, dim, roughMeshRanks)
				differ++
			}
		}
		t.Row(both(verify.Exactly(float64(lost), 0), verify.Exactly(float64(differ), 0)),
			name, len(before), slices.Min(before), median(before), slices.Min(after), median(after),
			median(meanBefore), median(meanAfter), lost, differ)
	}
	for n := range all {
		for _, missed := range all[n].twins {
			if missed != "" {
				missed = fmt.Sprintf("mesh %d in %d dimensions: %s", n, dim, missed)
			}
			p.RecordTwin(missed)
		}
	}
	t.Flush()
}

// roughResult is the result for a mesh.
type roughResult struct {
	before, after quality.Diagnostics
	hash          string
	same          bool     // on roughMeshRanks ranks
	twins         []string // how the state of each twin differs
}

// worse describes how the mesh has become worse; "" if it has not.
func (h *roughResult) worse() string {
	b, a := &h.before, &h.after
	if a.QualityMean >= b.QualityMean && a.QualityMin >= b.QualityMin && a.Inverted == 0 {
		return ""
	}
	return fmt.Sprintf("mean %g to %g, worst %g to %g, %d inverted", b.QualityMean, a.QualityMean, b.QualityMin,
		a.QualityMin, a.Inverted)
}

// smoothRoughMeshes smooths all meshes, several concurrently, of which each twin takes one at a time.
func smoothRoughMeshes(ctx context.Context, p *verify.Page, dim, meshes int) ([]roughResult, error) {
	all := make([]roughResult, meshes)
	twins := make([]sync.Mutex, len(p.Options.Twins))
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for n := range all {
		g.Go(func() error {
			h := &all[n]
			j, err := newRoughMesh(dim, n)
			if err == nil {
				*h, err = j.smooth(within, make([]backend.Device, 1))
			}
			if err != nil {
				return fmt.Errorf("mesh %d in %d dimensions: %w", n, dim, err)
			}
			other, err := j.smooth(within, make([]backend.Device, roughMeshRanks))
			if err != nil {
				return fmt.Errorf("mesh %d in %d dimensions, %d ranks: %w", n, dim, roughMeshRanks, err)
			}
			h.same = other.hash == h.hash && other.after == h.after
			h.twins = make([]string, len(twins))
			for k, twin := range p.Options.Twins {
				twins[k].Lock()
				o, err := j.smooth(within, twin.Devices)
				twins[k].Unlock()
				if err != nil {
					return fmt.Errorf("mesh %d in %d dimensions, on %s: %w", n, dim, twin.Name, err)
				}
				if o.hash != h.hash || o.after != h.after {
					h.twins[k] = fmt.Sprintf("the state is %s on %s, and %s on the CPU", o.hash, twin.Name, h.hash)
				}
			}
			return nil
		})
	}
	return all, g.Wait()
}

// roughMesh is a mesh with its metric, precision and colouring.
type roughMesh struct {
	testMesh
	precision string
	options   layout.Options
	inPlane   *sizing.Metric
	inSpace   *sizing.SolidMetric
}

// newRoughMesh returns mesh n in a number of dimensions.
func newRoughMesh(dim, n int) (j roughMesh, err error) {
	j.precision = map[bool]string{false: "float64", true: "float32"}[testmeshes.Single(n)]
	j.options = layout.Options{Boundary: layout.Slide, Ridge: 45, Colouring: colouring.Kinds[n%3%len(colouring.Kinds)],
		Order: partition.Hilbert, Deep: n%2 == 0}
	if dim == 2 {
		if j.plane, err = testmeshes.Plane(n); err == nil {
			j.inPlane, err = sizing.Discrete(unitSquare, 64, testmeshes.Metric(n))
		}
		return j, err
	}
	at := testmeshes.Metric3(n)
	if j.solid, err = testmeshes.Space(n); err == nil {
		j.inSpace, err = sizing.SolidDiscrete(sizing.Box{High: [3]float64{1, 1, 1}}, 16,
			func(x, y, z float64) sizing.Six { return at(x, y, z) })
	}
	return j, err
}

// smooth smooths on one rank per device, with vertices assigned at random; a nil device is the CPU.
func (j *roughMesh) smooth(ctx context.Context, devices []backend.Device) (roughResult, error) {
	options := j.options
	if devices[0] != nil {
		options.Deep = true
	}
	open, err := j.parts(options, len(devices))
	if err != nil {
		return roughResult{}, err
	}
	return local.Each(len(devices), func(comm dist.Comm) (h roughResult, err error) {
		dev := devices[comm.Rank()]
		if dev == nil {
			dev = cpu.New(1)
			defer dev.Close()
		}
		s, err := open(ctx, comm, dev)
		if err != nil {
			return h, err
		}
		defer s.Close()
		if h.before, err = s.Diagnose(ctx); err != nil {
			return h, err
		}
		if h.after, err = sweepToEnd(ctx, s); err == nil {
			h.hash, err = s.Hash(ctx)
		}
		return h, err
	})
}

// parts partitions the mesh, and returns a function that opens a rank's solver.
func (j *roughMesh) parts(options layout.Options, ranks int) (
	open func(context.Context, dist.Comm, backend.Device) (*smooth.Solver, error), err error) {
	cfg := smooth.Config{Smoother: "barrier", Guard: "none", Rescale: true}
	owner := make([]int32, j.vertices())
	for v := range owner {
		owner[v] = int32(uint32(v) * 2654435761 >> 8 % uint32(ranks))
	}
	if j.plane != nil {
		layout, err := layout.New(j.plane, options)
		if err != nil {
			return nil, err
		}
		parts, err := layout.Parts(owner, ranks)
		return func(ctx context.Context, comm dist.Comm, dev backend.Device) (*smooth.Solver, error) {
			return smooth.New(ctx, solvers.Env{Comm: comm, Device: dev}, j.precision, cfg, parts[comm.Rank()], j.inPlane)
		}, err
	}
	layout, err := layout.NewSolid(j.solid, options)
	if err != nil {
		return nil, err
	}
	parts, err := layout.Parts(owner, ranks)
	return func(ctx context.Context, comm dist.Comm, dev backend.Device) (*smooth.Solver, error) {
		return smooth.NewSolid(ctx, solvers.Env{Comm: comm, Device: dev}, j.precision, cfg, parts[comm.Rank()], j.inSpace)
	}, err
}

// median returns the middle value.
func median(x []float64) float64 { return slices.Sorted(slices.Values(x))[len(x)/2] }
