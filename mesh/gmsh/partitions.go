package gmsh

import "github.com/atoll-hpc/atoll/internal/words"

// partitionedEntities reads the section that replaces $Entities in a partitioned mesh of version 4.1: each part of an
// entity is an entity, with its parent. Interfaces between parts, whose parent has another dimension, belong to no
// elementary entity and to no group. The partition itself is not kept.
func (r *reader) partitionedEntities() error {
	if r.parents != nil {
		return r.At(r.Pos, "a second section $PartitionedEntities")
	}
	r.parents = make(map[[2]int64]int64)
	if r.entityGroups == nil {
		r.entityGroups = make(map[[2]int64][]int32)
	}
	var parts, ghosts int64
	if err := r.readSizes(&parts, &ghosts); err != nil {
		return err
	}
	if err := r.CheckRemaining(ghosts, 4, "ghost entities"); err != nil {
		return err
	}
	for range ghosts {
		var tag, partition int64
		if err := r.readIntegers(&tag, &partition); err != nil {
			return err
		}
	}
	var counts [4]int64
	if err := r.readSizes(&counts[0], &counts[1], &counts[2], &counts[3]); err != nil {
		return err
	}
	for dim, count := range counts {
		if err := r.CheckRemaining(count, 10, "entities"); err != nil {
			return err
		}
		for range count {
			if err := r.partOfEntity(dim); err != nil {
				return err
			}
		}
	}
	r.skipped = append(r.skipped, "the partition into "+words.Count(parts, "part"))
	return nil
}

// partOfEntity reads an entity of a partitioned mesh.
func (r *reader) partOfEntity(dim int) error {
	start := r.Here()
	var tag, parentDim, parent int64
	if err := r.readIntegers(&tag, &parentDim, &parent); err != nil {
		return err
	}
	if _, err := r.readTags(); err != nil { // partitions
		return err
	}
	groups, err := r.restOfEntity(dim)
	if err != nil {
		return err
	}
	if parentDim == int64(dim) {
		r.parents[[2]int64{parentDim, tag}] = parent
	} else {
		groups = nil // an interface between parts has the groups of its parent
	}
	return r.setGroups(start, dim, tag, groups)
}
