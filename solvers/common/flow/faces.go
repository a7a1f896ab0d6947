package flow

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/atoll-hpc/atoll/grid"
	"github.com/atoll-hpc/atoll/internal/pattern"
)

// Faces reads the velocities of all faces of a grid from an archive of NumPy arrays, as numpy.savez and
// numpy.savez_compressed write it:
//
//	u.npy  through faces across x: shape (ny, nx+1), in space (nz, ny, nx+1)
//	v.npy  through faces across y: shape (ny+1, nx), in space (nz, ny+1, nx)
//	w.npy  through faces across z: shape (nz+1, ny, nx), in space only
//
// in C order and of type <f8 or <f4. Along a periodic axis the first and the last faces must have the same velocity.
// Arrays of other shapes and velocities that are not finite are refused. Faces outside of the grid have the velocity
// of the nearest face of the grid.
func Faces(g *grid.Grid, r io.ReaderAt, size int64) (Flow, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return Flow{}, fmt.Errorf("not an archive of numpy.savez: %w", err)
	}
	var u [3][]float64
	for axis := range g.Dim {
		name := string("uvw"[axis]) + ".npy"
		file, err := archive.Open(name)
		if err != nil {
			return Flow{}, fmt.Errorf("the archive has no array %s: write it with numpy.savez(file, u=u, v=v, …)", name)
		}
		u[axis], err = facesAcross(g, axis, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return Flow{}, fmt.Errorf("array %s: %w", name, err)
		}
	}
	return Flow{Face: func(axis, i, j, k int) float64 {
		n := faceShape(g, axis)
		i, j, k = min(max(i, 0), n[0]-1), min(max(j, 0), n[1]-1), min(max(k, 0), n[2]-1)
		return u[axis][i+n[0]*(j+n[1]*k)]
	}}, nil
}

// FacesFile reads [Faces] from a file.
func FacesFile(g *grid.Grid, path string) (Flow, error) {
	file, err := os.Open(path)
	if err != nil {
		return Flow{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Flow{}, err
	}
	f, err := Faces(g, file, info.Size())
	if err != nil {
		return Flow{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// faceShape returns the number of faces across an axis along x, y and z.
func faceShape(g *grid.Grid, axis int) [3]int {
	n := g.N
	n[axis]++
	return n
}

// facesAcross reads the velocities through all faces across an axis, x fastest.
func facesAcross(g *grid.Grid, axis int, r io.Reader) ([]float64, error) {
	n := faceShape(g, axis)
	in := bufio.NewReaderSize(r, 1<<16)
	size, err := arrayHeader(in, n, g.Dim)
	if err != nil {
		return nil, err
	}
	// Memory grows with the data that is read.
	var velocities []float64
	var word [8]byte
	for c := range n[0] * n[1] * n[2] {
		if _, err := io.ReadFull(in, word[8-size:]); err != nil {
			return nil, fmt.Errorf("the array ends after %d of %d numbers: %w", c, n[0]*n[1]*n[2], err)
		}
		v := 0.0
		if size == 4 {
			v = float64(math.Float32frombits(binary.LittleEndian.Uint32(word[4:])))
		} else {
			v = math.Float64frombits(binary.LittleEndian.Uint64(word[:]))
		}
		if v-v != 0 {
			return nil, fmt.Errorf("the velocity through face (%d, %d, %d) is %v", c%n[0], c/n[0]%n[1], c/n[0]/n[1], v)
		}
		velocities = append(velocities, v)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, errors.New("there are extra bytes after the numbers")
	}
	if !g.Periodic[axis] {
		return velocities, nil
	}
	stride, last := 1, n
	for d := range axis {
		stride *= n[d]
	}
	last[axis] = 1
	for c := range last[0] * last[1] * last[2] {
		at := [3]int{c % last[0], c / last[0] % last[1], c / last[0] / last[1]}
		first := at[0] + n[0]*(at[1]+n[1]*at[2])
		if a, b := velocities[first], velocities[first+stride*(n[axis]-1)]; a != b {
			return nil, fmt.Errorf("axis %c is periodic, but its first and last faces at (%d, %d, %d) have the velocities %v "+
				"and %v",
				"xyz"[axis], at[0], at[1], at[2], a, b)
		}
	}
	return velocities, nil
}

var (
	descrField = pattern.Of(`'descr': '([^']*)'`)
	orderField = pattern.Of(`'fortran_order': (True|False)`)
	shapeField = pattern.Of(`'shape': \(([0-9, ]*)\)`)
)

// arrayHeader reads the header of an .npy file (versions 1 to 3 of the format) and returns the size of a number in
// bytes.
func arrayHeader(in io.Reader, n [3]int, dim int) (size int, err error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || string(head[:6]) != "\x93NUMPY" {
		return 0, errors.New("not a NumPy array: the magic string is missing")
	}
	var length [4]byte
	field := length[:2]
	switch head[6] {
	case 1:
	case 2, 3:
		field = length[:]
	default:
		return 0, fmt.Errorf("version %d of the .npy format is not supported", head[6])
	}
	if _, err := io.ReadFull(in, field); err != nil {
		return 0, fmt.Errorf("header: %w", err)
	}
	const longest = 1 << 12 // a header of such an array has some 100 bytes
	count := binary.LittleEndian.Uint32(length[:])
	if count > longest {
		return 0, fmt.Errorf("the header has %d bytes, more than %d", count, longest)
	}
	text := make([]byte, count)
	if _, err := io.ReadFull(in, text); err != nil {
		return 0, fmt.Errorf("header: %w", err)
	}
	descr, order := descrField().FindSubmatch(text), orderField().FindSubmatch(text)
	shape := shapeField().FindSubmatch(text)
	if descr == nil || order == nil || shape == nil {
		return 0, fmt.Errorf("the header %q lacks descr, fortran_order or shape", strings.TrimSpace(string(text)))
	}
	if string(order[1]) == "True" {
		return 0, errors.New("the array is in Fortran order: convert it with numpy.ascontiguousarray")
	}
	want := fmt.Sprintf("%d, %d", n[1], n[0])
	if dim == 3 {
		want = fmt.Sprintf("%d, %s", n[2], want)
	}
	if got := strings.TrimSuffix(strings.TrimSpace(string(shape[1])), ","); got != want {
		return 0, fmt.Errorf("the shape is (%s), the grid needs (%s)", got, want)
	}
	switch string(descr[1]) {
	case "<f8":
		return 8, nil
	case "<f4":
		return 4, nil
	}
	return 0, fmt.Errorf("numbers of type %q are not supported: use little-endian float64 or float32", descr[1])
}
