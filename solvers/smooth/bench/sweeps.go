package bench

import (
	"context"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/dist/local"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/partition"
	"github.com/atoll-hpc/atoll/run/bench"
	"github.com/atoll-hpc/atoll/solvers"
	"github.com/atoll-hpc/atoll/solvers/smooth"
	"github.com/atoll-hpc/atoll/solvers/smooth/colouring"
	"github.com/atoll-hpc/atoll/solvers/smooth/layout"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/sizing"
)

// SmoothOptions selects what Smooth measures: all combinations of the lists.
type SmoothOptions struct {
	Sizes     []int  // edges along a side, as in Rokos's thesis (2010): a mesh has about 0.628 size² vertices
	Metric    string // linear or sinusoidal
	Grid      int    // nodes along a side of the discrete metric; 0 for the least power of two ≥ the size
	Smoothers []string
	Sweeps    int // of each measurement
	Repeat    int // measurements, of which the fastest counts; 0 is 1
	Guard     string
	Sweep     string // one of smooth.Sweeps
	Colouring string
	Order     string // of vertices within a set
	Precision string
	Threads   []int // of each rank
	JSON      bool  // print a bench.Timing of each measurement as a line of JSON, and no table

	// These are for SmoothScaling:
	Ranks []int
	Weak  bool     // sizes are per rank
	Batch int      // sweeps by tiles between exchanges; 0 for the fastest number
	Halos []string // exchangers, from smooth.Halos
	Hash  bool     // print the hash of the coordinates after the sweeps

	// Open opens the device of a rank, with a number of threads for the CPU; call done to close it.
	Open func(rank, threads int) (dev backend.Device, done func(), err error)
}

// MaxSmoothSize bounds sizes: 63 million vertices.
const MaxSmoothSize = 10_000

// Smooth measures sweeps over Delaunay meshes of the unit square on one rank, by the protocol of the thesis. It
// prints a table, and then the thesis's tables with our times. Seconds include the sweeps and copies to the device
// and back; generating, colouring and set-up are shown separately. Times for 10,000 sweeps are extrapolated from
// fewer, with one copy in each direction; nanoseconds per vertex and sweep are without copies.
func Smooth(ctx context.Context, w io.Writer, o SmoothOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	table, _ := bench.Outputs(w, o.JSON)
	fmt.Fprintf(table, "%d sweeps, %s metric on a grid, guard %s, colouring %s, %s\n", o.Sweeps, o.Metric, o.Guard,
		o.Colouring, o.Precision)
	fmt.Fprintf(table, "%6s %9s %6s %4s %-11s %7s %8s %8s %9s %9s %8s %9s %13s %13s\n", "size", "vertices", "grid", "sets",
		"smoother", "threads", "colour s", "set up s", "sweeps s", "copies s", "ns", "10⁴ s", "quality min", "quality mean")
	var all []smoothResult
	for _, size := range o.Sizes {
		results, err := o.measureSize(ctx, w, size)
		if err != nil {
			return err
		}
		all = append(all, results...)
	}
	thesisTables(table, o.Metric, all)
	return nil
}

func (o *SmoothOptions) check() error {
	if o.Sweeps < 1 || len(o.Sizes) == 0 || len(o.Smoothers) == 0 || len(o.Threads) == 0 {
		return fmt.Errorf("%d sweeps over %d meshes with %d smoothers and %d numbers of threads: give at least 1 of each",
			o.Sweeps, len(o.Sizes), len(o.Smoothers), len(o.Threads))
	}
	for _, size := range o.Sizes {
		if err := checkSize(size); err != nil {
			return err
		}
	}
	return nil
}

func checkSize(size int) error {
	if size < 2 || size > MaxSmoothSize {
		return fmt.Errorf("size %d is not between 2 and %d", size, MaxSmoothSize)
	}
	return nil
}

// smoothResult is one measurement.
type smoothResult struct {
	size     int
	smoother string
	threads  int
	seconds  float64 // for 10,000 sweeps, including copies
}

