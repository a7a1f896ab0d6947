package nvrtc

import (
	"errors"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

func compiler(t *testing.T) *Compiler {
	c, err := Load()
	if errors.Is(err, ErrMissing) {
		needs.Missing(t, "%v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNoFusedMultiplyAdd(t *testing.T) {
	c := compiler(t)
	const source = `extern "C" __global__ void f(double *x) { x[0] = x[0] * x[1] + x[2]; }`
	ptx, err := c.Compile("f.cu", source, Options...)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(ptx, ".visible .entry f(") || strings.Contains(ptx, "fma.") {
		t.Errorf("want an entry f without fma:\n%s", ptx)
	}
	fused, err := c.Compile("f.cu", source, "--gpu-architecture=compute_70")
	if err != nil || !strings.Contains(fused, "fma.") {
		t.Errorf("without options NVRTC generates no fma (%v), so the test above proves nothing", err)
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	c := compiler(t)
	_, err := c.Compile("bad.cu", "__device__ int a;\n__device__ int a = b;\n", Options...)
	if err == nil || !strings.Contains(err.Error(), "bad.cu(2): error") {
		t.Errorf("got %v, want bad.cu(2): error", err)
	}
	_, err = c.Compile("warn.cu", "__device__ int f(int a) {}\n", Options...)
	if err == nil || !strings.Contains(err.Error(), "warn.cu(1)") {
		t.Errorf("a warning gave %v, want an error that names line 1", err)
	}
	if _, err := c.Compile("zero.cu", "\x00"); err == nil {
		t.Error("a zero byte in the source returns no error")
	}
}

func TestLoadNamesThePath(t *testing.T) {
	t.Setenv(Variable, "/nowhere/libnvrtc.so")
	if _, err := load(); err == nil || !strings.Contains(err.Error(), "ATOLL_NVRTC=/nowhere/libnvrtc.so") {
		t.Errorf("got %v", err)
	}
}
