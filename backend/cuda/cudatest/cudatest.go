// Package cudatest runs generated kernels on a GPU from tests, with arguments in the host's memory. [Parity] runs one
// test with all translations of the kernels: CUDA C compiled for the CPU (package kerneltest), vector code, and a GPU.
package cudatest

import (
	"errors"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend/cuda"
	"github.com/atoll-hpc/atoll/kernelgen/abi"
	"github.com/atoll-hpc/atoll/kernelgen/kerneltest"
	"github.com/atoll-hpc/atoll/kernelgen/lanes"
)

// Runner runs translated kernels: a kerneltest.Library, vector code or a GPU.
type Runner interface {
	Run(t testing.TB, loop abi.Launcher, lo, hi int)
}

// Parity runs a test of the kernels in dir several times: with the CUDA C compiled for the CPU; with the vector code of
// kernels marked lanes, for each vector instruction set of the processor; and on a GPU, if there is one. Kernels that
// the test calls directly run as plain Go.
func Parity(t *testing.T, dir string, f func(t *testing.T, r Runner)) {
	defer lanes.Use(lanes.Use(lanes.Off)) // off now; the present set again at the end
	assembly, err := filepath.Glob(filepath.Join(dir, "lanes_*.s"))
	if err != nil {
		t.Fatal(err)
	}
	if assembly != nil { // without assembly, every instruction set would run plain Go
		Vectors(t, f)
	}
	t.Run("translated", func(t *testing.T) { f(t, kerneltest.Compile(t, dir)) })
	t.Run("gpu", func(t *testing.T) { f(t, Open(t)) })
}

// Vectors runs a test with the vector code of kernels marked lanes, once for each vector instruction set of the
// processor. Kernels that the test calls directly run as plain Go.
func Vectors(t *testing.T, f func(t *testing.T, r Runner)) {
	defer lanes.Use(lanes.Use(lanes.Off)) // off now; the present set again at the end
	for set := lanes.AVX2; set <= lanes.Best(); set++ {
		t.Run(set.String(), func(t *testing.T) { f(t, vectors(set)) })
	}
}

// vectors runs kernels with the code for a vector instruction set.
type vectors lanes.Set

func (v vectors) Run(t testing.TB, loop abi.Launcher, lo, hi int) {
	if l, ok := loop.(interface{ Lanes(lanes.Set) bool }); ok {
		l.Lanes(lanes.Set(v)) // variants without vector code run as plain Go
	}
	if box := loop.Launch().Box; box != nil {
		lo, hi = 0, box.Size()
	}
	loop.(interface{ Range(lo, hi int) }).Range(lo, hi)
}

// GPU runs kernels.
type GPU struct{ dev *cuda.Device }

// Open opens the first GPU for a test. Without a GPU it skips the test.
func Open(t testing.TB) *GPU {
	t.Helper()
	dev, err := cuda.Open(cuda.Options{})
	if err != nil {
		t.Skipf("NOT TESTED: no GPU to run the kernels on: %v", err)
	}
	t.Cleanup(dev.Close)
	return &GPU{dev}
}

// region is memory of the host and its copy on the device.
type region struct {
	host   unsafe.Pointer
	bytes  int
	device unsafe.Pointer
}

// Run copies the loop's slices and structs to the GPU, runs the loop for the indices of [lo, hi), or for all of its
// box, and copies everything back.
func (g *GPU) Run(t testing.TB, loop abi.Launcher, lo, hi int) {
	t.Helper()
	regions := map[unsafe.Pointer]region{}
	deviceAddress := func(host unsafe.Pointer, size uintptr) (uint64, error) {
		r, ok := regions[host]
		if !ok {
			r = region{host: host, bytes: int(size)}
			var err error
			if r.device, err = g.dev.Alloc(r.bytes); err != nil {
				return 0, err
			}
			if err := g.dev.Upload(r.device, host, r.bytes); err != nil {
				return 0, err
			}
			regions[host] = r
		}
		if r.bytes != int(size) {
			return 0, errors.New("another argument has the same address but a different size")
		}
		return uint64(uintptr(r.device)), nil
	}
	k := loop.Launch()
	l, err := g.dev.PrepareGenerated(k, deviceAddress)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	from, to := [3]int{lo}, [3]int{hi}
	if k.Box != nil {
		from, to = k.Box.Lo, k.Box.Hi
	}
	l.Box(from, to)
	for _, r := range regions {
		if err := g.dev.Download(r.host, r.device, r.bytes); err != nil {
			t.Fatal(err)
		}
		if err := g.dev.Free(r.device); err != nil {
			t.Fatal(err)
		}
	}
}
