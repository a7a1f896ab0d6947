package gmsh

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/words"
)

// partName is the name of a physical group that Gmsh makes for the parts of another one in files of version 2.2, with
// the option Mesh.PartitionOldStyleMsh2 = 0: the parts, more than one for an interface between them, and the group, 0
// for none.
var partName = regexp.MustCompile(`^_part\{([0-9,]+)\}_physical\{([0-9]+)\}_dim\{[0-9]\}$`)

// groupOfPart returns the tag of the physical group of which a part has the given name, 0 for none.
func groupOfPart(name string) (tag int64, ok bool) {
	found := partName.FindStringSubmatch(name)
	if found == nil {
		return 0, false
	}
	if strings.Contains(found[1], ",") {
		return 0, true
	}
	tag, err := strconv.ParseInt(found[2], 10, 32)
	return tag, err == nil
}

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
