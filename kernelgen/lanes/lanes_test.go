package lanes

import (
	"strings"
	"testing"
)

// TestParse proves that names of sets are parsed, that an empty name is the best set, and that other names are errors.
func TestParse(t *testing.T) {
	if set, err := Parse("off"); set != Off || err != nil {
		t.Errorf("off: %v, %v", set, err)
	}
	if set, err := Parse(""); set != Best() || err != nil {
		t.Errorf("nothing: %v, %v", set, err)
	}
	for _, name := range []string{"sse", "AVX2", "1"} {
		if _, err := Parse(name); err == nil || !strings.Contains(err.Error(), "off, avx2, avx512") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for set := Off; set <= AVX512; set++ {
		got, err := Parse(set.String())
		if (err == nil) != (set <= Best()) || err == nil && got != set {
			t.Errorf("%v, of at most %v: %v, %v", set, Best(), got, err)
		}
	}
}

// TestCount proves that batches are multiples of the lanes, and that only fewer indices than lanes remain.
func TestCount(t *testing.T) {
	for left := range 3 * batch {
		for _, n := range []int{4, 8, 16} {
			c := Code{Lanes: n}.Count(left)
			if c%n != 0 || c > left || c > batch || c == 0 && left >= n {
				t.Fatalf("Count(%d) with %d lanes is %d", left, n, c)
			}
		}
		if (Code{}).Count(left) != 0 {
			t.Fatalf("Count(%d) without vector code is not 0", left)
		}
	}
}

// TestRare: each index on the list is taken once, except the last one of a call, which is repeated to fill a
// vector; calls take whole vectors.
func TestRare(t *testing.T) {
	for _, n := range []int{4, 8, 16} {
		var r Rare
		seen := map[[3]int]int{}
		takeAll := func(more bool) {
			for {
				lo, hi, ok := r.Take(Code{Lanes: n}, more)
				if !ok {
					break
				}
				if (hi-lo)%n != 0 || hi-lo > rareBatch || hi > MostRare || lo >= hi {
					t.Fatalf("%d lanes: places %d to %d", n, lo, hi)
				}
				for at := lo; at < hi; at++ {
					seen[[3]int{r.i[at], r.j[at], r.k[at]}]++
				}
			}
			if more && r.n >= rareEnough || !more && r.n > 0 {
				t.Fatalf("%d lanes: %d left", n, r.n)
			}
		}
		const steps = 1000
		for at := range steps {
			for _, add := range []int{at % 3, batch * (at / (steps - 1))} {
				for range add {
					r.i[r.n], r.j[r.n], r.k[r.n] = len(seen)+r.n, at, 2*at
					r.n++
				}
			}
			takeAll(true)
		}
		added := len(seen) + r.n
		takeAll(false)
		mostTaken := 0
		for _, count := range seen {
			mostTaken = max(mostTaken, count)
		}
		if len(seen) != added || mostTaken > n {
			t.Errorf("%d lanes: %d indices of %d, at most %d times", n, len(seen), added, mostTaken)
		}
	}
}
