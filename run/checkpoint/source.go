package checkpoint

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sort"

	"golang.org/x/sync/errgroup"
)

// sorted are keys in their order.
type sorted struct {
	of    []int64 // as they were given
	keys  []int64
	which []int // of the given ones each is
}

// sort sorts keys, if they are others than the last.
func (s *sorted) sort(keys []int64) {
	if len(keys) == len(s.of) && (len(keys) == 0 || &keys[0] == &s.of[0]) {
		return
	}
	*s = sorted{of: keys, keys: keys, which: nil}
	if slices.IsSorted(keys) {
		return
	}
	s.which = make([]int, len(keys))
	for i := range s.which {
		s.which[i] = i
	}
	slices.SortFunc(s.which, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	s.keys = make([]int64, len(keys))
	for i, k := range s.which {
		s.keys[i] = keys[k]
	}
}

// from is the first of the sorted keys that is not less.
func (s *sorted) from(key int64) int {
	return sort.Search(len(s.keys), func(i int) bool { return s.keys[i] >= key })
}

// each calls f with each given key of a run: which it is, and how far in the run.
func (s *sorted) each(first int64, n int, f func(i, at int)) {
	for k := s.from(first); k < len(s.keys) && s.keys[k]-first < int64(n); k++ {
		i := k
		if s.which != nil {
			i = s.which[k]
		}
		f(i, int(s.keys[k]-first))
	}
}

// Read hands put the numbers of entities from several goroutines at once. Only blocks that have some are read.
func (f *File) Read(field string, size int, keys []int64, put func(i int, numbers []byte)) error {
	at, err := f.find(field, size)
	if err != nil {
		return err
	}
	f.sorted.sort(keys)
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for k := range f.Blocks {
		b := &f.Blocks[k]
		if b.Space != at.space {
			continue
		}
		if i := f.sorted.from(b.Least); i == len(f.sorted.keys) || f.sorted.keys[i] > b.Most {
			continue
		}
		g.Go(func() error { return f.fill(b, at.field, size, put) })
	}
	return g.Wait()
}

// Select reads all blocks that have the field, from several goroutines at once.
func (f *File) Select(field string, size int, wanted func(numbers []byte) bool) ([]int64, error) {
	at, err := f.find(field, size)
	if err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	found := make([][]int64, len(f.Blocks))
	for k := range f.Blocks {
		if b := &f.Blocks[k]; b.Space == at.space {
			g.Go(func() (err error) {
				found[k], err = f.chosen(b, at.field, size, wanted)
				return err
			})
		}
	}
	err = g.Wait()
	return slices.Concat(found...), err
}

// chosen are the keys of those of a block that are wanted.
func (f *File) chosen(b *block, field, size int, wanted func(numbers []byte) bool) (chosen []int64, err error) {
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
			if at := (before + i) * size; wanted(numbers[at : at+size]) {
				chosen = append(chosen, first+int64(i))
			}
		}
	})
	if err != nil {
		return nil, &DamagedError{f.Path, err}
	}
	return chosen, nil
}

// find looks a field up, of so many bytes an entity.
func (f *File) find(name string, size int) (fieldIndex, error) {
	if f.fields == nil {
		f.fields = map[string]fieldIndex{}
		for s := range f.Spaces {
			for k, of := range f.Spaces[s].Fields {
				f.fields[of.Name] = fieldIndex{s, k}
			}
		}
	}
	at, ok := f.fields[name]
	if !ok {
		return at, fmt.Errorf("%s has no field %q", f.Path, name)
	}
	if has := f.Spaces[at.space].Fields[at.field].Size; has != size {
		return at, fmt.Errorf("%s has %d bytes of field %q for a %s, where the case has %d", f.Path, has, name,
			f.Spaces[at.space].Name, size)
	}
	return at, nil
}

// fill hands out what a block has of a field.
func (f *File) fill(b *block, field, size int, put func(i int, numbers []byte)) error {
	keys, err := f.read(b.Keys, nil)
	if err != nil {
		return err
	}
	var numbers []byte
	failed := eachRun(keys, b.Count, func(first int64, n, before int) {
		f.sorted.each(first, n, func(i, at int) {
			if numbers == nil && err == nil {
				numbers, err = f.read(b.Fields[field], nil)
			}
			if err == nil {
				at += before
				put(i, numbers[at*size:(at+1)*size])
			}
		})
	})
	if failed != nil {
		return &DamagedError{f.Path, failed}
	}
	return err
}
