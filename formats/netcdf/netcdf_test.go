package netcdf

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/formats/internal/broken"
	"github.com/atoll-hpc/atoll/internal/needs"
)

// TestReadFilesOfNetCDF4 reads files that the Python module netCDF4 writes in each format, whole and in parts, and
// compares all bits.
func TestReadFilesOfNetCDF4(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command(needs.Xarray(t), "testdata/kinds.py", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		path := filepath.Join(dir, words[0]+".nc")
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines++
		v := f.Var(words[1])
		values, err := f.ReadAll(v)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range values {
			if got := fmt.Sprintf("%016x", math.Float64bits(x)); got != words[i+2] {
				t.Errorf("%s %s: value %d is %s, want %s", path, v.Name, i, got, words[i+2])
			}
		}
		if len(values) != len(words)-2 {
			t.Errorf("%s %s: %d values, want %d", path, v.Name, len(values), len(words)-2)
		}
		if len(v.Dims) == 3 {
			part := make([]float64, 8)
			if err := f.Read(v, []int64{1, 1, 2}, []int64{2, 2, 2}, part); err != nil {
				t.Error(err)
			}
			for k, x := range part {
				if i := (1+k/4)*15 + (1+k/2%2)*5 + 2 + k%2; x != values[i] {
					t.Errorf("%s %s: value %d of a part is %v, want %v", path, v.Name, k, x, values[i])
				}
			}
			if scale, ok := v.Attrs.Number("scale"); scale != .5 || !ok || v.Attrs.Text("units") != "m" {
				t.Errorf("%s %s: got attributes %+v", path, v.Name, v.Attrs)
			}
		}
		if f.Version != 4 && f.Records != 4 || f.Version == 4 && f.Dims[0].Length != 4 || f.Attrs.Text("title") != "three" {
			t.Errorf("%s: got header %+v, want 4 records and the title three", path, f.Header)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if lines != 51 {
		t.Errorf("read %d variables, want 51", lines)
	}
}

// sample returns a file with a variable h of two records, and a variable x without records: large makes it CDF-5.
func sample(t testing.TB, large bool) []byte {
	t.Helper()
	x := &Var{Name: "x", Type: Float64, Dims: []int{1}, Attrs: Attrs{Text("units", "m")}}
	h := &Var{Name: "h", Type: Float32, Dims: []int{0, 1}, Attrs: Attrs{Numeric("scale_factor", Float64, 2)}}
	if large {
		x.Type = Int64
	}
	head, err := Define([]Dim{{"time", 0}, {"cell", 3}}, Attrs{Text("Conventions", "CF-1.11")}, []*Var{x, h})
	if err != nil {
		t.Fatal(err)
	}
	b := head.Encode()
	offset, count := head.RecordCount(2)
	copy(b[offset:], count)
	b = append(b, make([]byte, head.FileSize(2)-int64(len(b)))...)
	copy(b[head.Offset(x, 0, 0):], x.Type.Append(nil, []float64{1, 2, 3}))
	copy(b[head.Offset(h, 1, 1):], h.Type.Append(nil, []float64{5.5, 6}))
	return b
}

// TestNcdumpReadsWrittenFiles: ncdump, and this package, read the values that this package has written.
func TestNcdumpReadsWrittenFiles(t *testing.T) {
	ncdump := needs.Program(t, "ncdump", "netcdf-bin")
	for _, large := range []bool{false, true} {
		text := sample(t, large)
		path := filepath.Join(t.TempDir(), "ours.nc")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ncdump, "-k", path).CombinedOutput()
		want := "64-bit offset"
		if large {
			want = "cdf5"
		}
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("ncdump -k prints %s, %v; want %s", out, err, want)
		}
		out, err = exec.Command(ncdump, path).CombinedOutput()
		if err != nil || !strings.Contains(string(out), " x = 1, 2, 3 ;") ||
			!strings.Contains(string(out), "0, 0, 0,\n  0, 5.5, 6 ;") ||
			!strings.Contains(string(out), "time = UNLIMITED ; // (2 currently)") {
			t.Errorf("ncdump prints %s, %v", out, err)
		}
		f, err := New(bytes.NewReader(text), int64(len(text)), "ours.nc")
		if err != nil {
			t.Fatal(err)
		}
		h := f.Var("h")
		values, err := f.ReadAll(h)
		if err = errors.Join(err, h.Physical(values)); err != nil || fmt.Sprint(values) != "[0 0 0 0 11 12]" {
			t.Errorf("got h = %v, %v; want [0 0 0 0 11 12]", values, err)
		}
	}
}

