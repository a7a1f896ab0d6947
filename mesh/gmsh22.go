package mesh

// Sections of version 2.2. In text an entry is a line.

func (r *gmshReader) nodes22() error {
	count, err := r.int()
	if err != nil {
		return err
	}
	size := 8 // of the shortest line: "1 0 0 0"
	if r.binary {
		r.line()
		size = 4 + 3*8
	}
	if err := r.holds(count, size, "nodes"); err != nil {
		return err
	}
	r.allocateNodes(count)
	for range count {
		if r.binary {
			err = r.nodeBinary22()
		} else {
			err = r.nodeText22()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *gmshReader) allocateNodes(count int64) {
	r.nodeTags = make([]int64, 0, count)
	r.mesh.X, r.mesh.Y, r.z = make([]float64, 0, count), make([]float64, 0, count), make([]float64, 0, count)
}

func (r *gmshReader) nodeText22() error {
	tag, err := r.int()
	if err != nil {
		return err
	}
	r.nodeTags = append(r.nodeTags, tag)
	if err := r.pointText(); err != nil {
		return err
	}
	return r.endLine()
}

// pointText reads the three coordinates of a node from the rest of a line.
func (r *gmshReader) pointText() error {
	x, err := r.floatHere()
	if err != nil {
		return err
	}
	y, err := r.floatHere()
	if err != nil {
		return err
	}
	z, err := r.floatHere()
	if err != nil {
		return err
	}
	r.mesh.X, r.mesh.Y, r.z = append(r.mesh.X, x), append(r.mesh.Y, y), append(r.z, z)
	return nil
}

func (r *gmshReader) nodeBinary22() error {
	tag, err := r.bytes4()
	if err != nil {
		return err
	}
	r.nodeTags = append(r.nodeTags, int64(tag))
	return r.pointBinary()
}

func (r *gmshReader) pointBinary() error {
	x, err := r.float8()
	if err != nil {
		return err
	}
	y, err := r.float8()
	if err != nil {
		return err
	}
	z, err := r.float8()
	if err != nil {
		return err
	}
	r.mesh.X, r.mesh.Y, r.z = append(r.mesh.X, x), append(r.mesh.Y, y), append(r.z, z)
	return nil
}

func (r *gmshReader) elements22() error {
	count, err := r.int()
	if err != nil {
		return err
	}
	size := 9 // of the shortest line: "1 15 0 1"
	if r.binary {
		r.line()
		size = 2 * 4
	}
	if err := r.holds(count, size, "elements"); err != nil {
		return err
	}
	if r.binary {
		for count > 0 {
			read, err := r.blockBinary22(count)
			if err != nil {
				return err
			}
			count -= read
		}
		return nil
	}
	for range count {
		if err := r.elementText22(); err != nil {
			return err
		}
	}
	return nil
}

// elementText22 reads a line of number, type, count of tags, tags and nodes. The first tag is the physical group.
func (r *gmshReader) elementText22() error {
	start := r.here()
	element, err := r.int()
	if err != nil {
		return err
	}
	kind, err := r.intHere()
	if err != nil {
		return err
	}
	n := r.nodesOf(kind)
	if n == 0 {
		return r.refuse(start, element, kind)
	}
	tags, err := r.intHere()
	if err != nil {
		return err
	}
	if tags < 0 {
		return r.at(start, "element %d has %d tags", element, tags)
	}
	physical := int64(0)
	for i := range tags {
		tag, err := r.intHere()
		if err != nil {
			return err
		}
		if i == 0 {
			physical = tag
		}
	}
	var nodes [4]int64
	for i := range n {
		if nodes[i], err = r.intHere(); err != nil {
			return err
		}
	}
	if err := r.element22(start, element, physical, nodes[:n]); err != nil {
		return err
	}
	return r.endLine()
}

// blockBinary22 reads a header of type, count and count of tags, and the elements that follow it. It returns how many
// there are, of at most the given number.
func (r *gmshReader) blockBinary22(most int64) (int64, error) {
	start := r.here()
	var header [3]int32
	for i := range header {
		var err error
		if header[i], err = r.bytes4(); err != nil {
			return 0, err
		}
	}
	kind, count, tags := int64(header[0]), int64(header[1]), int64(header[2])
	if count < 1 || count > most {
		return 0, r.at(start, "a block of %d elements where %d are to come", count, most)
	}
	n := r.nodesOf(kind)
	if n == 0 {
		element, err := r.bytes4()
		if err != nil {
			return 0, err
		}
		return 0, r.refuse(start, int64(element), kind)
	}
	if tags < 0 || count*(1+tags+int64(n)) > int64(r.left()/4) {
		return 0, r.at(start, "a block of %d elements with %d tags each, but only %d bytes follow", count, tags, r.left())
	}
	r.grow(kind, int(count))
	word := func(i int64) int64 { return int64(int32(r.order.Uint32(r.data[r.pos+4*int(i):]))) }
	var nodes [4]int64
	for range count {
		physical := int64(0)
		if tags > 0 {
			physical = word(1)
		}
		for i := range n {
			nodes[i] = word(1 + tags + int64(i))
		}
		if err := r.element22(r.pos, word(0), physical, nodes[:n]); err != nil {
			return 0, err
		}
		r.pos += 4 * (1 + int(tags) + n)
	}
	return count, nil
}

// element22 adds an element of a physical group, which is negative where the curve or surface is turned round.
func (r *gmshReader) element22(pos int, element, physical int64, nodes []int64) error {
	var groups []int32
	if physical != 0 {
		group, err := r.groupOf(len(nodes)-1, max(physical, -physical))
		if err != nil {
			return r.at(pos, "element %d: %v", element, err)
		}
		groups = append(groups, group)
	}
	return r.element(pos, element, nodes, groups)
}
