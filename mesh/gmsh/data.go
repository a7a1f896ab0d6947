package gmsh

import (
	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/internal/meshfile"
)

// fieldData reads a section $NodeData or $ElementData: lists of strings, numbers and whole numbers, in text in binary
// files too, and then a tag and values for each node or element. The first string is the name of the field; the whole
// numbers are time step, components and count. A field of one component must cover all vertices or triangles; others
// are passed over, and so are values of points and lines.
func (r *reader) fieldData(start int, ofCells bool) error {
	if !r.haveNodes || ofCells && !r.haveElements {
		return r.At(start, "data before the $Nodes and $Elements that it belongs to")
	}
	name, components, count, err := r.dataHeader(start)
	if err != nil {
		return err
	}
	size := 2 + 2*int(components)
	if r.Binary {
		size = 4 + 8*int(components)
	}
	if err := r.Holds(count, size, "values"); err != nil {
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
	if components != 1 || ofCells && covered == 0 {
		return nil
	}
	if covered != len(tags) {
		return r.At(start, "the %s field %q has %d values for %d; it must cover the mesh", kind, name, covered, len(tags))
	}
	if _, twice := (*fields)[name]; twice {
		return r.At(start, "the %s field %q is given twice; keep one time step in the file", kind, name)
	}
	mesh.SetField(fields, name, values)
	return nil
}

// fieldValues reads the values of a field, in the order of so many tags, and returns at how many it has one. A field of
// several components, which none of ours can hold, has no values.
func (r *reader) fieldValues(name string, components, count int64, tags int, index *meshfile.TagIndex, ofCells bool) (
	values []float64, covered int, err error) {
	var given []bool
	if components == 1 && count >= int64(tags) { // one that is too short to be accepted takes no memory
		values, given = make([]float64, tags), make([]bool, tags)
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
		case given[i]:
			return nil, 0, r.At(at, "field %q has two values at tag %d", name, tag)
		default:
			values[i], given[i] = value, true
			covered++
		}
	}
	return values, covered, nil
}

func (r *reader) dataHeader(start int) (name string, components, count int64, err error) {
	strings, err := r.Int()
	if err != nil {
		return "", 0, 0, err
	}
	r.Line()
	if err := r.Holds(strings, 3, "strings"); err != nil {
		return "", 0, 0, err
	}
	for i := range strings {
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
	reals, err := r.Int()
	if err != nil {
		return "", 0, 0, err
	}
	if err := r.Holds(reals, 2, "numbers"); err != nil {
		return "", 0, 0, err
	}
	for range reals {
		if _, err := r.Float(); err != nil {
			return "", 0, 0, err
		}
	}
	head, err := r.wholeNumbers(name)
	if err != nil {
		return "", 0, 0, err
	}
	if r.Binary {
		r.Line()
	}
	if head[1] < 1 || head[1] > 9 {
		return "", 0, 0, r.At(r.Pos, "field %q has %d components; 1, 3 or 9 are possible", name, head[1])
	}
	return name, head[1], head[2], nil
}

// wholeNumbers reads those of the header of a field, and returns the first three: time step, components and count.
func (r *reader) wholeNumbers(name string) (head [3]int64, err error) {
	wholes, err := r.Int()
	if err != nil {
		return head, err
	}
	if err := r.Holds(wholes, 2, "whole numbers"); err != nil {
		return head, err
	}
	if wholes < 3 {
		return head, r.At(r.Pos, "field %q has %d whole numbers; time step, components and count are needed", name,
			wholes)
	}
	for i := range wholes {
		n, err := r.Int()
		if err != nil {
			return head, err
		}
		if i < 3 {
			head[i] = n
		}
	}
	return head, nil
}

// dataValues reads a tag and the values that follow, of which it returns the first.
func (r *reader) dataValues(components int64) (tag int64, value float64, err error) {
	if tag, err = r.whole(); err != nil {
		return 0, 0, err
	}
	for i := range components {
		var x float64
		if r.Binary {
			x, err = r.Float8()
		} else {
			x, err = r.FloatHere()
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

func (r *reader) indexCells(start int) error {
	if r.cellsIndexed {
		return nil
	}
	index, twice, ok := meshfile.NewTagIndex(r.cellTags)
	if !ok {
		return r.At(start, "element %d is given twice, so that its data has no place", twice)
	}
	r.cells, r.cellsIndexed = index, true
	return nil
}
