package checkpoint

import (
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/atoll-hpc/atoll/solvers"
)

// Verify reads and checks all blobs, one block after the other, and compares the hash of the state.
func (f *File) Verify() error {
	v := newVerifier(f.Path, f.Spaces)
	var keys []byte
	var fields [][]byte
	for k := range f.Blocks {
		b := &f.Blocks[k]
		var err error
		if keys, err = f.read(b.Keys, keys); err != nil {
			return err
		}
		for i, field := range b.Fields {
			if i == len(fields) {
				fields = append(fields, nil)
			}
			if fields[i], err = f.read(field, fields[i]); err != nil {
				return err
			}
		}
		if err := v.check(b, keys, fields); err != nil {
			return err
		}
	}
	if f.HashVersion != solvers.HashVersion {
		return nil // of another definition
	}
	return checkHash(f.Path, &f.index.Info, solvers.HashOf(v.sums))
}

// checkHash compares the hash of the state with that in the index.
func checkHash(path string, i *Info, hash string) error {
	if hash != i.StateSHA256 {
		return &DamagedError{path, fmt.Errorf("the hash of its state is %s, by its index it is %s", hash, i.StateSHA256)}
	}
	return nil
}

// digestsOf returns, for each space, the index of the sum of its digests, and the number of these: spaces without
// hashed fields have none.
func digestsOf(spaces []space) (at []int, n int) {
	for k := range spaces {
		at = append(at, n)
		if hashes := spaces[k].saved(); hashes.Hashes() {
			n++
		}
	}
	return at, n
}

// saved returns the space without its entities.
func (s *space) saved() solvers.SavedSpace {
	saved := solvers.SavedSpace{Name: s.Name}
	for _, f := range s.Fields {
		saved.Fields = append(saved.Fields, solvers.Saved{Name: f.Name, Size: f.Size, Hashed: f.Hashed})
	}
	return saved
}

// verifier checks blocks, one after the other, and adds up the digests of their entities.
type verifier struct {
	path   string
	spaces []solvers.SavedSpace
	at     []int             // see digestsOf
	sums   []solvers.Digests // of spaces with hashed fields
	keys   []int64           // of a block with hashed fields
}

func newVerifier(path string, spaces []space) *verifier {
	v := &verifier{path: path}
	for k := range spaces {
		v.spaces = append(v.spaces, spaces[k].saved())
	}
	var n int
	v.at, n = digestsOf(spaces)
	v.sums = make([]solvers.Digests, n)
	return v
}

// check checks a block, given its encoded keys and the numbers of its fields.
func (v *verifier) check(b *block, keys []byte, fields [][]byte) error {
	space := &v.spaces[b.Space]
	if err := b.Keys.check(v.path, keys); err != nil {
		return err
	}
	if err := v.decode(b, keys, space.Hashes()); err != nil {
		return err
	}
	for i := range b.Fields {
		if err := b.Fields[i].check(v.path, fields[i]); err != nil {
			return err
		}
	}
	if space.Hashes() {
		space.Key = func(i int) int64 { return v.keys[i] }
		sum := space.Digest(0, b.Count, fields)
		v.sums[v.at[b.Space]].Add(&sum)
	}
	return nil
}

// check checks the checksum of a blob of a file.
func (b *blob) check(path string, bytes []byte) error {
	if crc32.Checksum(bytes, castagnoli) != b.CRC {
		return &DamagedError{path, fmt.Errorf("the checksum of bytes %d to %d is wrong", b.Offset, b.Offset+b.Len-1)}
	}
	return nil
}

// decode checks the keys of a block, and keeps them if they are hashed.
func (v *verifier) decode(b *block, encoded []byte, hashed bool) error {
	inRange := true
	v.keys = v.keys[:0]
	err := eachRun(encoded, b.Count, func(first int64, n, _ int) {
		inRange = inRange && first >= b.Least && first+int64(n)-1 <= b.Most
		for k := 0; hashed && k < n; k++ {
			v.keys = append(v.keys, first+int64(k))
		}
	})
	if err == nil && !inRange {
		err = errors.New("its keys are outside their range")
	}
	if err != nil {
		return &DamagedError{v.path, fmt.Errorf("the block at byte %d: %w", b.Keys.Offset, err)}
	}
	return nil
}
