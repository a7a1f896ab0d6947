package checkpoint

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"
)

// sortedKeys is a list of keys in ascending order, with their original positions.
type sortedKeys struct {
	given     []int64 // the list before sorting
	keys      []int64
	positions []int // original position of each key; nil if the list was sorted
}

// sort sorts keys, unless it is the same slice as in the last call.
func (s *sortedKeys) sort(keys []int64) {
	if len(keys) == len(s.given) && (len(keys) == 0 || &keys[0] == &s.given[0]) {
		return
	}
	*s = sortedKeys{given: keys, keys: keys, positions: nil}
	if slices.IsSorted(keys) {
		return
	}
	s.positions = make([]int, len(keys))
	for i := range s.positions {
		s.positions[i] = i
	}
	slices.SortFunc(s.positions, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	s.keys = make([]int64, len(keys))
	for i, k := range s.positions {
		s.keys[i] = keys[k]
	}
}

// search returns the index of the first sorted key that is not less than key.
func (s *sortedKeys) search(key int64) int {
	return sort.Search(len(s.keys), func(i int) bool { return s.keys[i] >= key })
}

// eachInRun calls f for each of the keys that is in the run of n successive keys from first on: with its original
// position, and its offset in the run.
func (s *sortedKeys) eachInRun(first int64, n int, f func(i, offset int)) {
	for k := s.search(first); k < len(s.keys) && s.keys[k]-first < int64(n); k++ {
		i := k
		if s.positions != nil {
			i = s.positions[k]
		}
		f(i, int(s.keys[k]-first))
	}
}

// Read calls put with the position in keys and the numbers of each entity that the file has, from several goroutines at
// once. It reads only blocks that contain some of the keys.
func (f *File) Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	location, err := f.find(field, size)
	if err != nil {
		return err
	}
	f.sorted.sort(keys)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for k := range f.Blocks {
		b := &f.Blocks[k]
		if b.Space != location.space {
			continue
		}
		if i := f.sorted.search(b.Least); i == len(f.sorted.keys) || f.sorted.keys[i] > b.Most {
			continue
		}
		g.Go(func() error { return f.fill(b, location.field, size, put) })
	}
	return g.Wait()
}

// Select returns the keys of the entities for whose numbers wanted returns true. It reads all blocks of the field's
// space, from several goroutines at once.
func (f *File) Select(field string, size int, wanted func(numbers []byte) bool) ([]int64, error) {
	location, err := f.find(field, size)
	if err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	found := make([][]int64, len(f.Blocks))
	for k := range f.Blocks {
		if b := &f.Blocks[k]; b.Space == location.space {
			g.Go(func() (err error) {
				found[k], err = f.selectKeys(b, location.field, size, wanted)
				return err
			})
		}
	}
	err = g.Wait()
	return slices.Concat(found...), err
}

// selectKeys returns the keys of the wanted entities of a block.
func (f *File) selectKeys(b *block, field, size int, wanted func(numbers []byte) bool) (chosen []int64, err error) {
	keys, err := f.read(b.Keys, nil)
	if err != nil {
		return nil, err
	}
	numbers, err := f.read(b.Fields[field], nil)
	if err != nil {
		return nil, err
	}
	err = eachRun(keys, b.Count, func(first int64, n, before int) {
		for i := range n {
			if offset := (before + i) * size; wanted(numbers[offset : offset+size]) {
				chosen = append(chosen, first+int64(i))
			}
		}
	})
	if err != nil {
		return nil, &DamagedError{f.Path, err}
	}
	return chosen, nil
}

// find locates a field and checks that it has size bytes per entity.
func (f *File) find(name string, size int) (fieldIndex, error) {
	if f.fields == nil {
		f.fields = map[string]fieldIndex{}
		for s := range f.Spaces {
			for k, field := range f.Spaces[s].Fields {
				f.fields[field.Name] = fieldIndex{s, k}
			}
		}
	}
	location, ok := f.fields[name]
	if !ok {
		return location, fmt.Errorf("%s has no field %q", f.Path, name)
	}
	if has := f.Spaces[location.space].Fields[location.field].Size; has != size {
		return location, fmt.Errorf("%s has %d bytes of field %q per %s, want %d as in the case", f.Path, has, name,
			f.Spaces[location.space].Name, size)
	}
	return location, nil
}

// fill calls put for the entities in a block that Read looks for.
func (f *File) fill(b *block, field, size int, put func(i int, numbers []byte)) error {
	keys, err := f.read(b.Keys, nil)
	if err != nil {
		return err
	}
	var numbers []byte
	decodeErr := eachRun(keys, b.Count, func(first int64, n, before int) {
		f.sorted.eachInRun(first, n, func(i, index int) {
			if numbers == nil && err == nil {
				numbers, err = f.read(b.Fields[field], nil)
			}
			if err == nil {
				index += before
				put(i, numbers[index*size:(index+1)*size])
			}
		})
	})
	if decodeErr != nil {
		return &DamagedError{f.Path, decodeErr}
	}
	return err
}
