package results

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/atoll-hpc/atoll/mesh/vtk"
)

// decoders read the arrays of a VTK file, by its extension. Index files (.pvtu, .pvti, .pvtp) are read with the files
// that they refer to.
var decoders = map[string]func(path string) ([]locatedArray, error){
	".vtu": readGrid, ".pvtu": readGrid,
	".vti": readImage, ".pvti": readImage,
	".vtp": readPolyData, ".pvtp": readPolyData,
	".pvd": readSeries,
}

// locatedArray is an array with its location in the file, such as "CellData h1".
type locatedArray struct {
	location string
	vtk.Array
}

// unnamed returns data of the file that is not a named VTK array, such as its points, as a located array.
func unnamed(location string, components int, data any) locatedArray {
	return locatedArray{location, vtk.Array{Components: components, Data: data}}
}

func readGrid(path string) ([]locatedArray, error) {
	g, err := vtk.Read(path)
	if err != nil {
		return nil, err
	}
	list := []locatedArray{unnamed("Points", 3, g.Points), unnamed("Cells connectivity", 1, g.Connectivity),
		unnamed("Cells offsets", 1, g.Offsets), unnamed("Cells types", 1, g.Types)}
	return append(list, sectionArrays(g.PointData, g.CellData, g.FieldData)...), nil
}

func readImage(path string) ([]locatedArray, error) {
	m, err := vtk.ReadImage(path)
	if err != nil {
		return nil, err
	}
	box := []int64{int64(m.Dim)}
	for a := range 3 {
		box = append(box, int64(m.Whole[a]), int64(m.Lo[a]), int64(m.N[a]))
	}
	list := []locatedArray{unnamed("extents", 1, box), unnamed("Origin", 3, m.Origin[:]), unnamed("Spacing", 3,
		m.Spacing[:])}
	return append(list, sectionArrays(m.PointData, m.CellData, m.FieldData)...), nil
}

func readPolyData(path string) ([]locatedArray, error) {
	p, err := vtk.ReadPolyData(path)
	if err != nil {
		return nil, err
	}
	list := []locatedArray{unnamed("Points", 3, p.Points)}
	for _, kind := range []struct {
		name  string
		cells vtk.Cells
	}{{"Verts", p.Verts}, {"Lines", p.Lines}, {"Polys", p.Polys}} {
		list = append(list, unnamed(kind.name+" connectivity", 1, kind.cells.Connectivity),
			unnamed(kind.name+" offsets", 1, kind.cells.Offsets))
	}
	return append(list, sectionArrays(p.PointData, p.CellData, p.FieldData)...), nil
}

// readSeries returns the times in a .pvd file as an array, and the file name of each frame as an array of bytes.
func readSeries(path string) ([]locatedArray, error) {
	series, err := vtk.ReadPVD(path)
	if err != nil {
		return nil, err
	}
	times := make([]float64, len(series))
	var list []locatedArray
	for i, f := range series {
		times[i] = f.Time
		list = append(list, unnamed(fmt.Sprintf("file of frame %d, %s,", i, f.File), 1, []byte(f.File)))
	}
	return append([]locatedArray{unnamed("times of the frames", 1, times)}, list...), nil
}

func sectionArrays(points, cells, field vtk.Arrays) (list []locatedArray) {
	for _, section := range []struct {
		name   string
		arrays vtk.Arrays
	}{{"PointData", points}, {"CellData", cells}, {"FieldData", field}} {
		for _, a := range section.arrays {
			list = append(list, locatedArray{section.name + " " + a.Name, a})
		}
	}
	return list
}

// compareFrames compares the arrays of two files by their locations. The order of arrays does not matter.
func compareFrames(before, after string, decode func(path string) ([]locatedArray, error)) ([]Difference, error) {
	a, err := decode(before)
	if err != nil {
		return nil, err
	}
	b, err := decode(after)
	if err != nil {
		return nil, err
	}
	unmatched := map[string]vtk.Array{}
	for _, y := range b {
		unmatched[y.location] = y.Array
	}
	var differences []Difference
	for _, x := range a {
		y, ok := unmatched[x.location]
		delete(unmatched, x.location)
		if !ok {
			differences = append(differences, missing(x.location, true))
		} else if text := describeDifference(x.Array, y); text != "" {
			differences = append(differences, Difference{x.location, text})
		}
	}
	for _, y := range b {
		if _, ok := unmatched[y.location]; ok {
			differences = append(differences, missing(y.location, false))
		}
	}
	return differences, nil
}

// describeDifference describes the first difference of two arrays: the type, the number of components or values, or
// the first value with other bits. It returns "" if they are equal.
func describeDifference(a, b vtk.Array) string {
	x, y := reflect.ValueOf(a.Data), reflect.ValueOf(b.Data)
	switch {
	case x.Type() != y.Type():
		return fmt.Sprintf("values of type %s, then %s", x.Type().Elem(), y.Type().Elem())
	case max(a.Components, 1) != max(b.Components, 1):
		return fmt.Sprintf("%d components, then %d", max(a.Components, 1), max(b.Components, 1))
	case x.Len() != y.Len():
		return fmt.Sprintf("%d values, then %d", x.Len(), y.Len())
	}
	p, q := arrayBytes(a.Data), arrayBytes(b.Data)
	if bytes.Equal(p, q) {
		return ""
	}
	size := len(p) / x.Len()
	i := firstDifference(p, q) / size
	differing := 0
	for k := range x.Len() {
		if !bytes.Equal(p[k*size:(k+1)*size], q[k*size:(k+1)*size]) {
			differing++
		}
	}
	text := fmt.Sprintf("value %d is %v, then %v", i, x.Index(i), y.Index(i))
	if fmt.Sprint(x.Index(i)) == fmt.Sprint(y.Index(i)) { // NaNs
		text += fmt.Sprintf(", with bits %x and %x", p[i*size:(i+1)*size], q[i*size:(i+1)*size])
	}
	return fmt.Sprintf("%s; %d of %d differ", text, differing, x.Len())
}

// arrayBytes returns the bytes of a slice of numbers.
func arrayBytes(data any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, data)
	if err != nil {
		panic(fmt.Sprintf("results: unexpected type %T of an array", data)) // vtk.Array has only slices of numbers
	}
	return b
}
