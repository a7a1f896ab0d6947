package checkpoint

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/solvers"
)

// FuzzOpen checks that any file is either read or refused, with memory in proportion to its size. The fuzzed blobs and
// index are put into a file with correct checksums.
func FuzzOpen(f *testing.F) {
	path := newCheckpoint(f, 2)
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	firstBlock, _ := indexOf(f, text)
	firstBlock.Blocks = firstBlock.Blocks[:1]
	short, err := json.Marshal(firstBlock)
	if err != nil {
		f.Fatal(err)
	}
	last := firstBlock.Blocks[0].Fields[0]
	f.Add(text[headerSize:last.Offset+last.Len], short)
	f.Add([]byte{}, []byte(`{"spaces":[{"name":"cell","fields":[{"name":"w","size":8}]}],"blocks":[{}]}`))
	f.Fuzz(func(t *testing.T, blobs, index []byte) {
		text := append(append(header(), blobs...), index...)
		text = append(text, footer(headerSize+int64(len(blobs)), index)...)
		f, err := open(path, bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		for k := range f.Blocks {
			b := &f.Blocks[k]
			setChecksum(&b.Keys, text)
			for i := range b.Fields {
				setChecksum(&b.Fields[i], text)
			}
		}
		_ = f.Verify()
		restart(t, f, text)
	})
}

// restart reads fields of a file as ranks do that continue from it, unless it is refused.
func restart(t *testing.T, f *File, text []byte) {
	const ranks = 3
	parts, counts := shares(f.Blocks, ranks), make([]int64, len(f.Spaces))
	for k := range f.Blocks {
		counts[f.Blocks[k].Space] += int64(f.Blocks[k].Count)
	}
	_ = onRanks(t, ranks, func(comm dist.Comm) error {
		s := &State{Path: f.Path, comm: comm, outline: outline{f.index.Info, f.Spaces, counts}}
		s.hold(parts[comm.Rank()])
		_, err := s.readFrom(t.Context(), bytes.NewReader(text))
		if err := solvers.Agree(t.Context(), comm, err); err != nil {
			return err
		}
		for _, space := range f.Spaces {
			for _, field := range space.Fields {
				read, err := s.Locate(t.Context(), field.Name, []int64{0, 1})
				if err == nil {
					err = read(t.Context(), field.Name, field.Size, func(int, []byte) {})
				}
				_, selectErr := s.Select(t.Context(), field.Name, field.Size, func(b []byte) int { return int(b[0]) % ranks })
				if err := solvers.Agree(t.Context(), comm, errors.Join(err, selectErr)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// indexOf returns the index of a file, and its offset.
func indexOf(t testing.TB, text []byte) (x index, offset int64) {
	t.Helper()
	offset = int64(binary.LittleEndian.Uint64(text[len(text)-footerSize:]))
	if err := json.Unmarshal(text[offset:len(text)-footerSize], &x); err != nil {
		t.Fatal(err)
	}
	return x, offset
}

// setChecksum sets the checksum of a blob to that of its bytes.
func setChecksum(b *blob, text []byte) {
	b.CRC = crc32.Checksum(text[b.Offset:b.Offset+b.Len], castagnoli)
}

// FuzzKeys checks that encoding keys as runs and decoding them gives the same keys.
func FuzzKeys(f *testing.F) {
	f.Add(appendKeys(nil, []int64{3, 4, 5, 1, -7}), 5)
	f.Fuzz(func(t *testing.T, b []byte, count int) {
		var keys []int64
		if count > 1<<12 || eachRun(b, count, func(first int64, n, before int) {
			if before != len(keys) {
				t.Fatalf("before = %d, but %d keys were decoded", before, len(keys))
			}
			for k := range n {
				keys = append(keys, first+int64(k))
			}
		}) != nil {
			return
		}
		if max(count, 0) != len(keys) {
			t.Fatalf("%d keys, want %d", len(keys), count)
		}
		var decoded []int64
		if err := eachRun(appendKeys(nil, keys), len(keys), func(first int64, n, _ int) {
			for k := range n {
				decoded = append(decoded, first+int64(k))
			}
		}); err != nil || fmt.Sprint(decoded) != fmt.Sprint(keys) {
			t.Fatalf("%v became %v, %v", keys, decoded, err)
		}
	})
}
