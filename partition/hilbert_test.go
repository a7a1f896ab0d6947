package partition

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// In a square or cube of 2^k cells a side, consecutive cells of the Hilbert curve are neighbours, and the curve visits
// all cells of a quadrant or octant, at every level, before it leaves it.
func TestHilbertCurveIsContinuous(t *testing.T) {
	for _, test := range []struct{ dimension, side int }{{2, 2}, {2, 4}, {2, 32}, {3, 2}, {3, 8}} {
		var c [3][]float64
		count := 1
		for range test.dimension {
			count *= test.side
		}
		for i := range count {
			for d, quotient := 0, i; d < test.dimension; d++ {
				c[d] = append(c[d], float64(quotient%test.side))
				quotient /= test.side
			}
		}
		perm, err := HilbertOrder(c[:test.dimension]...)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < count; i++ {
			steps := 0.0
			for d := range test.dimension {
				step := c[d][perm[i]] - c[d][perm[i-1]]
				steps += step * step
			}
			if steps != 1 {
				t.Fatalf("%d cells a side in %d dimensions: step %d is not to a neighbour", test.side, test.dimension, i)
			}
		}
		for size := 2; size < test.side; size *= 2 {
			volume := 1
			for range test.dimension {
				volume *= size
			}
			for first := 0; first < count; first += volume {
				for _, v := range perm[first : first+volume] {
					for d := range test.dimension {
						if int(c[d][v])/size != int(c[d][perm[first]])/size {
							t.Fatalf("the curve leaves a block of %d cells a side before it is full", size)
						}
					}
				}
			}
		}
	}
}

func TestHilbertDegenerate(t *testing.T) {
	same := []float64{3, 3, 3, 3, 3}
	line := []float64{4, 0, 3, 1, 2}
	for _, test := range []struct {
		name        string
		coordinates [][]float64
		want        []int32
	}{
		{"equal points are ordered by id", [][]float64{same, same}, []int32{0, 1, 2, 3, 4}},
		{"a line along x", [][]float64{line, same}, []int32{1, 3, 4, 2, 0}},
		{"no points", [][]float64{{}, {}, {}}, []int32{}},
		{"one point", [][]float64{{1}, {2}, {3}}, []int32{0}},
	} {
		got, err := HilbertOrder(test.coordinates...)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v, want %v", test.name, got, err, test.want)
		}
	}
	for _, coordinates := range [][][]float64{nil, {line}, {line, line, line, line}, {line, line[:2]}} {
		if _, err := HilbertOrder(coordinates...); err == nil {
			t.Errorf("HilbertOrder accepted the coordinates %v, want an error", coordinates)
		}
	}
}

// SortByKey is a stable sort, also where the keys differ in few digits.
func TestSortByKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.SampledFrom([]uint64{0, 3, 0xff << 20, 1 << 63, 0xffff << 48, ^uint64(0)}).Draw(t, "mask")
		keys := rapid.SliceOf(rapid.Uint64()).Draw(t, "keys")
		for i := range keys {
			keys[i] &= mask
		}
		original := slices.Clone(keys)
		want := identity(len(keys))
		slices.SortStableFunc(want, func(a, b int32) int { return cmp.Compare(original[a], original[b]) })
		ids := identity(len(keys))
		SortByKey(keys, ids)
		if !slices.Equal(ids, want) || !slices.IsSorted(keys) {
			t.Fatalf("%x sorts to %v, want %v", original, ids, want)
		}
	})
}

// planeKey, which uses a table, agrees with hilbertKey, which loops over bits.
func TestPlaneKey(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Uint32Max(1<<31-1).Draw(t, "x"), rapid.Uint32Max(1<<31-1).Draw(t, "y")
		if got, want := planeKey(x, y), hilbertKey([3]uint32{x, y}, 2, 31); got != want {
			t.Fatalf("%x, %x: key %x, want %x", x, y, got, want)
		}
	})
}
