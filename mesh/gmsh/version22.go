package gmsh

import "math"

// Sections of version 2.2. In text each entry is a line.

// nodes22 reads the nodes. In the section $ParametricNodes, dimension and tag of an entity, and the node's parameters
// on that curve or surface, follow the coordinates.
func (r *reader) nodes22(parametric bool) error {
	count, err := r.Int()
	if err != nil {
		return err
	}
	size := 8 // of the shortest line: "1 0 0 0"
	if r.Binary {
		r.Line()
		size = 4 + 3*8
	}
	if err := r.CheckRemaining(count, size, "nodes"); err != nil {
		return err
	}
	r.allocateNodes(count)
	for range count {
		if r.Binary {
			err = r.nodeBinary22(parametric)
		} else {
			err = r.nodeText22(parametric)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) allocateNodes(count int64) {
	r.nodeTags = make([]int64, 0, count)
	r.mesh.X, r.mesh.Y, r.z = make([]float64, 0, count), make([]float64, 0, count), make([]float64, 0, count)
}

func (r *reader) nodeText22(parametric bool) error {
	tag, err := r.Int()
	if err != nil {
		return err
	}
	r.nodeTags = append(r.nodeTags, tag)
	if err := r.pointText(); err != nil {
		return err
	}
	if parametric {
		r.Line()
		return nil
	}
	return r.EndLine()
}

// pointText reads the three coordinates of a node from the rest of a line.
func (r *reader) pointText() error {
	x, err := r.FloatOnLine()
	if err != nil {
		return err
	}
	y, err := r.FloatOnLine()
	if err != nil {
		return err
	}
	z, err := r.FloatOnLine()
	if err != nil {
		return err
	}
	r.mesh.X, r.mesh.Y, r.z = append(r.mesh.X, x), append(r.mesh.Y, y), append(r.z, z)
	return nil
}

func (r *reader) nodeBinary22(parametric bool) error {
	tag, err := r.Bytes4()
	if err != nil {
		return err
	}
	r.nodeTags = append(r.nodeTags, int64(tag))
	if err := r.pointBinary(); err != nil || !parametric {
		return err
	}
	dim, err := r.Bytes4()
	if err != nil {
		return err
	}
	if _, err := r.Bytes4(); err != nil {
		return err
	}
	if dim != 1 && dim != 2 { // points have no parameter, and neither have nodes in volumes
		return nil
	}
	return r.skipFloats(int(dim))
}

func (r *reader) pointBinary() error {
	x, err := r.Float8()
	if err != nil {
		return err
	}
	y, err := r.Float8()
	if err != nil {
		return err
	}
	z, err := r.Float8()
	if err != nil {
		return err
	}
	r.mesh.X, r.mesh.Y, r.z = append(r.mesh.X, x), append(r.mesh.Y, y), append(r.z, z)
	return nil
}

func (r *reader) elements22() error {
	count, err := r.Int()
	if err != nil {
		return err
	}
	size := 9 // of the shortest line: "1 15 0 1"
	if r.Binary {
		r.Line()
		size = 2 * 4
	}
	if err := r.CheckRemaining(count, size, "elements"); err != nil {
		return err
	}
	if r.Binary {
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

// elementText22 reads a line with number, type, number of tags, tags and nodes. The first tag is the physical group,
// the second the elementary entity; partitions follow.
func (r *reader) elementText22() error {
	start := r.Here()
	element, err := r.Int()
	if err != nil {
		return err
	}
	kind, err := r.IntOnLine()
	if err != nil {
		return err
	}
	n := r.nodesOf(kind)
	if n == 0 {
		return r.refuse(start, element, kind)
	}
	tags, err := r.IntOnLine()
	if err != nil {
		return err
	}
	if tags < 0 {
		return r.At(start, "element %d has %d tags", element, tags)
	}
	var physical, entity int64
	for i := range tags {
		tag, err := r.IntOnLine()
		if err != nil {
			return err
		}
		switch i {
		case 0:
			physical = tag
		case 1:
			entity = tag
		}
	}
	var nodes [4]int64
	for i := range n {
		if nodes[i], err = r.IntOnLine(); err != nil {
			return err
		}
	}
	if err := r.element22(start, element, physical, entity, nodes[:n]); err != nil {
		return err
	}
	return r.EndLine()
}

// blockBinary22 reads a header with type, number of elements and number of tags, and then the elements. It returns the
// number of elements, and refuses more than most.
func (r *reader) blockBinary22(most int64) (int64, error) {
	start := r.Here()
	var header [3]int32
	for i := range header {
		var err error
		if header[i], err = r.Bytes4(); err != nil {
			return 0, err
		}
	}
	kind, count, tags := int64(header[0]), int64(header[1]), int64(header[2])
	if count < 1 || count > most {
		return 0, r.At(start, "a block of %d elements, want at most %d", count, most)
	}
	n := r.nodesOf(kind)
	if n == 0 {
		element, err := r.Bytes4()
		if err != nil {
			return 0, err
		}
		return 0, r.refuse(start, int64(element), kind)
	}
	if tags < 0 || count*(1+tags+int64(n)) > int64(r.Left()/4) {
		return 0, r.At(start, "a block of %d elements with %d tags each, but only %d bytes follow", count, tags, r.Left())
	}
	r.grow(kind, int(count))
	word := func(i int64) int64 { return int64(int32(r.Order.Uint32(r.Data[r.Pos+4*int(i):]))) }
	var nodes [4]int64
	for range count {
		var physical, entity int64
		if tags > 0 {
			physical = word(1)
		}
		if tags > 1 {
			entity = word(2)
		}
		for i := range n {
			nodes[i] = word(1 + tags + int64(i))
		}
		if err := r.element22(r.Pos, word(0), physical, entity, nodes[:n]); err != nil {
			return 0, err
		}
		r.Pos += 4 * (1 + int(tags) + n)
	}
	return count, nil
}

// element22 adds an element of a physical group and an elementary entity, 0 for none; the number is negative if the
// orientation of the curve or surface is reversed.
func (r *reader) element22(pos int, element, physical, entity int64, nodes []int64) error {
	var groups []int32
	physical = max(physical, -physical)
	if of, ok := r.parts[[2]int64{int64(len(nodes) - 1), physical}]; ok {
		physical, entity = of, 0 // the entity is that of the part
	}
	if physical != 0 {
		group, err := r.groupOf(len(nodes)-1, physical)
		if err != nil {
			return r.At(pos, "element %d: %v", element, err)
		}
		groups = append(groups, group)
	}
	entity = max(entity, -entity)
	if entity > math.MaxInt32 {
		return r.At(pos, "element %d: the entity %d has more than 32 bits", element, entity)
	}
	return r.element(pos, element, nodes, groups, entity)
}
