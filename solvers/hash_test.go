package solvers

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/big"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist/local"
)

// fixedState is a solver with a given state.
type fixedState []State

func (h fixedState) State(context.Context) ([]State, error) { return h, nil }

// hashOn hashes entities on several ranks; owner returns the rank of the i-th. Each rank has its entities in reverse
// order.
func hashOn(t *testing.T, ranks int, keys []int64, size int, owner func(i int) int) string {
	t.Helper()
	hashes, errs := make([]string, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		var own []int64
		for i := len(keys) - 1; i >= 0; i-- {
			if owner(i) == rank {
				own = append(own, keys[i])
			}
		}
		wg.Go(func() {
			hashes[rank], errs[rank] = Hash(t.Context(), comm, fixedState{stateOf(own, size)})
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for rank, got := range hashes {
		if got != hashes[0] {
			t.Errorf("rank %d has %s, rank 0 %s", rank, got, hashes[0])
		}
	}
	return hashes[0]
}

func stateOf(keys []int64, size int) State {
	return State{Owned: len(keys), Size: size, Key: func(i int) int64 { return keys[i] },
		Bytes: func(i int) []byte { return entity(keys[i], size) }}
}

func entity(key int64, size int) []byte {
	b := make([]byte, size)
	for k := range b {
		b[k] = byte(key>>(k%3*8)) + byte(k)
	}
	return b
}

// referenceHash computes the hash from its definition, with big integers.
func referenceHash(keys []int64, size int) string {
	sum := new(big.Int)
	for _, key := range keys {
		digest := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, uint64(key)), entity(key, size)...))
		sum.Add(sum, new(big.Int).SetBytes(digest[:]))
	}
	sum.Mod(sum, new(big.Int).Lsh(big.NewInt(1), 256))
	return hex.EncodeToString(sum.FillBytes(make([]byte, 32)))
}

// TestHashIsTheSum proves that the hash is the sum of the entities' digests for any distribution over ranks, any
// order, dense and sparse keys, and one thread or several.
func TestHashIsTheSum(t *testing.T) {
	for _, n := range []int{0, 1, 7, 5000} {
		dense, sparse := make([]int64, n), make([]int64, n)
		for i := range n {
			dense[i], sparse[i] = int64(i), int64(i)*int64(i)<<16-1
		}
		for name, keys := range map[string][]int64{"dense": dense, "sparse": sparse} {
			want := referenceHash(keys, 48)
			for cut, owner := range map[string]func(i int) int{
				"blocks": func(i int) int { return i * 3 / max(n, 1) }, "scattered": func(i int) int { return i * 7 % 3 },
				"one": func(int) int { return 2 },
			} {
				if got := hashOn(t, 3, keys, 48, owner); got != want {
					t.Errorf("%d %s keys, %s: got %s, want %s", n, name, cut, got, want)
				}
			}
		}
	}
}

// TestHashDistinguishesStates proves that the hash changes if an entity is missing, duplicated or has the bytes of
// another, and that it depends on the spaces and their order.
func TestHashDistinguishesStates(t *testing.T) {
	one := func(int) int { return 0 }
	whole := stateOf([]int64{0, 1, 2}, 8)
	swapped := whole
	swapped.Key = func(i int) int64 { return []int64{0, 2, 1}[i] }
	comm := local.New(1)[0]
	defer comm.Close()
	hash := func(h fixedState) string {
		text, err := Hash(t.Context(), comm, h)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	seen := map[string]string{hashOn(t, 1, []int64{0, 1, 2}, 8, one): "whole"}
	for name, got := range map[string]string{
		"missing": hashOn(t, 1, []int64{0, 2}, 8, one), "twice": hashOn(t, 1, []int64{0, 1, 1, 2}, 8, one),
		"swapped": hash(fixedState{swapped}), "two spaces": hash(fixedState{whole, swapped}),
		"other order": hash(fixedState{swapped, whole}),
		"none":        hash(fixedState{}), "empty": hash(fixedState{stateOf(nil, 8)}),
	} {
		if other, same := seen[got]; same {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[got] = name
	}
}

func BenchmarkHash(b *testing.B) {
	const n = 1 << 20
	w := make([][6]float64, n)
	state := fixedState{StateOf(n, func(i int) int64 { return int64(i) }, w, func(i int) int { return i })}
	comm := local.New(1)[0]
	defer comm.Close()
	for b.Loop() {
		if _, err := Hash(b.Context(), comm, state); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entity")
}