// TestPhysical: Physical scales values and replaces missing ones by NaN, as the Python module netCDF4 does.
func TestPhysical(t *testing.T) {
	numbers := func(name string, t Type, list ...float64) Attr { return Attr{Name: name, Type: t, Numbers: list} }
	for _, c := range []struct {
		typ    Type
		values []float64
		attrs  Attrs
		want   string
	}{
		{Int16, []float64{-9, 1, 2}, nil, "[-9 1 2]"},
		{Int16, []float64{-9, 1, 2}, Attrs{Numeric("_FillValue", Int16, -9)}, "[NaN 1 2]"},
		{Int16, []float64{-9, 1, 2}, Attrs{Numeric("missing_value", Int16, 2), Numeric("add_offset", Float32, 1)},
			"[-8 2 NaN]"},
		{Int16, []float64{-9, 1, 2}, Attrs{numbers("valid_range", Int16, 0, 1), Numeric("scale_factor", Float32, .5)},
			"[NaN 0.5 NaN]"},
		{Int16, []float64{-9, 1, 2}, Attrs{Numeric("valid_min", Int16, 1)}, "[NaN 1 2]"},
		{Int16, []float64{-9, 1, 2}, Attrs{Numeric("valid_max", Int16, 1)}, "[-9 1 NaN]"},
		// default fills, which bytes do not have, and which _FillValue replaces
		{Int16, []float64{-32767, 1}, nil, "[NaN 1]"},
		{Int32, []float64{-2147483647, 1}, nil, "[NaN 1]"},
		{Float32, []float64{9.969209968386869e36, 1}, nil, "[NaN 1]"},
		{Float64, []float64{9.969209968386869e36, 1}, Attrs{Numeric("missing_value", Float64, 1)}, "[NaN NaN]"},
		{Float64, []float64{9.969209968386869e36, 1}, Attrs{Numeric("_FillValue", Float64, 1)},
			"[9.969209968386869e+36 NaN]"},
		{Int8, []float64{-127, 1}, nil, "[-127 1]"},
		{Uint16, []float64{65535, 1}, nil, "[NaN 1]"},
		// numbers of another type than the variable, as text, and as a list
		{Float32, []float64{float64(float32(-9999.9)), 1}, Attrs{Numeric("_FillValue", Float64, -9999.9)}, "[NaN 1]"},
		{Float64, []float64{-9999, 1}, Attrs{Text("missing_value", "-9999.")}, "[NaN 1]"},
		{Float64, []float64{-9999, -99, 1}, Attrs{Text("missing_value", "-9999.f, -99")}, "[NaN NaN 1]"},
		{Float64, []float64{-9999, -99, 1}, Attrs{numbers("missing_value", Float64, -9999, -99)}, "[NaN NaN 1]"},
		{Int16, []float64{4, 6}, Attrs{Text("scale_factor", "0.5"), Text("add_offset", "1\x00")}, "[3 4]"},
		// integers of the other sign convention; limits are stored values
		{Int8, []float64{-56, 100}, Attrs{Text("_Unsigned", "true")}, "[200 100]"},
		{Int8, []float64{-1, 100}, Attrs{Text("_Unsigned", "true"), Numeric("_FillValue", Int8, -1)}, "[NaN 100]"},
		{Int16, []float64{-1, -2}, Attrs{Text("_Unsigned", "true"), Numeric("scale_factor", Float64, .5)}, "[32767.5 32767]"},
		{Uint8, []float64{200, 100}, Attrs{Text("_Unsigned", "false")}, "[-56 100]"},
		{Int8, []float64{-56, 100}, Attrs{Text("_Unsigned", "true"), numbers("valid_range", Int8, 0, -1)}, "[200 100]"},
		{Int8, []float64{-56, 100}, Attrs{Text("_Unsigned", "true"), Numeric("valid_max", Int8, -57)}, "[NaN 100]"},
		// limits of the type of scale_factor are physical values
		{Int16, []float64{100, 300}, Attrs{Numeric("scale_factor", Float64, .01), numbers("valid_range", Float64, 0, 2)},
			"[1 NaN]"},
		{Int16, []float64{1, 300}, Attrs{Numeric("scale_factor", Float64, .5), numbers("valid_range", Int16, 0, 2)},
			"[0.5 NaN]"},
		// refused
		{Int16, nil, Attrs{Text("scale_factor", "half")}, `the attribute scale_factor is the text "half", want a number`},
		{Int16, nil, Attrs{numbers("add_offset", Float64, 1, 2)}, "the attribute add_offset is [1 2], want one finite"},
		{Int16, nil, Attrs{Text("_FillValue", "none")}, `the attribute _FillValue is the text "none"`},
	} {
		values, got := slices.Clone(c.values), ""
		if err := (&Var{Name: "h", Type: c.typ, Attrs: c.attrs}).Physical(values); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(values)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%v, attributes %v: got %v, want %s", c.typ, c.attrs, got, c.want)
		}
	}
}

