package primitives

import "fmt"

// Compact copies the elements of src whose keep is not 0 to the front of dst, in order, and returns how many there
// are. dst is as long as src, and they do not overlap.
func Compact[T any](w *Workspace, dst, src []T, keep []uint8) (int, error) {
	if err := checkSame("compact", len(src), len(keep)); err != nil {
		return 0, err
	}
	if len(dst) < len(src) {
		return 0, fmt.Errorf("compact: room for %d of %d elements", len(dst), len(src))
	}
	if w.accel != nil && size[T]() > 0 {
		return w.accel.Compact(at(dst), at(src), at(keep), size[T](), len(src))
	}
	n := 0
	for i, k := range keep {
		if k != 0 {
			dst[n] = src[i]
			n++
		}
	}
	return n, nil
}