func (o *SmoothOptions) measureSize(ctx context.Context, w io.Writer, size int) ([]smoothResult, error) {
	table, lines := bench.Outputs(w, o.JSON)
	m, err := thesisMesh(thesisSize(size).vertices)
	if err != nil {
		return nil, err
	}
	grid, metric, err := o.metric(size)
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	layout, err := o.layout(m)
	if err != nil {
		return nil, err
	}
	parts, err := layout.Parts(make([]int32, len(m.X)), 1)
	if err != nil {
		return nil, err
	}
	layoutSeconds := time.Since(begin).Seconds()
	vertices := len(m.X)
	m = nil
	var results []smoothResult
	for _, smoother := range o.Smoothers {
		for _, threads := range o.Threads {
			r, err := o.measure(ctx, parts[0], metric, grid, smoother, threads)
			if err != nil {
				return nil, fmt.Errorf("size %d, %s: %w", size, smoother, err)
			}
			if err := bench.WriteTimings(lines, r.sweeps, "smooth %d vertices %s %s %s, threads: %d", vertices, smoother,
				o.Colouring, o.Precision, threads); err != nil {
				return nil, err
			}
			each := float64(vertices) / bench.Fastest(r.sweeps)
			whole := each*1e4 + r.copied
			fmt.Fprintf(table, "%6d %9d %6d %4d %-11s %7d %8.2f %8.2f %9.4f %9.4f %8.3f %9.3f %6.3f %6.3f %6.3f %6.3f\n", size,
				vertices, grid, layout.Sets(), smoother, threads, layoutSeconds, r.setUp, each*float64(o.Sweeps), r.copied,
				each*1e9/float64(vertices), whole, r.before.QualityMin, r.after.QualityMin, r.before.QualityMean,
				r.after.QualityMean)
			results = append(results, smoothResult{size, smoother, threads, whole})
		}
	}
	return results, nil
}

// metric returns the metric of a mesh of a size, and the number of nodes along a side of its grid.
func (o *SmoothOptions) metric(size int) (grid int, metric *sizing.Metric, err error) {
	if grid = o.Grid; grid == 0 {
		grid = min(1<<bits.Len(uint(size-1)), sizing.MaxSamples)
	}
	metric, err = thesisMetric(o.Metric, grid)
	return grid, metric, err
}

// layout makes the layout of a mesh for the devices: those with separate memory have deep halos.
func (o *SmoothOptions) layout(m *mesh.Mesh) (*layout.Layout, error) {
	dev, done, err := o.Open(0, o.Threads[0])
	if err != nil {
		return nil, err
	}
	_, separate := dev.(backend.Memory)
	done()
	batch := o.Batch
	if separate && batch == 0 {
		batch = layout.MaxBatch
		for _, smoother := range o.Smoothers {
			batch = min(batch, (&smooth.Config{Smoother: smoother, Guard: o.Guard, Sweep: o.Sweep}).Batch())
		}
	}
	return layout.New(m, layout.Options{Boundary: layout.Slide, Colouring: colouring.Kind(o.Colouring),
		Order: partition.Ordering(o.Order), Deep: separate, Batch: batch})
}

// smoothTimes are durations in seconds, with the quality before and after.
type smoothTimes struct {
	setUp, copied float64
	sweeps        []bench.Timing
	before, after quality.Diagnostics
}

func (o *SmoothOptions) measure(ctx context.Context, part *layout.Part, metric *sizing.Metric, grid int,
	smoother string, threads int) (r smoothTimes, err error) {
	debug.FreeOSMemory()
	dev, done, err := o.Open(0, threads)
	if err != nil {
		return r, err
	}
	defer done()
	comm := local.New(1)[0]
	defer comm.Close()
	begin := time.Now()
	env := solvers.Env{Comm: comm, Device: dev}
	s, err := smooth.New(ctx, env, o.Precision, smooth.Config{Smoother: smoother, Guard: o.Guard, Rescale: true,
		Sweep: o.Sweep}, part, metric)
	if err != nil {
		return r, err
	}
	defer s.Close()
	if r.before, err = s.Diagnose(ctx); err != nil {
		return r, err
	}
	r.setUp = time.Since(begin).Seconds()
	// The first sweep loads the kernels; it is not measured.
	if _, err = s.Sweep(ctx, 1); err != nil {
		return r, err
	}
	for range max(o.Repeat, 1) {
		sweeping := bench.StartWatch()
		if _, err = s.Sweep(ctx, o.Sweeps); err != nil {
			return r, err
		}
		if err = backend.Sync(dev); err != nil {
			return r, err
		}
		r.sweeps = append(r.sweeps, sweeping.Timing(int64(o.Sweeps)*int64(len(part.X))))
	}
	if r.copied, err = o.measureCopies(dev, part, grid); err != nil {
		return r, err
	}
	r.after, err = s.Diagnose(ctx)
	return r, err
}

