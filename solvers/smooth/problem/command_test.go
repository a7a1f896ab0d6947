package problem

import (
	"strings"
	"testing"
)

// What is wrong with a case is said of the flags that it came from.
func TestCommandSpeaksOfFlags(t *testing.T) {
	for _, c := range []struct {
		flags map[string]string
		want  string
	}{
		{map[string]string{"metric": "linear"}, "--low: is required\n--high: is required"},
		{map[string]string{"relax": "0"}, "--relax: 0 must be above 0"},
		{map[string]string{"width": "1", "height": "1", "aspect": "0.5"}, "--aspect: 0.5 must be 1 or more"},
		{map[string]string{"gradation": "1.3", "width": "1", "height": "1"},
			"--gradation: does not belong to a metric of kind sizes, but to solution, hessian, and expressions with " +
				"samples = 0"},
		{map[string]string{"also": "x*x"}, "the flags name no metric: give --metric, --width and --height"},
		{map[string]string{"guard": "clip"}, `--guard: does nothing with smoother = "barrier"`},
	} {
		_, err := caseOf("in.msh", "out.msh", func(flag string) (string, bool) { v, ok := c.flags[flag]; return v, ok })
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: error %v does not begin with %s", c.flags, err, c.want)
		}
	}
}
