package checkpoint

import (
	"errors"
	"fmt"

	"github.com/atoll-hpc/atoll/solvers"
)

// Verify reads and checks the blobs of blocks first, first+step, first+2·step and so on. It returns the sums of digests
// of their entities, one for each space with hashed fields, for CheckHash.
func (f *File) Verify(first, step int) ([]solvers.Digests, error) {
	saved, digestIndex := f.savedSpaces()
	var v verifier
	for k := first; k < len(f.Blocks); k += step {
		b := &f.Blocks[k]
		space := &saved[b.Space]
		if err := v.read(f, b, space.Hashes()); err != nil {
			var damaged *DamagedError
			if errors.As(err, &damaged) {
				return nil, err
			}
			return nil, &DamagedError{f.Path, fmt.Errorf("block %d: %w", k, err)}
		}
		if space.Hashes() {
			space.Key = func(i int) int64 { return v.keys[i] }
			sum := space.Digest(0, b.Count, v.numbers)
			v.sums = append(v.sums, make([]solvers.Digests, max(0, digestIndex[b.Space]+1-len(v.sums)))...)
			v.sums[digestIndex[b.Space]].Add(&sum)
		}
	}
	return v.sums, nil
}

// CheckHash compares the hash of the state with the sums that Verify has returned for all blocks, on one rank or
// several.
func (f *File) CheckHash(parts ...[]solvers.Digests) error {
	if f.HashVersion != solvers.HashVersion {
		return nil // of another definition
	}
	spaces := 0
	saved, _ := f.savedSpaces()
	for k := range saved {
		if saved[k].Hashes() {
			spaces++
		}
	}
	sums := make([]solvers.Digests, spaces)
	for _, part := range parts {
		for k := range min(len(part), spaces) {
			sums[k].Add(&part[k])
		}
	}
	if hash := solvers.HashOf(sums); hash != f.StateSHA256 {
		return &DamagedError{f.Path, fmt.Errorf("the hash of its state is %s, by its index it is %s", hash, f.StateSHA256)}
	}
	return nil
}

// savedSpaces returns the spaces of the file without their entities, and for each the index of its digests.
func (f *File) savedSpaces() (saved []solvers.SavedSpace, digestIndex []int) {
	next := 0
	for _, s := range f.Spaces {
		space := solvers.SavedSpace{Name: s.Name}
		for _, field := range s.Fields {
			space.Fields = append(space.Fields, solvers.Saved{Name: field.Name, Size: field.Size, Hashed: field.Hashed})
		}
		saved, digestIndex = append(saved, space), append(digestIndex, next)
		if space.Hashes() {
			next++
		}
	}
	return saved, digestIndex
}

// verifier reads blocks, one after the other.
type verifier struct {
	sums    []solvers.Digests
	encoded []byte
	keys    []int64  // of a block with hashed fields
	numbers [][]byte // of each field
}

// read reads a block and checks its checksums and keys. It decodes the keys if the block has hashed fields.
func (v *verifier) read(f *File, b *block, hashed bool) (err error) {
	if v.encoded, err = f.read(b.Keys, v.encoded); err != nil {
		return err
	}
	inRange := true
	v.keys = v.keys[:0]
	err = eachRun(v.encoded, b.Count, func(first int64, n, _ int) {
		inRange = inRange && first >= b.Least && first+int64(n)-1 <= b.Most
		for k := 0; hashed && k < n; k++ {
			v.keys = append(v.keys, first+int64(k))
		}
	})
	if err != nil {
		return err
	}
	if !inRange {
		return errors.New("its keys are outside their range")
	}
	for i, field := range b.Fields {
		if i == len(v.numbers) {
			v.numbers = append(v.numbers, nil)
		}
		if v.numbers[i], err = f.read(field, v.numbers[i]); err != nil {
			return err
		}
	}
	return nil
}
