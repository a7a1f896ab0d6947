package mesh

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestProcessorsAgree: rings, neighbours and faults of a mesh are the same on any number of processors.
func TestProcessorsAgree(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m, err := Rectangle(0, 0, 1, 1, 250_000, 3)
	if err != nil {
		t.Fatal(err)
	}
	torn := *m
	torn.Cells = append(append([][3]int32(nil), m.Cells...), m.Cells[9], m.Cells[200_000])
	type outcome struct {
		rings *Rings
		nb    [][3]int32
		fault string
	}
	find := func() (o outcome) {
		if o.rings, err = m.Rings(); err != nil {
			t.Fatal(err)
		}
		if o.nb, err = m.Neighbours(); err != nil {
			t.Fatal(err)
		}
		if _, err := torn.Neighbours(); err != nil {
			o.fault = err.Error()
		}
		return o
	}
	want := find()
	if !strings.Contains(want.fault, "cell 9 ") {
		t.Errorf("of two faults the first is not told: %s", want.fault)
	}
	for _, processors := range []int{2, 5} {
		runtime.GOMAXPROCS(processors)
		if got := find(); !reflect.DeepEqual(got, want) {
			t.Errorf("on %d processors the topology is another", processors)
		}
	}
}
