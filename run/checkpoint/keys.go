package checkpoint

import (
	"encoding/binary"
	"errors"
	"math"
)

// appendKeys encodes keys as runs of successive keys. A run is two varints: the distance of its first key from the end
// of the previous run, and its length minus one.
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

var errInvalidKeys = errors.New("the encoding of its keys is invalid")

// eachRun decodes count keys. It calls f for each run with its first key, its length, and the number of keys before it.
func eachRun(b []byte, count int, f func(first int64, n, before int)) error {
	end := int64(0)
	for before := 0; before < count; {
		distance, size := binary.Varint(b)
		if size <= 0 {
			return errInvalidKeys
		}
		b = b[size:]
		extra, size := binary.Uvarint(b)
		if size <= 0 || extra >= uint64(count-before) {
			return errInvalidKeys
		}
		b = b[size:]
		first, n := end+distance, int(extra)+1
		if first > math.MaxInt64-int64(n) {
			return errInvalidKeys
		}
		f(first, n, before)
		end = first + int64(n)
		before += n
	}
	if len(b) > 0 {
		return errInvalidKeys
	}
	return nil
}
