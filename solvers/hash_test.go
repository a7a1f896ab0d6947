package solvers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"
	"testing"

	"github.com/atoll-hpc/atoll/dist"
	"github.com/atoll-hpc/atoll/dist/local"
)

// hashOn hashes n entities of some bytes on ranks, of which each has those that owner says, from the last to the first.
func hashOn(ranks, n, size int, owner func(key int) int, keyOf func(key int) int64) ([]string, error) {
	hashes, errs := make([]string, ranks), make([]error, ranks)
	var wg sync.WaitGroup
	for rank, comm := range local.New(ranks) {
		var keys []int
		for key := n - 1; key >= 0; key-- {
			if owner(key) == rank {
				keys = append(keys, key)
			}
		}
		s := State{Owned: len(keys), Size: size, Key: func(i int) int64 { return keyOf(keys[i]) },
			Bytes: func(i int) []byte { return entity(keys[i], size) }}
		wg.Go(func() {
			hashes[rank], errs[rank] = Hash(context.Background(), comm, s)
			if errs[rank] != nil {
				comm.Abort(1, errs[rank])
			}
			errs[rank] = errors.Join(errs[rank], comm.Close())
		})
	}
	wg.Wait()
	return hashes, errors.Join(errs...)
}

func entity(key, size int) []byte {
	b := make([]byte, size)
	for k := range b {
		b[k] = byte(key>>(k%3*8)) + byte(k)
	}
	return b
}

// The hash is that of all bytes in the order of the keys, whoever has which, and however many pieces they come in.
func TestHashIsThatOfTheWhole(t *testing.T) {
	const size = 1 << 10 // 4,096 entities a piece
	for _, n := range []int{0, 1, 7, 4096, 10_000} {
		sum := sha256.New()
		for key := range n {
			sum.Write(entity(key, size))
		}
		want := hex.EncodeToString(sum.Sum(nil))
		for name, owner := range map[string]func(key int) int{
			"blocks": func(key int) int { return key * 3 / max(n, 1) }, "scattered": func(key int) int { return key * 7 % 3 },
			"one": func(int) int { return 2 },
		} {
			hashes, err := hashOn(3, n, size, owner, func(key int) int64 { return int64(key) })
			if err != nil {
				t.Fatalf("%d, %s: %v", n, name, err)
			}
			for rank, got := range hashes {
				if got != want {
					t.Errorf("%d, %s: rank %d has %s, not %s", n, name, rank, got, want)
				}
			}
		}
	}
}

// A key that is missing, or there twice, is an error and no other hash.
func TestHashMissesNoKey(t *testing.T) {
	for name, key := range map[string]func(key int) int64{
		"missing": func(key int) int64 { return int64(key) * 2 }, "twice": func(key int) int64 { return int64(key) / 2 },
	} {
		_, err := hashOn(2, 10, 8, func(key int) int { return key % 2 }, key)
		var lost *dist.PeerError
		if err == nil || errors.As(err, &lost) && lost.Err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
