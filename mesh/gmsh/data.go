package gmsh

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/internal/words"
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// fieldData reads a section $NodeData or $ElementData: lists of strings, real numbers and integers, as text also in
// binary files, and then a tag and values for each node or element. The first string is the name of the field; the
// first three integers are time step, number of components and number of entries. A field of one component is NaN at
// vertices or cells without a value. Fields of more components are skipped, and so are values of points and lines.
func (r *reader) fieldData(start int, ofCells bool) error {
	if !r.haveNodes || ofCells && !r.haveElements {
		return r.At(start, "data before the sections $Nodes and $Elements to which it refers")
	}
	name, components, count, err := r.dataHeader(start)
	if err != nil {
		return err
	}
	size := 2 + 2*int(components)
	if r.Binary {
		size = 4 + 8*int(components)
	}
	if err := r.CheckRemaining(count, size, "values"); err != nil {
		return err
	}
	fields, kind, tags, index := &r.mesh.VertexData, "vertex", r.nodeTags, &r.nodes
	if ofCells {
		if err := r.indexCells(start); err != nil {
			return err
		}
		fields, kind, tags, index = &r.mesh.CellData, "cell", r.cellTags, &r.cells
	}
	values, covered, err := r.fieldValues(name, components, count, len(tags), index, ofCells)
	if err != nil {
		return err
	}
	if components != 1 || values == nil {
		r.skipped = append(r.skipped, mesh.LostField(kind, name, int(components)))
		return nil
	}
	if covered == 0 {
		return nil
	}
	if _, twice := (*fields)[name]; twice {
		return r.At(start, "the %s field %q is given twice; keep one time step in the file", kind, name)
	}
	if covered < len(tags) {
		r.mesh.Notes = append(r.mesh.Notes, fmt.Sprintf("%s field %q has %s for %s: it is NaN at the others", kind, name,
			words.Count(covered, "value"), words.Count(len(tags), kind)))
	}
	mesh.SetField(fields, name, values)
	return nil
}

// maxPartial bounds the memory of fields with few values, in bytes for each byte of the file.
const maxPartial = 64

// fieldValues reads the values of a field, and returns them in the order of the tags of index, and how many of the tags
// have a value. The values of a field that is skipped are nil.
func (r *reader) fieldValues(name string, components, count int64, tagCount int, index *meshfile.TagIndex,
	ofCells bool) (values []float64, covered int, err error) {
	var filled []bool
	r.partialValues += max(0, int64(tagCount)-count)
	if components == 1 && 8*r.partialValues <= maxPartial*int64(len(r.Data)) {
		values, filled = make([]float64, tagCount), make([]bool, tagCount)
		for i := range values {
			values[i] = math.NaN()
		}
	}
	for range count {
		at := r.Here()
		tag, value, err := r.dataValues(components)
		if err != nil {
			return nil, 0, err
		}
		i := index.Of(tag)
		switch {
		case i < 0 && ofCells: // a point or a line
		case i < 0:
			return nil, 0, r.At(at, "field %q has a value at node %d, which is not in $Nodes", name, tag)
		case values == nil:
			covered++
		case filled[i]:
			return nil, 0, r.At(at, "field %q has two values at tag %d", name, tag)
		default:
			values[i], filled[i] = value, true
			covered++
		}
	}
	return values, covered, nil
}

func (r *reader) dataHeader(start int) (name string, components, count int64, err error) {
	stringCount, err := r.Int()
	if err != nil {
		return "", 0, 0, err
	}
	r.Line()
	if err := r.CheckRemaining(stringCount, 3, "strings"); err != nil {
		return "", 0, 0, err
	}
	for i := range stringCount {
		text, err := r.quoted()
		if err != nil {
			return "", 0, 0, err
		}
		if i == 0 {
			name = text
		}
	}
	if name == "" {
		return "", 0, 0, r.At(start, "data without a name")
	}
	realCount, err := r.Int()
	if err != nil {
		return "", 0, 0, err
	}
	if err := r.CheckRemaining(realCount, 2, "numbers"); err != nil {
		return "", 0, 0, err
	}
	for range realCount {
		if _, err := r.Float(); err != nil {
			return "", 0, 0, err
		}
	}
	header, err := r.wholeNumbers(name)
	if err != nil {
		return "", 0, 0, err
	}
	if r.Binary {
		r.Line()
	}
	if header[1] < 1 || header[1] > 9 {
		return "", 0, 0, r.At(r.Pos, "field %q has %d components; want 1, 3 or 9", name, header[1])
	}
	return name, header[1], header[2], nil
}

// wholeNumbers reads the integers of the header of a field, and returns the first three: time step, number of
// components and number of entries.
func (r *reader) wholeNumbers(name string) (header [3]int64, err error) {
	integerCount, err := r.Int()
	if err != nil {
		return header, err
	}
	if err := r.CheckRemaining(integerCount, 2, "integers"); err != nil {
		return header, err
	}
	if integerCount < 3 {
		return header, r.At(r.Pos, "field %q has %d integers; want time step, components and count", name,
			integerCount)
	}
	for i := range integerCount {
		n, err := r.Int()
		if err != nil {
			return header, err
		}
		if i < 3 {
			header[i] = n
		}
	}
	return header, nil
}

// dataValues reads a tag and the values after it, and returns the tag and the first value.
func (r *reader) dataValues(components int64) (tag int64, value float64, err error) {
	if tag, err = r.int32(); err != nil {
		return 0, 0, err
	}
	for i := range components {
		var x float64
		if r.Binary {
			x, err = r.Float8()
		} else {
			x, err = r.FloatOnLine()
		}
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			value = x
		}
	}
	if !r.Binary {
		err = r.EndLine()
	}
	return tag, value, err
}

// indexCells makes the index of the tags of cells, once.
func (r *reader) indexCells(start int) error {
	if r.cellsIndexed {
		return nil
	}
	index, duplicate, ok := meshfile.NewTagIndex(r.cellTags)
	if !ok {
		return r.At(start, "element %d is given twice, so its data is ambiguous; renumber the elements", duplicate)
	}
	r.cells, r.cellsIndexed = index, true
	return nil
}