// measureCopies measures the time in s to copy the input of a smoother (rings, vertices, samples of the metric) to
// a device with separate memory, and the vertices back.
func (o *SmoothOptions) measureCopies(dev backend.Device, part *layout.Part, grid int) (float64, error) {
	if _, separate := dev.(backend.Memory); !separate {
		return 0, nil
	}
	number := 8
	if o.Precision == "float32" {
		number = 4
	}
	back := 5 * number * len(part.X)
	rings := len(part.Rings)*int(unsafe.Sizeof(part.Rings[0])) + 4*len(part.MoreNeighbours)
	host := make([]byte, back+rings+4*number*grid*grid)
	for k := 0; k < len(host); k += os.Getpagesize() { // touch every page, as reading a mesh would
		host[k] = 1
	}
	array, err := backend.Make[byte](dev, len(host))
	if err != nil {
		return 0, err
	}
	defer backend.Free(dev, array)
	begin := time.Now()
	if err := backend.Upload(dev, array, host); err != nil {
		return 0, err
	}
	if err := backend.Download(dev, host[:back], array[:back]); err != nil {
		return 0, err
	}
	return time.Since(begin).Seconds(), nil
}

// thesisTables prints the thesis's times with ours.
func thesisTables(w io.Writer, metric string, ours []smoothResult) {
	ours = slices.DeleteFunc(slices.Clone(ours), func(r smoothResult) bool { return r.smoother != "pain" })
	columns := []struct {
		title  string
		metric string
		of     func(r thesisRow) float64
	}{
		{"Table 5.2: CUDA, first version", "sinusoidal", func(r thesisRow) float64 { return r.basic }},
		{"Table 5.4: one thread", "linear", func(r thesisRow) float64 { return r.withLists[0] }},
		{"Table 5.4: OpenMP, 8 threads", "linear", func(r thesisRow) float64 { return r.withLists[1] }},
		{"Table 5.4: CUDA", "linear", func(r thesisRow) float64 { return r.withLists[2] }},
		{"Table 5.5: one thread", "linear", func(r thesisRow) float64 { return r.withoutLists[0] }},
		{"Table 5.5: OpenMP, 8 threads", "linear", func(r thesisRow) float64 { return r.withoutLists[1] }},
		{"Table 5.5: CUDA", "linear", func(r thesisRow) float64 { return r.withoutLists[2] }},
		{"Table 5.7: texture memory", "linear", func(r thesisRow) float64 { return r.tuned[0] }},
		{"Table 5.7: and a larger L1", "linear", func(r thesisRow) float64 { return r.tuned[1] }},
		{"Table 5.7: and boundary sets", "linear", func(r thesisRow) float64 { return r.tuned[2] }},
	}
	for _, c := range columns {
		first := true
		for _, r := range ours {
			theirs := c.of(thesisSize(r.size))
			if theirs == 0 || c.metric != metric {
				continue
			}
			if first {
				fmt.Fprintf(w, "\n%s; seconds for 10,000 sweeps; speedup = theirs / ours\n%6s %7s %10s %10s %8s\n", c.title,
					"size", "threads", "theirs", "ours", "speedup")
				first = false
			}
			fmt.Fprintf(w, "%6d %7d %10.2f %10.3f %8.1f\n", r.size, r.threads, theirs, r.seconds, theirs/r.seconds)
		}
	}
	for _, r := range ours {
		if r.size == 2000 && metric == "linear" {
			blockTables(w, r.seconds)
		}
	}
}
