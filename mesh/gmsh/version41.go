package gmsh

import "math"

// Sections of version 4.1. In a binary file, counts and tags of the type size have 8 bytes, other integers 4.

func (r *reader) int64() (int64, error) {
	if !r.Binary {
		return r.Int()
	}
	n, err := r.Bytes8()
	if err == nil && n > 1<<62 {
		return 0, r.At(r.Pos-8, "%d is out of range", n)
	}
	return int64(n), err
}

func (r *reader) int32() (int64, error) {
	if !r.Binary {
		return r.Int()
	}
	n, err := r.Bytes4()
	return int64(n), err
}

func (r *reader) readSizes(out ...*int64) error {
	for _, p := range out {
		var err error
		if *p, err = r.int64(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) readIntegers(out ...*int64) error {
	for _, p := range out {
		var err error
		if *p, err = r.int32(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) skipFloats(n int) error {
	for range n {
		var err error
		if r.Binary {
			_, err = r.Float8()
		} else {
			_, err = r.Float()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entities reads the physical groups of points, curves, surfaces and volumes.
func (r *reader) entities() error {
	if r.entityGroups != nil {
		return r.At(r.Pos, "a second section $Entities")
	}
	r.entityGroups = make(map[[2]int64][]int32)
	var counts [4]int64
	if err := r.readSizes(&counts[0], &counts[1], &counts[2], &counts[3]); err != nil {
		return err
	}
	for dim, count := range counts {
		if err := r.CheckRemaining(count, 10, "entities"); err != nil {
			return err
		}
		for range count {
			if err := r.readEntity(dim); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *reader) readEntity(dim int) error {
	start := r.Here()
	tag, err := r.int32()
	if err != nil {
		return err
	}
	groups, err := r.restOfEntity(dim)
	if err != nil {
		return err
	}
	return r.setGroups(start, dim, tag, groups)
}

// restOfEntity reads the position or bounding box, the physical groups and the bounding entities of an entity, and
// returns its groups.
func (r *reader) restOfEntity(dim int) (groups []int64, err error) {
	corners := 6 // of the bounding box
	if dim == 0 {
		corners = 3
	}
	if err := r.skipFloats(corners); err != nil {
		return nil, err
	}
	if groups, err = r.readTags(); err != nil {
		return nil, err
	}
	if dim > 0 {
		_, err = r.readTags() // bounding entities
	}
	return groups, err
}

// setGroups records the physical groups of an entity.
func (r *reader) setGroups(start, dim int, tag int64, groups []int64) error {
	if dim > r.dim() {
		return nil
	}
	key := [2]int64{int64(dim), tag}
	delete(r.entityGroups, key) // the numbers of partitions may be those of the entities that they replace
	for _, physical := range groups {
		if physical == 0 { // none
			continue
		}
		g, err := r.groupOf(dim, max(physical, -physical)) // negative if the orientation of the entity is reversed
		if err != nil {
			return r.At(start, "%v", err)
		}
		r.entityGroups[key] = append(r.entityGroups[key], g)
	}
	return nil
}

// readTags reads a count of type size, and as many integers.
func (r *reader) readTags() ([]int64, error) {
	count, err := r.int64()
	if err != nil {
		return nil, err
	}
	if err := r.CheckRemaining(count, 2, "tags"); err != nil {
		return nil, err
	}
	var list []int64
	for range count {
		n, err := r.int32()
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func (r *reader) nodes41() error {
	var blocks, count, lowest, highest int64
	if err := r.readSizes(&blocks, &count, &lowest, &highest); err != nil {
		return err
	}
	if err := r.CheckRemaining(count, 8, "nodes"); err != nil {
		return err
	}
	r.allocateNodes(count)
	for range blocks {
		if err := r.nodeBlock41(count - int64(len(r.nodeTags))); err != nil {
			return err
		}
	}
	// The blocks may have fewer nodes than declared: Gmsh 4.8 counts nodes twice when it saves a view with its mesh.
	return nil
}

// nodeBlock41 reads a block of nodes: first their tags, then their coordinates. It refuses more than most nodes.
func (r *reader) nodeBlock41(most int64) error {
	start := r.Here()
	var dim, entity, parametric, count int64
	if err := r.readIntegers(&dim, &entity, &parametric); err != nil {
		return err
	}
	if err := r.readSizes(&count); err != nil {
		return err
	}
	if count < 0 || count > most {
		return r.At(start, "a block of %d nodes, want at most %d", count, most)
	}
	if parametric != 0 && parametric != 1 || dim < 0 || dim > 3 {
		return r.At(start, "a block of nodes of dimension %d, parametric %d", dim, parametric)
	}
	for range count {
		tag, err := r.int64()
		if err != nil {
			return err
		}
		r.nodeTags = append(r.nodeTags, tag)
	}
	for range count {
		if r.Binary {
			if err := r.pointBinary(); err != nil {
				return err
			}
			if err := r.skipFloats(int(parametric * dim)); err != nil {
				return err
			}
			continue
		}
		r.SkipSpace()
		if err := r.pointText(); err != nil {
			return err
		}
		for range parametric * dim {
			if _, err := r.FloatOnLine(); err != nil {
				return err
			}
		}
		if err := r.EndLine(); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) elements41() error {
	var blocks, count, lowest, highest int64
	if err := r.readSizes(&blocks, &count, &lowest, &highest); err != nil {
		return err
	}
	if err := r.CheckRemaining(count, 4, "elements"); err != nil {
		return err
	}
	remaining := count
	for range blocks {
		read, err := r.elementBlock41(remaining)
		if err != nil {
			return err
		}
		remaining -= read
	}
	if remaining != 0 {
		return r.At(r.Pos, "the blocks have %d elements, but %d are declared", count-remaining, count)
	}
	return nil
}

// elementBlock41 reads a block of elements of one type on one entity, and returns their number. It refuses more than
// most elements.
func (r *reader) elementBlock41(most int64) (int64, error) {
	start := r.Here()
	var dim, entity, kind, count int64
	if err := r.readIntegers(&dim, &entity, &kind); err != nil {
		return 0, err
	}
	if err := r.readSizes(&count); err != nil {
		return 0, err
	}
	if count < 0 || count > most {
		return 0, r.At(start, "a block of %d elements, want at most %d", count, most)
	}
	n := r.nodesOf(kind)
	if n == 0 && count > 0 {
		start := r.Here()
		element, err := r.int64()
		if err != nil {
			return 0, err
		}
		return 0, r.refuse(start, element, kind)
	}
	if int64(n) != dim+1 && count > 0 {
		return 0, r.At(start, "a block of elements of %d nodes on an entity of dimension %d", n, dim)
	}
	key := [2]int64{dim, entity}
	groups := r.entityGroups[key]
	if r.parents != nil {
		entity = r.parents[key]
	}
	if entity = max(entity, -entity); entity > math.MaxInt32 {
		return 0, r.At(start, "the entity %d has more than 32 bits", entity)
	}
	r.grow(kind, int(count))
	var nodes [4]int64
	for range count {
		start := r.Here()
		element, err := r.elementNodes41(nodes[:n])
		if err != nil {
			return 0, err
		}
		if err := r.element(start, element, nodes[:n], groups, entity); err != nil {
			return 0, err
		}
	}
	return count, nil
}

func (r *reader) elementNodes41(nodes []int64) (element int64, err error) {
	if r.Binary {
		if element, err = r.int64(); err != nil {
			return 0, err
		}
		for i := range nodes {
			if nodes[i], err = r.int64(); err != nil {
				return 0, err
			}
		}
		return element, nil
	}
	if element, err = r.IntOnLine(); err != nil {
		return 0, err
	}
	for i := range nodes {
		if nodes[i], err = r.IntOnLine(); err != nil {
			return 0, err
		}
	}
	return element, r.EndLine()
}
