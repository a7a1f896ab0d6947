package primitives

import (
	"fmt"
	"math"

	"github.com/atoll-hpc/atoll/backend"
)

// ExclusiveScan stores in dst[i] the sum of src[:i], and returns the total. src holds counts, which are not negative. A
// total that overflows T is an error. dst may be src.
func ExclusiveScan[T int32 | int64](w *Workspace, dst, src []T) (T, error) {
	if err := checkEqualLengths("scan", len(dst), len(src)); err != nil {
		return 0, err
	}
	var total int64
	if w.accel != nil {
		var err error
		if total, err = w.accel.Scan(backend.KindOf[T](), addressOf(dst), addressOf(src), len(src)); err != nil {
			return 0, err
		}
	} else {
		for i, v := range src {
			dst[i] = T(total)
			total += int64(v)
		}
	}
	if sizeOf[T]() == 4 && (total > math.MaxInt32 || total < math.MinInt32) {
		return 0, fmt.Errorf("scan: the sum %d does not fit an int32; scan int64", total)
	}
	return T(total), nil
}
