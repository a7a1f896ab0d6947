package checkpoint

import (
	"encoding/binary"
	"errors"
	"math"
)

// appendKeys appends keys as runs of successive ones: how far the first is from where the run before has ended, and how
// many more there are.
func appendKeys(b []byte, keys []int64) []byte {
	end := int64(0)
	for i := 0; i < len(keys); {
		n := 1
		for i+n < len(keys) && keys[i+n] == keys[i]+int64(n) {
			n++
		}
		b = binary.AppendVarint(b, keys[i]-end)
		b = binary.AppendUvarint(b, uint64(n-1))
		end = keys[i] + int64(n)
		i += n
	}
	return b
}

var errKeys = errors.New("its keys are no runs of as many as it has")

// eachRun calls f with each run of so many keys in all: the first one, how many there are, and how many came before.
func eachRun(b []byte, count int, f func(first int64, n, before int)) error {
	end := int64(0)
	for before := 0; before < count; {
		step, size := binary.Varint(b)
		if size <= 0 {
			return errKeys
		}
		b = b[size:]
		more, size := binary.Uvarint(b)
		if size <= 0 || more >= uint64(count-before) {
			return errKeys
		}
		b = b[size:]
		first, n := end+step, int(more)+1
		if first > math.MaxInt64-int64(n) {
			return errKeys
		}
		f(first, n, before)
		end = first + int64(n)
		before += n
	}
	if len(b) > 0 {
		return errKeys
	}
	return nil
}
