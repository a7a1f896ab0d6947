package gmsh

import (
	"bytes"

	"github.com/atoll-hpc/atoll/mesh"
)

// periodicSides reads the section $Periodic, which is text in version 2.2 also in binary files: for each side its
// dimension, its number and that of its master, an affine map, and pairs of nodes.
func (r *reader) periodicSides(start int) error {
	if !r.haveNodes {
		return r.At(start, "$Periodic before $Nodes")
	}
	if !r.v41 {
		defer func(binary bool) { r.Binary = binary }(r.Binary)
		r.Binary = false
	}
	var count int64
	if err := r.readSizes(&count); err != nil {
		return err
	}
	if err := r.CheckRemaining(count, 8, "periodic sides"); err != nil {
		return err
	}
	for range count {
		side, err := r.periodicSide()
		if err != nil {
			return err
		}
		if len(side.Pairs) > 0 {
			r.periodic = append(r.periodic, side)
		}
	}
	return nil
}

func (r *reader) periodicSide() (side mesh.PeriodicSide, err error) {
	var dim, entity, master int64
	if err := r.readIntegers(&dim, &entity, &master); err != nil {
		return side, err
	}
	if dim < 0 || dim > 2 {
		return side, r.At(r.Pos, "a periodic side of dimension %d", dim)
	}
	side = mesh.PeriodicSide{Dim: int(dim), Entity: int(entity), Master: int(master)}
	if side.Affine, err = r.affine(); err != nil {
		return side, err
	}
	var count int64
	if err := r.readSizes(&count); err != nil {
		return side, err
	}
	size := 4
	if r.Binary {
		size = 16
	}
	if err := r.CheckRemaining(count, size, "pairs of nodes"); err != nil {
		return side, err
	}
	for range count {
		start := r.Here()
		var tags [2]int64
		if err := r.readSizes(&tags[0], &tags[1]); err != nil {
			return side, err
		}
		pair := [2]int32{r.nodes.Of(tags[0]), r.nodes.Of(tags[1])}
		if min(pair[0], pair[1]) < 0 {
			return side, r.At(start, "the periodic nodes %d and %d are not both in $Nodes", tags[0], tags[1])
		}
		side.Pairs = append(side.Pairs, pair)
	}
	return side, nil
}

// affine reads the map of a periodic side: a count and as many numbers; in version 2.2 the word Affine and 16 numbers,
// or nothing.
func (r *reader) affine() (numbers []float64, err error) {
	count := int64(16)
	if r.v41 {
		if err := r.readSizes(&count); err != nil {
			return nil, err
		}
	} else {
		r.SkipSpace()
		if !bytes.HasPrefix(r.Data[r.Pos:], []byte("Affine")) {
			return nil, nil
		}
		r.Token()
	}
	if err := r.CheckRemaining(count, 2, "numbers"); err != nil {
		return nil, err
	}
	for range count {
		var x float64
		if r.Binary {
			x, err = r.Float8()
		} else {
			x, err = r.Float()
		}
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, x)
	}
	return numbers, nil
}
