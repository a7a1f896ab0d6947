package results

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// decoders read the arrays of a file of VTK by its extension. Index files (.pvtu, .pvti, .pvtp) are read with the
// pieces that they name.
var decoders = map[string]func(path string) ([]located, error){
	".vtu": readGrid, ".pvtu": readGrid,
	".vti": readImage, ".pvti": readImage,
	".vtp": readPolyData, ".pvtp": readPolyData,
	".pvd": readSeries,
}

// located is an array and where in its file it is, such as "CellData h1".
type located struct {
	place string
	vtk.Array
}

// plain makes a located array of a part of the file that is no named VTK array, such as its points.
func plain(place string, components int, data any) located {
	return located{place, vtk.Array{Components: components, Data: data}}
}

func readGrid(path string) ([]located, error) {
	g, err := vtk.Read(path)
	if err != nil {
		return nil, err
	}
	list := []located{plain("Points", 3, g.Points), plain("Cells connectivity", 1, g.Connectivity),
		plain("Cells offsets", 1, g.Offsets), plain("Cells types", 1, g.Types)}
	return append(list, data(g.PointData, g.CellData, g.FieldData)...), nil
}

func readImage(path string) ([]located, error) {
	m, err := vtk.ReadImage(path)
	if err != nil {
		return nil, err
	}
	box := []int64{int64(m.Dim)}
	for a := range 3 {
		box = append(box, int64(m.Whole[a]), int64(m.Lo[a]), int64(m.N[a]))
	}
	list := []located{plain("extents", 1, box), plain("Origin", 3, m.Origin[:]), plain("Spacing", 3, m.Spacing[:])}
	return append(list, data(m.PointData, m.CellData, m.FieldData)...), nil
}

func readPolyData(path string) ([]located, error) {
	p, err := vtk.ReadPolyData(path)
	if err != nil {
		return nil, err
	}
	list := []located{plain("Points", 3, p.Points)}
	for _, kind := range []struct {
		name  string
		cells vtk.Cells
	}{{"Verts", p.Verts}, {"Lines", p.Lines}, {"Polys", p.Polys}} {
		list = append(list, plain(kind.name+" connectivity", 1, kind.cells.Connectivity),
			plain(kind.name+" offsets", 1, kind.cells.Offsets))
	}
	return append(list, data(p.PointData, p.CellData, p.FieldData)...), nil
}

// readSeries takes the times of a .pvd file as an array, and the name of each frame as one of bytes.
func readSeries(path string) ([]located, error) {
	series, err := vtk.ReadPVD(path)
	if err != nil {
		return nil, err
	}
	times := make([]float64, len(series))
	var list []located
	for i, f := range series {
		times[i] = f.Time
		list = append(list, plain(fmt.Sprintf("file of frame %d, %s,", i, f.File), 1, []byte(f.File)))
	}
	return append([]located{plain("times of the frames", 1, times)}, list...), nil
}

func data(points, cells, field vtk.Arrays) (list []located) {
	for _, section := range []struct {
		name   string
		arrays vtk.Arrays
	}{{"PointData", points}, {"CellData", cells}, {"FieldData", field}} {
		for _, a := range section.arrays {
			list = append(list, located{section.name + " " + a.Name, a})
		}
	}
	return list
}

// frames compares the arrays of two files by their names. Their order does not count.
func frames(before, after string, decode func(path string) ([]located, error)) ([]Difference, error) {
	a, err := decode(before)
	if err != nil {
		return nil, err
	}
	b, err := decode(after)
	if err != nil {
		return nil, err
	}
	rest := map[string]vtk.Array{}
	for _, y := range b {
		rest[y.place] = y.Array
	}
	var found []Difference
	for _, x := range a {
		y, ok := rest[x.place]
		delete(rest, x.place)
		if !ok {
			found = append(found, only(x.place, true))
		} else if what := arrays(x.Array, y); what != "" {
			found = append(found, Difference{x.place, what})
		}
	}
	for _, y := range b {
		if _, ok := rest[y.place]; ok {
			found = append(found, only(y.place, false))
		}
	}
	return found, nil
}

// arrays tells in what two arrays differ: the type, the components, the length, or the first value of other bits.
func arrays(a, b vtk.Array) string {
	x, y := reflect.ValueOf(a.Data), reflect.ValueOf(b.Data)
	switch {
	case x.Type() != y.Type():
		return fmt.Sprintf("values of type %s, then %s", x.Type().Elem(), y.Type().Elem())
	case max(a.Components, 1) != max(b.Components, 1):
		return fmt.Sprintf("%d components, then %d", max(a.Components, 1), max(b.Components, 1))
	case x.Len() != y.Len():
		return fmt.Sprintf("%d values, then %d", x.Len(), y.Len())
	}
	p, q := bits(a.Data), bits(b.Data)
	if bytes.Equal(p, q) {
		return ""
	}
	size := len(p) / x.Len()
	i := firstByte(p, q) / size
	differing := 0
	for k := range x.Len() {
		if !bytes.Equal(p[k*size:(k+1)*size], q[k*size:(k+1)*size]) {
			differing++
		}
	}
	text := fmt.Sprintf("value %d is %v, then %v", i, x.Index(i), y.Index(i))
	if fmt.Sprint(x.Index(i)) == fmt.Sprint(y.Index(i)) { // NaNs
		text += fmt.Sprintf(", of bits %x and %x", p[i*size:(i+1)*size], q[i*size:(i+1)*size])
	}
	return fmt.Sprintf("%s; %d of %d differ", text, differing, x.Len())
}

// bits are the bytes of a slice of numbers.
func bits(data any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(fmt.Sprintf("results: an array of %T", data)) // which vtk.Array excludes
	}
	return b
}
