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
			if c%n != 0 || c > left || c > batch || c == 0 && left >= n || c/n > Groups {
				t.Fatalf("Count(%d) with %d lanes is %d", left, n, c)
			}
		}
		if (Code{}).Count(left) != 0 {
			t.Fatalf("Count(%d) without vector code is not 0", left)
		}
	}
}
