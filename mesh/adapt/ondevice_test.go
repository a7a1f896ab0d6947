package adapt

import (
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/cpu"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/adapt/measure"
	"github.com/atoll-hpc/atoll/mesh/adapt/mutable"
	"github.com/atoll-hpc/atoll/mesh/adapt/rounds"
)

// TestSameMeshOnDevice proves that a device with separate memory gives the mesh that processors give, to the last bit:
// with two materials and a required edge, with edges that are probed, a fixed boundary, and again from the result to a
// metric with larger sizes. All memory of the device is freed.
func TestSameMeshOnDevice(t *testing.T) {
	trials := 30
	if testing.Short() {
		trials = 12
	}
	for seed := range uint64(trials) {
		c := draw(seed)
		c.o.KeepBoundary = seed%5 == 4
		if seed%2 == 1 {
			c.o.Probe = .05
		}
		e := newEngine(c.in(), c.o)
		if e.Dim == 3 {
			continue
		}
		gpu := backendtest.NewFakeGPU(cpu.New(1+int(seed%2)), 1<<28)
		a := &Adapter{whole: newEngine(c.in(), c.o), o: c.o}
		larger := func(x measure.Vector) measure.Tensor {
			m := c.field(x)
			return measure.Tensor{m[0] / 4, m[1] / 4, m[2] / 4}
		}
		for i, field := range []Field{c.field, larger} {
			mustRun(t, e, field)
			if err := a.RunOn(t.Context(), gpu, field, &rounds.OnHost{At: field, Threads: 1}); err != nil {
				t.Fatal(err)
			}
			if want, got := mutable.HashOf(e.Mesh), a.Hash(); got != want {
				t.Errorf("%s, metric %d: %d vertices on processors, %d on the device, or with other bits", c.name, i,
					e.Vertices(), a.Vertices())
			}
		}
		a.whole.check(t, c.name)
		if gpu.Used != 0 {
			t.Errorf("%s: %d bytes of the device were not freed", c.name, gpu.Used)
		}
		gpu.Close()
	}
}

// TestUniformOnDevice: a uniform metric, which the device evaluates itself, and many cells around a vertex, for which
// the lists become longer than at first.
func TestUniformOnDevice(t *testing.T) {
	m := &mesh.Mesh{X: []float64{0, 1, 1, 0, .5}, Y: []float64{0, 0, 1, 1, .5},
		Cells: [][3]int32{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}}
	tensor := measure.Tensor{100, 0, 100}
	field := func(measure.Vector) measure.Tensor { return tensor }
	var hashes []string
	for _, dev := range []backend.Device{nil, cpu.New(2), backendtest.NewFakeGPU(cpu.New(1), 1<<26)} {
		a := must(Triangles(m, Options{Ridge: 45, Threads: 1}))
		var err error
		if dev == nil {
			err = a.Run(t.Context(), field)
		} else {
			err = a.RunOn(t.Context(), dev, field, rounds.NewUniform(tensor))
			dev.Close()
		}
		if err != nil || a.Mesh().Check() != nil {
			t.Fatal(err, a.Mesh().Check())
		}
		hashes = append(hashes, a.Hash())
	}
	if hashes[1] != hashes[0] || hashes[2] != hashes[0] {
		t.Errorf("meshes differ: %q", hashes)
	}
}

// TestDeviceWithoutMemory: the error of a device whose memory is too small is returned, and the mesh is as it was.
func TestDeviceWithoutMemory(t *testing.T) {
	tensor := measure.Tensor{1e4, 0, 1e4}
	for _, size := range []int{1 << 10, 1 << 17} {
		gpu := backendtest.NewFakeGPU(cpu.New(1), size)
		a := must(Triangles(must(mesh.Rectangle(0, 0, 1, 1, 200, 3)), Options{Ridge: 45, Threads: 1}))
		before := a.Vertices()
		if err := a.RunOn(t.Context(), gpu, func(measure.Vector) measure.Tensor { return tensor },
			rounds.NewUniform(tensor)); err == nil {
			t.Errorf("no error with %d bytes", size)
		}
		if a.Vertices() != before || gpu.Used != 0 {
			t.Errorf("%d vertices, and %d bytes are not freed", a.Vertices(), gpu.Used)
		}
		gpu.Close()
	}
}
