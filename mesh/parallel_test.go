package mesh

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// Rings, Neighbours and their errors do not depend on the number of threads.
func TestSameResultForAnyNumberOfThreads(t *testing.T) {
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
		t.Errorf("error %q, want the fault of the lowest cell, 9", want.fault)
	}
	for _, threads := range []int{2, 5} {
		runtime.GOMAXPROCS(threads)
		if got := find(); !reflect.DeepEqual(got, want) {
			t.Errorf("%d threads: the result differs from that of one thread", threads)
		}
	}
}
