package cuda

import (
	"math/rand/v2"
	"testing"

	"github.com/atoll-hpc/atoll/backend"
	"github.com/atoll-hpc/atoll/backend/backendtest"
	"github.com/atoll-hpc/atoll/backend/primitives"
)

// BenchmarkLaunch measures the launch of an empty kernel, without waiting for it.
func BenchmarkLaunch(b *testing.B) {
	d := open(b)
	l, err := d.Prepare(kernel(b, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(b, err)
	defer l.Close()
	b.ReportAllocs()
	for b.Loop() {
		l.Range(0, 1)
	}
	ok(b, d.Sync())
}

// BenchmarkLaunchAndWait measures the launch of an empty kernel and the wait for it.
func BenchmarkLaunchAndWait(b *testing.B) {
	d := open(b)
	l, err := d.Prepare(kernel(b, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(b, err)
	defer l.Close()
	for b.Loop() {
		l.Range(0, 1)
		ok(b, d.Sync())
	}
}

// BenchmarkGraph measures a graph of 20 empty kernels.
func BenchmarkGraph(b *testing.B) {
	d := open(b)
	l, err := d.Prepare(kernel(b, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(b, err)
	defer l.Close()
	g, err := d.Capture(func() error {
		for range 20 {
			l.Range(0, 1)
		}
		return nil
	})
	ok(b, err)
	defer g.Close()
	for b.Loop() {
		g.Launch()
	}
	ok(b, d.Sync())
}

// BenchmarkStep measures an upload of 16 bytes, a kernel and a download of 8 bytes, as in a time step.
func BenchmarkStep(b *testing.B) {
	d := open(b)
	x, err := backend.Make[float64](d, 2)
	ok(b, err)
	l, err := d.Prepare(kernel(b, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(b, err)
	defer l.Close()
	up, down := make([]float64, 2), make([]float64, 1)
	for b.Loop() {
		ok(b, backend.Upload(d, x, up))
		l.Range(0, 1)
		ok(b, backend.Download(d, down, x[:1]))
	}
}

// BenchmarkCopy measures a copy within the device. Bytes read and bytes written both count.
func BenchmarkCopy(b *testing.B) {
	d := open(b)
	const n = 1 << 28
	src, err := backend.Make[float64](d, n)
	ok(b, err)
	dst, err := backend.Make[float64](d, n)
	ok(b, err)
	benchmarkQueued(b, d, 16*n, func() error { return backend.Copy(d, dst, src) })
}

// BenchmarkHost measures copies between pinned memory and the device.
func BenchmarkHost(b *testing.B) {
	d := open(b)
	const n = 1 << 25
	dev, err := backend.Make[float64](d, n)
	ok(b, err)
	host, err := Pinned[float64](d, n)
	ok(b, err)
	b.Run("up", func(b *testing.B) { benchmarkQueued(b, d, 8*n, func() error { return Upload(d.Compute(), dev, host) }) })
	b.Run("down", func(b *testing.B) {
		benchmarkQueued(b, d, 8*n, func() error { return Download(d.Compute(), host, dev) })
	})
	ok(b, FreePinned(d, host))
}

// benchmarkQueued times f in batches of 10, so that the host's wait hardly counts.
func benchmarkQueued(b *testing.B, d *Device, bytes int, f func() error) {
	b.Helper()
	ok(b, f())
	ok(b, d.Sync())
	for b.Loop() {
		for range 10 {
			ok(b, f())
		}
		ok(b, d.Sync())
	}
	b.ReportMetric(float64(10*bytes)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
	b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(10*b.N), "µs/call")
}

// BenchmarkPrimitives reports the throughput of primitives for 2^26 elements. It counts the bytes that a primitive
// must at least read and write.
func BenchmarkPrimitives(b *testing.B) {
	d := open(b)
	w := primitives.NewWorkspace(d)
	const n = 1 << 26
	r := rand.New(rand.NewPCG(1, 2))
	floats, keys, index, keep := make([]float64, n), make([]uint32, n), make([]int32, n), make([]uint8, n)
	for i := range floats {
		floats[i], keys[i], index[i], keep[i] = r.NormFloat64(), r.Uint32(), int32(i), uint8(i&1)
	}
	for i := 0; i < n; i += 1024 { // as the cells of an ordered mesh: neighbours are close, but not adjacent
		r.Shuffle(1024, func(a, b int) { index[i+a], index[i+b] = index[i+b], index[i+a] })
	}
	x, y, flags := upload(b, d, floats), upload(b, d, floats), upload(b, d, keep)
	ints, indices := upload(b, d, index), upload(b, d, index)
	k, out, buf := upload(b, d, keys), upload(b, d, keys), upload(b, d, make([]byte, 8*n))
	ordered := make([]uint32, n)
	for i := range ordered {
		ordered[i] = uint32(i / 6)
	}
	runs, cells := upload(b, d, ordered), upload(b, d, index)
	starts := upload(b, d, make([]int32, n+1))
	counts, sums := upload(b, d, make([]int64, n)), upload(b, d, make([]int64, n))
	var words [backend.SumWords]int64
	for _, c := range []struct {
		name  string
		bytes int
		f     func() error
	}{
		{"min f64", 8 * n, func() error { _, err := primitives.Min(w, x); return err }},
		{"sum f64", 8 * n, func() error { return primitives.SumInto(w, &words, x) }},
		{"scan i64", 16 * n, func() error { _, err := primitives.ExclusiveScan(w, sums, counts); return err }},
		{"compact f64", 13 * n, func() error { _, err := primitives.Compact(w, y, x, flags); return err }},
		{"gather f64", 20 * n, func() error { return primitives.Gather(w, y, x, indices) }},
		{"scatter f64", 20 * n, func() error { return primitives.Scatter(w, y, x, indices) }},
		{"pack f64", 20 * n, func() error { return primitives.Pack(w, buf, 8, backendtest.BytesOf(x), 8, indices) }},
		{"reduce by key", 24 * n, func() error {
			_, err := primitives.ReduceByKey(w, backend.Add, out, y, runs,
				x)
			return err
		}},
		{"order by cell", 8 * n, func() error { return primitives.OrderByCell(w, cells, n, starts, ints) }},
		{"sort u32", 16 * n, func() error { return primitives.SortByKey(w, k, ints) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			ok(b, c.f())
			ok(b, d.Sync())
			start, end := newEvents(b, d)
			var total float64
			for b.Loop() {
				ok(b, backend.Upload(d, k, keys)) // the sort of the last iteration changed them
				ok(b, d.Compute().Record(start))
				ok(b, c.f())
				ok(b, d.Compute().Record(end))
				ok(b, end.Sync())
				took, err := end.Since(start)
				ok(b, err)
				total += took.Seconds()
			}
			b.ReportMetric(float64(c.bytes)*float64(b.N)/total/1e9, "GB/s")
			b.ReportMetric(float64(n)*float64(b.N)/total/1e9, "Gelements/s")
		})
	}
}

func upload[T any](b *testing.B, d *Device, a []T) []T {
	b.Helper()
	dev, err := backend.Make[T](d, len(a))
	ok(b, err)
	ok(b, backend.Upload(d, dev, a))
	return dev
}

func newEvents(b *testing.B, d *Device) (start, end *Event) {
	b.Helper()
	start, err := d.NewEvent()
	ok(b, err)
	end, err = d.NewEvent()
	ok(b, err)
	b.Cleanup(func() { start.Close(); end.Close() })
	return start, end
}
