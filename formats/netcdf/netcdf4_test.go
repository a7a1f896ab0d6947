package netcdf

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestReadNetCDF4 reads files that the Python modules netCDF4 and xarray write as NetCDF-4, whole and in parts, and
// compares all bits.
func TestReadNetCDF4(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command(needs.Xarray(t), "testdata/netcdf4.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := map[string]*File{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if len(words) < 4 || len(words[3]) != 16 {
			continue // a warning
		}
		f := files[words[0]]
		if f == nil {
			if f, err = Open(filepath.Join(dir, words[0]+".nc")); err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			files[words[0]] = f
		}
		checkBits(t, f, words[1], words[2], words[3:])
	}
	if len(files) != 11 {
		t.Errorf("%d files were read, want 11", len(files))
	}
	for name, want := range map[string]string{"title": "three"} {
		if got := files["xarray"].Attrs.Text(name); got != want {
			t.Errorf("attribute %s is %q, want %q", name, got, want)
		}
	}
	v := files["deflate"].Var("v_i2")
	if scale, ok := v.Attrs.Number("scale"); !ok || scale != .5 || v.Attrs.Text("units") != "m" || v.Type != Int16 {
		t.Errorf("attributes %+v", v.Attrs)
	}
	if list, err := v.Attrs.numbers("list"); err != nil || !slices.Equal(list, []float64{0, 1, 2}) {
		t.Errorf("list %v, %v", list, err)
	}
	if got := files["big"].Attrs.Text("attribute_17"); got != "text 17" || len(files["big"].Attrs) != 30 {
		t.Errorf("%d attributes, of them %q", len(files["big"].Attrs), got)
	}
	if v := files["unlimited"].Var("names"); v == nil || v.Type != Char {
		t.Errorf("text %+v", v)
	}
	if _, err := files["unlimited"].ReadAll(files["unlimited"].Var("names")); err == nil ||
		!strings.Contains(err.Error(), `variable "names": it is text, want numbers`) {
		t.Error(err)
	}
	if got, want := files["left_out"].Others(), `; not read: group "inner", "pairs", which is neither numbers nor text, `+
		`"lists", which is neither numbers nor text`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	checkZstd(t, filepath.Join(dir, "zstd.nc"))
}

// checkBits compares a variable with the bits of its values, whole and in parts.
func checkBits(t *testing.T, f *File, name, shape string, want []string) {
	t.Helper()
	v := f.Var(name)
	if v == nil {
		t.Fatalf("%s has no variable %q", f.name, name)
	}
	var text []string
	for _, n := range f.Shape(v) {
		text = append(text, fmt.Sprint(n))
	}
	if got := strings.Join(text, "x"); got != shape && shape != "scalar" {
		t.Fatalf("%s: %s has shape %s, want %s", f.name, name, got, shape)
	}
	values, err := f.ReadAll(v)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range values {
		if got := fmt.Sprintf("%016x", math.Float64bits(x)); got != want[i] {
			t.Fatalf("%s %s: value %d is %s, want %s", f.name, name, i, got, want[i])
		}
	}
	if s := f.Shape(v); len(s) == 2 {
		part := make([]float64, (s[0]-2)*(s[1]-3))
		if err := f.Read(v, []int64{1, 2}, []int64{s[0] - 2, s[1] - 3}, part); err != nil {
			t.Fatal(err)
		}
		for i, x := range part {
			row, column := int64(i)/(s[1]-3)+1, int64(i)%(s[1]-3)+2
			if x != values[row*s[1]+column] {
				t.Fatalf("%s %s: part %d is %v, want %v", f.name, name, i, x, values[row*s[1]+column])
			}
		}
	}
}

// checkZstd: values that are compressed by another filter are refused when they are read.
func checkZstd(t *testing.T, path string) {
	t.Helper()
	f, err := Open(path)
	if err != nil || f.Var("v") == nil {
		return // netCDF4 has no such filter
	}
	defer f.Close()
	if _, err := f.ReadAll(f.Var("v")); err == nil || !strings.Contains(err.Error(), "by the filter zstd, which is not") {
		t.Errorf("got error %v, want one that names zstd", err)
	}
}

// TestBrokenNetCDF4: a file that is cut off anywhere, or has a wrong byte, gives an error or values, and never panics.
func TestBrokenNetCDF4(t *testing.T) {
	data, err := os.ReadFile("testdata/small.nc")
	if err != nil {
		t.Fatal(err)
	}
	const stride = 41 // all bytes take a minute
	for n := 0; n < len(data); n += stride {
		readEverything(data[:n])
		changed := slices.Clone(data)
		for _, flip := range []byte{1, 0x80, 0xff} {
			changed[n] ^= flip
			readEverything(changed)
			changed[n] ^= flip
		}
	}
}

// readEverything reads all variables of a file.
func readEverything(data []byte) {
	f, err := New(strings.NewReader(string(data)), int64(len(data)), "a.nc")
	if err != nil {
		return
	}
	for _, v := range f.Vars {
		shape, n := f.Shape(v), int64(1)
		for _, s := range shape {
			if n *= min(s, 1<<16); n > 1<<16 {
				break
			}
		}
		if n <= 1<<16 {
			_, _ = f.ReadAll(v)
		}
	}
}

func FuzzNetCDF4(f *testing.F) {
	data, err := os.ReadFile("testdata/small.nc")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) { readEverything(data) })
}
