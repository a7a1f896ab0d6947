package primitives

import "fmt"

// Compact copies the elements of src with nonzero keep to the front of dst, in order, and returns their number. dst is
// as long as src, and they do not overlap.
func Compact[T any](w *Workspace, dst, src []T, keep []uint8) (int, error) {
	if err := checkEqualLengths("compact", len(src), len(keep)); err != nil {
		return 0, err
	}
	if len(dst) < len(src) {
		return 0, fmt.Errorf("compact: dst has %d elements, want at least the %d of src", len(dst), len(src))
	}
	if w.accel != nil && sizeOf[T]() > 0 {
		return w.accel.Compact(addressOf(dst), addressOf(src), addressOf(keep), sizeOf[T](), len(src))
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
