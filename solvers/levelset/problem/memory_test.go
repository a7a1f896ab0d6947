package problem

import (
	"fmt"
	"math"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/dist/local"
	memory "github.com/atoll-hpc/atoll/run/estimate"
	"github.com/atoll-hpc/atoll/run/runtest"
)

// TestMemoryIsEstimated proves that arrays, particles and the scratch memory of sorting are estimated from counts
// alone.
func TestMemoryIsEstimated(t *testing.T) {
	const vortex = `
solver = "level-set"
grid = { bounds = [0, 0, 1, 1], cells = [128, 128] }
initial = { shape = "circle(0.5, 0.75, 0.15)" }
velocity = { field = "rider-kothe", period = 8 }
method = { sort = 1 }
time = { end = 8, max_steps = 3 }
output = { format = [] }
`
	const enright = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [32, 32, 32] }
initial = { shape = "sphere(0.35, 0.35, 0.35, 0.15)" }
velocity = { field = "enright", period = 3 }
method = { cfl = 4.9, sort = 1 }
time = { end = 3, max_steps = 2 }
output = { format = [] }
`
	scratch := func(text string) int64 {
		c := runtest.Parse(t, text)
		f, err := estimate(c, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		return needOf(c, f.LargestShare).Scratch
	}
	runtest.MemoryIsEstimated(t, scratch(vortex), vortex)
	runtest.MemoryIsEstimated(t, 0, vortex, "method={particles=0, precision='float32'}")
	runtest.MemoryIsEstimated(t, scratch(enright), enright)
	runtest.CopiesAreEstimated(t, "vti", vortex)
	runtest.CopiesAreEstimated(t, "vtp", vortex)
	runtest.CopiesAreEstimated(t, "vti", enright, "method={precision='float32', particles=0}")
}

// TestCrowdedBlocksAreEstimated proves that the estimate is that of the rank with the most particles, wherever the body
// is in the blocks, for any body, spacings and balance, on grids that are sampled on coarser ones too.
func TestCrowdedBlocksAreEstimated(t *testing.T) {
	const corner = `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [40, 40, 40] }
initial = { shape = "sphere(0.2, 0.2, 0.2, 0.15)" }
velocity = { field = "enright", period = 3 }
method = { particles = 32 }
time = { end = 3, max_steps = 1 }
output = { format = [] }
`
	const flat = `
solver = "level-set"
grid = { bounds = [0, 0, 2, 1], cells = [160, 80] }
initial = { shape = "circle(0.4, 0.4, 0.3)" }
velocity = { u = "0", v = "1", factor = "0" }
method = { particles = 200 }
time = { end = 1, max_steps = 1 }
output = { format = [] }
`
	for _, test := range []struct {
		text     string
		ranks    int
		sets     []string
		sampled  int  // at fewer places than there are cells
		cutsBand bool // a plane between blocks is parallel to the surface, in the band with particles
	}{
		{corner, 2, nil, 0, false}, {corner, 8, nil, 0, true}, {corner, 8, []string{"method.balance='cells'"}, 0, false},
		{corner, 3, []string{"initial.shape='plane(0, 0, 0.45, 0, 0, 1)'"}, 0, true},
		// beside the lower blocks' upper side
		{corner, 3, []string{"initial.shape='plane(0, 0, 0.45, 0, 0, 1)'", "method.balance='cells'"}, 0, false},
		{corner, 4, []string{"initial.shape='box(0.6, 0.6, 0.1, 0.9, 0.9, 0.3)'"}, 0, false},
		{corner, 2, []string{"grid.cells=[104, 52, 26]", "method.particles=16", "method.precision='float32'"}, 0, false},
		{flat, 6, nil, 0, true},
		{flat, 2, []string{"initial.shape='difference(box(0, 0, 2, 1), circle(0.4, 0.4, 0.3))'"}, 0, false},
		{flat, 4, []string{"grid={bounds=[0, 0, 2, 1], cells=[320, 60], periodic=['x']}", "initial.shape='x - 0.3'"}, 0,
			true},
		{flat, 5, nil, 0, true}, {flat, 5, []string{"method.balance='cells'"}, 0, false},
		{corner, 3, []string{"grid.cells=60", "method.particles=8"}, 40 * 40 * 40, true}, {flat, 6, nil, 60 * 30, true},
	} {
		t.Run(fmt.Sprint(test.ranks, test.sets), func(t *testing.T) {
			if n := test.sampled; n > 0 {
				defer func(most int) { mostSampled = most }(mostSampled)
				mostSampled = n
			} else {
				t.Parallel()
			}
			s, err := runtest.Run(t, test.text, test.ranks, 1, runtest.Local, t.TempDir(), test.sets...)
			if err != nil {
				t.Fatal(err)
			}
			m, err := memory.MemoryOf(runtest.Parse(t, test.text, test.sets...), test.ranks, test.ranks, false)
			if err != nil {
				t.Fatal(err)
			}
			limit := .05
			if test.cutsBand {
				limit = .2
			}
			if off := float64(m.Arrays)/float64(s.ArrayBytes) - 1; math.Abs(off) > limit {
				t.Errorf("%d bytes told, %d used, %+.1f%%", m.Arrays, s.ArrayBytes, 100*off)
			}
		})
	}
}

// TestParticlesAreCheckedFirst proves that a device with too little memory for its particles is refused with the
// memory that they need, on a rank that others do not crowd, before an array is allocated.
func TestParticlesAreCheckedFirst(t *testing.T) {
	c := runtest.Parse(t, `
solver = "level-set"
grid = { bounds = [0, 0, 0, 1, 1, 1], cells = [24, 24, 24] }
initial = { shape = "sphere(0.75, 0.5, 0.5, 0.2)" }
velocity = { field = "enright", period = 3 }
method = { particles = 64 }
time = { end = 3, max_steps = 1 }
output = { format = [] }
`)
	gpus := make([]*backendtest.FakeGPU, 2)
	run := func(size int) []error {
		n := 0
		return runtest.RunEach(t, c, local.New(2), func() backend.Device {
			gpus[n] = backendtest.NewFakeGPU(cpu.New(1), size)
			n++
			return gpus[n-1]
		})
	}
	for _, err := range run(1 << 30) {
		if err != nil {
			t.Fatal(err)
		}
	}
	most := max(gpus[0].PeakUsed, gpus[1].PeakUsed)
	for rank, err := range run(most * 3 / 4) {
		if err == nil || gpus[rank].AllocCalls != 0 {
			t.Errorf("rank %d: error %v, %d arrays allocated", rank, err, gpus[rank].AllocCalls)
		}
	}
}
