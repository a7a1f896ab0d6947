package mesh

// fieldData reads a section $NodeData or $ElementData: lists of strings, numbers and whole numbers, in text in binary
// files too, and then a tag and values for each node or element. The first string is the name of the field; the whole
// numbers are time step, components and count. A field of one component must cover all vertices or triangles; others
// are passed over, and so are values of points and lines.
func (r *gmshReader) fieldData(start int, ofCells bool) error {
	if !r.haveNodes || ofCells && !r.haveElements {
		return r.at(start, "data before the $Nodes and $Elements that it belongs to")
	}
	name, components, count, err := r.dataHeader(start)
	if err != nil {
		return err
	}
	size := 2 + 2*int(components)
	if r.binary {
		size = 4 + 8*int(components)
	}
	if err := r.holds(count, size, "values"); err != nil {
		return err
	}
	fields, kind, tags, index := &r.mesh.VertexData, "vertex", r.nodeTags, &r.nodes
	if ofCells {
		if err := r.indexCells(start); err != nil {
			return err
		}
		fields, kind, tags, index = &r.mesh.CellData, "cell", r.cellTags, &r.cells
	}
	// A field that is too short to be accepted takes no memory.
	var values []float64
	var given []bool
	if components == 1 && count >= int64(len(tags)) {
		values, given = make([]float64, len(tags)), make([]bool, len(tags))
	}
	covered := 0
	for range count {
		at := r.here()
		tag, value, err := r.dataValues(components)
		if err != nil {
			return err
		}
		i := index.of(tag)
		switch {
		case i < 0 && ofCells: // a point or a line
		case i < 0:
			return r.at(at, "field %q has a value at node %d, which is not in $Nodes", name, tag)
		case values == nil:
			covered++
		case given[i]:
			return r.at(at, "field %q has two values at tag %d", name, tag)
		default:
			values[i], given[i] = value, true
			covered++
		}
	}
	if components != 1 || ofCells && covered == 0 {
		return nil
	}
	if covered != len(tags) {
		return r.at(start, "the %s field %q has %d values for %d; it must cover the mesh", kind, name, covered, len(tags))
	}
	if _, twice := (*fields)[name]; twice {
		return r.at(start, "the %s field %q is given twice; keep one time step in the file", kind, name)
	}
	setField(fields, name, values)
	return nil
}

func (r *gmshReader) dataHeader(start int) (name string, components, count int64, err error) {
	strings, err := r.int()
	if err != nil {
		return "", 0, 0, err
	}
	r.line()
	if err := r.holds(strings, 3, "strings"); err != nil {
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
		return "", 0, 0, r.at(start, "data without a name")
	}
	reals, err := r.int()
	if err != nil {
		return "", 0, 0, err
	}
	if err := r.holds(reals, 2, "numbers"); err != nil {
		return "", 0, 0, err
	}
	for range reals {
		if _, err := r.float(); err != nil {
			return "", 0, 0, err
		}
	}
	wholes, err := r.int()
	if err != nil {
		return "", 0, 0, err
	}
	if err := r.holds(wholes, 2, "whole numbers"); err != nil {
		return "", 0, 0, err
	}
	if wholes < 3 {
		return "", 0, 0, r.at(r.pos, "field %q has %d whole numbers; time step, components and count are needed", name,
			wholes)
	}
	var head [3]int64
	for i := range wholes {
		n, err := r.int()
		if err != nil {
			return "", 0, 0, err
		}
		if i < 3 {
			head[i] = n
		}
	}
	if r.binary {
		r.line()
	}
	if head[1] < 1 || head[1] > 9 {
		return "", 0, 0, r.at(r.pos, "field %q has %d components; 1, 3 or 9 are possible", name, head[1])
	}
	return name, head[1], head[2], nil
}

// dataValues reads a tag and the values that follow, of which it returns the first.
func (r *gmshReader) dataValues(components int64) (tag int64, value float64, err error) {
	if tag, err = r.whole(); err != nil {
		return 0, 0, err
	}
	for i := range components {
		var x float64
		if r.binary {
			x, err = r.float8()
		} else {
			x, err = r.floatHere()
		}
		if err != nil {
			return 0, 0, err
		}
		if i == 0 {
			value = x
		}
	}
	if !r.binary {
		err = r.endLine()
	}
	return tag, value, err
}

func (r *gmshReader) indexCells(start int) error {
	if r.cellsIndexed {
		return nil
	}
	index, twice, ok := newTagIndex(r.cellTags)
	if !ok {
		return r.at(start, "element %d is given twice, so that its data has no place", twice)
	}
	r.cells, r.cellsIndexed = index, true
	return nil
}
