package cuda

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/atoll-hpc/atoll/backend"
)

func TestRanksShareAGPU(t *testing.T) {
	open(t)
	var ranks sync.WaitGroup
	for rank := range 4 {
		ranks.Go(func() {
			d, err := Open(Options{LocalRank: rank})
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			m, err := d.Load("kernels", kernelsPTX)
			if err != nil {
				t.Error(err)
				return
			}
			f, err := m.Function("nothing")
			if err != nil {
				t.Error(err)
				return
			}
			x, err := backend.Make[float64](d, 1000)
			if err != nil {
				t.Error(err)
				return
			}
			for range 100 {
				// A rank captures a graph while other ranks allocate memory and wait.
				l, err := d.Prepare(f, 1, [3]int{32, 1, 1})
				if err != nil {
					t.Error(err)
					return
				}
				g, err := d.Capture(func() error { l.Range(0, 1); return nil })
				if err != nil {
					t.Error(err)
					return
				}
				g.Launch()
				extra, err := backend.Make[float64](d, 10)
				if err = errors.Join(err, backend.Free(d, extra)); err != nil {
					t.Error(err)
					return
				}
				g.Close()
				l.Close()
				want := slices.Repeat([]float64{float64(rank)}, 1000)
				got := make([]float64, 1000)
				if err := errors.Join(backend.Upload(d, x, want), backend.Download(d, got, x)); err != nil ||
					!slices.Equal(got, want) {
					t.Errorf("rank %d: error %v", rank, err)
					return
				}
			}
		})
	}
	ranks.Wait()
}

func TestInvalidAllocations(t *testing.T) {
	d := open(t)
	_, total, err := d.MemoryInfo()
	ok(t, err)
	var outOfMemory *OutOfMemory
	if _, err := backend.Make[byte](d, int(total)+1); !errors.As(err, &outOfMemory) || outOfMemory.Requested != total+1 ||
		outOfMemory.Total != total || outOfMemory.Free == 0 {
		t.Errorf("error %v", err)
	}
	if _, err := backend.Make[*int](d, 1); err == nil || !strings.Contains(err.Error(), "Go pointers") {
		t.Errorf("an array of pointers: got error %v", err)
	}
	a, err := backend.Make[byte](d, 1)
	ok(t, err) // the device still works
	if err := backend.Free(d, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&a[0]), 1)), 1)); err == nil {
		t.Error("freeing an address inside of an array returns no error")
	}
	ok(t, backend.Free(d, a))
	if err := backend.Free(d, a); err == nil {
		t.Error("freeing an array twice returns no error")
	}
}

func TestBadModules(t *testing.T) {
	d := open(t)
	m, err := d.Load("broken", strings.Replace(kernelsPTX, "ld.param", "ld.nonsense", 1))
	ok(t, err)
	_, err = m.Function("axpy")
	var e *Error
	if !errors.As(err, &e) || e.Subject != "kernel axpy of module broken" || !strings.Contains(e.Log, "nonsense") {
		t.Errorf("error %v", err)
	}
	m, err = d.Load("kernels", kernelsPTX)
	ok(t, err)
	if _, err := m.Function("absent"); err == nil || !strings.Contains(err.Error(), "kernel absent of module kernels") {
		t.Errorf("error %v", err)
	}
}

// TestStrayKernelIsNamed proves that the error of a kernel with an invalid address names the kernel. Such a kernel
// makes the process's context unusable, so the test runs it in another process.
func TestStrayKernelIsNamed(t *testing.T) {
	const variable = "ATOLL_TEST_STRAY"
	if os.Getenv(variable) == "" {
		open(t)
		for debug, want := range map[string]string{"": "after kernel stray or one queued before it",
			"1": "kernel stray: cuEventSynchronize"} {
			c := exec.Command(os.Args[0], "-test.run=^TestStrayKernelIsNamed$", "-test.v")
			c.Env = append(os.Environ(), variable+"=1", "ATOLL_CUDA_DEBUG="+debug)
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), want) {
				t.Errorf("with ATOLL_CUDA_DEBUG=%q: want %q in\n%s", debug, want, out)
			}
		}
		return
	}
	d := open(t)
	l, err := d.Prepare(kernel(t, d, "stray"), 1, [3]int{32, 1, 1})
	ok(t, err)
	nothing, err := d.Prepare(kernel(t, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(t, err)
	d.Run(l, 0, 1)
	err = d.Sync()
	if err == nil {
		t.Fatal("a write to address 8 returns no error")
	}
	t.Log(err)
	d.Run(nothing, 0, 1)
	if again := d.Sync(); again != err {
		t.Errorf("the second Sync returns %v, want the first error %v", again, err)
	}
	d.err = errExpected
}

func TestDebugPrintsATable(t *testing.T) {
	open(t)
	var out strings.Builder
	d, err := Open(Options{Debug: true, Report: &out})
	ok(t, err)
	l, err := d.Prepare(kernel(t, d, "nothing"), 1, [3]int{32, 1, 1})
	ok(t, err)
	defer l.Close()
	for range 3 {
		d.Run(l, 0, 1)
	}
	d.Close()
	if !strings.Contains(out.String(), "nothing                              3 ") {
		t.Errorf("want 3 calls of kernel nothing in the table\n%s", out.String())
	}
	if err := d.Sync(); err == nil {
		t.Error("Sync of a closed device returns no error")
	}
	d.Close()
}
