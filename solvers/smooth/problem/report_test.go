package problem

import (
	"strings"
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/run/runtest"
	"github.com/atoll-hpc/atoll/solvers/smooth/quality"
	"github.com/atoll-hpc/atoll/solvers/smooth/request"
)

// TestSmoothReportNumbers proves that lengths are formatted with enough digits in a readable width, and that a scale
// of 1 up to round-off is omitted.
func TestSmoothReportNumbers(t *testing.T) {
	r := &Report{Dim: 2, Scale: 1 + 1e-12,
		Before: quality.Diagnostics{EdgeMin: 1.23456e-9, EdgeMean: 1, EdgeMax: 6.2716e49}}
	text := r.Text()
	for _, want := range []string{"1.235e-09  6.272e+49", "1.0000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "scaled") {
		t.Errorf("a scale of 1 is reported:\n%s", text)
	}
}

// TestSmoothReportOfTwoFields proves that numbers summed over two fields are reported as such.
func TestSmoothReportOfTwoFields(t *testing.T) {
	m, err := mesh.Rectangle(0, 0, 1, 1, 300, 5)
	if err != nil {
		t.Fatal(err)
	}
	for also, want := range map[string]bool{"": false, ", also='y^4'": true} {
		c := runtest.Parse(t, wavy, "metric={hessian='x^4', aspect=2"+also+"}")
		n, err := request.NewNodal(c, &c.Sections.(*Sections).Metric, planeMesh{Mesh: m}.nodes())
		if err != nil {
			t.Fatal(err)
		}
		text := (&Report{Dim: 2, Scale: 1, Adjusted: n.Adjusted}).Text()
		if got := strings.Contains(text, "in each of the two fields"); got != want || n.Adjusted.Bounded == 0 {
			t.Errorf("%q: %d of %d places\n%s", also, n.Adjusted.Bounded, n.Adjusted.Samples, text)
		}
	}
}

// TestReportAsksForAspect proves that the report suggests a bound of the aspect ratio if a field is curved in at most
// one direction nearly everywhere, and nothing else bounds the length of cells.
func TestReportAsksForAspect(t *testing.T) {
	for _, c := range []struct {
		adjusted request.Adjusted
		want     bool
	}{
		{request.Adjusted{Fields: 1, Samples: 10, Raised: 9}, true},
		{request.Adjusted{Fields: 1, Samples: 10, Raised: 9, Bounded: 9}, false},
		{request.Adjusted{Fields: 1, Samples: 10, Raised: 2}, false},
		{request.Adjusted{Fields: 2, Samples: 10, Raised: 9}, false},
		{request.Adjusted{Samples: 10, Bounded: 9}, false},
	} {
		text := (&Report{Dim: 2, Scale: 1, Adjusted: c.adjusted}).Text()
		if strings.Contains(text, "give aspect") != c.want {
			t.Errorf("%+v: %s", c.adjusted, text)
		}
	}
}