func readAll(text []byte) error {
	f, err := New(bytes.NewReader(text), int64(len(text)), "b.nc")
	if err != nil {
		return err
	}
	for _, v := range f.Vars {
		if v.Type == Char {
			continue
		}
		values, err := f.ReadAll(v)
		if err != nil {
			return err
		}
		if err := v.Physical(values); err != nil {
			return fmt.Errorf("b.nc: %w", err)
		}
	}
	return nil
}

func TestBrokenFilesAreRefused(t *testing.T) {
	// put returns a change that writes bytes at an offset from the first occurrence of a text.
	put := func(text string, offset int, replacement ...byte) func(b []byte) []byte {
		return func(b []byte) []byte {
			copy(b[bytes.Index(b, []byte(text))+offset:], replacement)
			return b
		}
	}
	broken.Refused(t, readAll, func() []byte { return sample(t, false) }, []broken.Case{
		{func([]byte) []byte { return nil }, "b.nc: byte 0: this is not a NetCDF file"},
		{func([]byte) []byte { return []byte("\x89HDF\r\n\x1a\n") }, "it is not an HDF5 file"},
		{put("CDF", 3, 3), "not a NetCDF file of format CDF-1"},
		{put("CDF", 4, 0, 1), "records are more than the file"},
		{func(b []byte) []byte { return b[:60] }, "beyond the end of the file of 60 bytes"},
		{func(b []byte) []byte { return b[:len(b)-4] }, `variable "h": 3 values at byte`},
		{put("time", 4, 0, 0, 0, 5), `variable "h": 3 values at byte`},
		{put("cell", 4, 0, 0, 0, 0), `both "time" and "cell" have length 0`},
		{put("cell", 4, 0x7f), `variable "x" has more values than the file`},
		{put("units", 8, 0, 0, 0, 9), `attribute "units": unknown type 9 in CDF-2`},
		{put("units", 12, 0xff), "more than the file has"},
		{put("units", 12, 0, 1), `attribute "units"`},
		{put("\x00\x00\x00\x0a", 0, 0, 0, 0, 9), "list 9 of length 2, want list 10"},
		{put("\x00\x00\x00\x0b\x00\x00\x00\x02", 4, 0x0f), "longer than the file"},
		{put("\x00\x00\x00\x01h", 8, 0x0f), `variable "h": 251658242 dimensions`},
		{put("\x00\x00\x00\x01h", 12, 0, 0, 0, 7), `variable "h": dimension 7, want 0 to 1`},
		{put("\x00\x00\x00\x01h", 16, 0, 0, 0, 0), `variable "h": the record dimension, "time", is not the first`},
	}...)
}

func FuzzRead(f *testing.F) { broken.Fuzz(f, "b.nc", readAll, sample(f, false), sample(f, true)) }
