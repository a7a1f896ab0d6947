package cuda

import "testing"

func TestRequiredCapability(t *testing.T) {
	for ptx, want := range map[string]int{
		"// from sm_99\n.version 8.4\n.target sm_80\n.address_size 64\n": 80,
		".version 8.4\n.target sm_70, texmode_unified\n":                 70,
		".version 8.4\n.target sm_120\n":                                 120,
		".version 8.4\n":                                                 0,
	} {
		if got := requiredCapability(ptx); got != want {
			t.Errorf("%q requires %d, want %d", ptx, got, want)
		}
	}
}
