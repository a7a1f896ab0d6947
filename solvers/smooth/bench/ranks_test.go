package bench

import (
	"strings"
	"testing"
)

// TestSmoothScaling proves that the state is the same for any number of ranks and threads, unless the mesh grows with
// the ranks.
func TestSmoothScaling(t *testing.T) {
	for _, weak := range []bool{false, true} {
		o := smoothOptions()
		o.Sizes, o.Ranks, o.Hash, o.Weak = []int{40}, []int{1, 2, 4}, true, weak
		var b strings.Builder
		chart, err := SmoothScaling(t.Context(), &b, o)
		if err != nil {
			t.Fatal(err)
		}
		states, meshes := map[string]bool{}, map[string]bool{}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")[2:]
		for _, line := range lines {
			f := strings.Fields(line)
			states[f[len(f)-1]], meshes[f[1]] = true, true
		}
		want := 1
		if weak {
			want = 3
		}
		if len(lines) != 6 || len(states) != want || len(meshes) != want {
			t.Errorf("weak %v: %d meshes and %d states in\n%s", weak, len(meshes), len(states), b.String())
		}
		if _, err := chart.Draw(); err != nil {
			t.Error(err)
		}
	}
}

func TestSmoothScalingRefuses(t *testing.T) {
	for want, change := range map[string]func(*SmoothOptions){
		"0 ranks":                   func(o *SmoothOptions) { o.Ranks = []int{0} },
		"4 ranks: size 20000 is no": func(o *SmoothOptions) { o.Sizes, o.Ranks, o.Weak = []int{10_000}, []int{4}, true },
		`halo "wire" is not`:        func(o *SmoothOptions) { o.Ranks, o.Halos = []int{2}, []string{"wire"} },
		"needs a deep halo":         func(o *SmoothOptions) { o.Ranks, o.Halos = []int{2}, []string{"nccl"} },
		"0 numbers of threads":      func(o *SmoothOptions) { o.Threads = nil },
	} {
		o := smoothOptions()
		change(&o)
		var b strings.Builder
		if _, err := SmoothScaling(t.Context(), &b, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
