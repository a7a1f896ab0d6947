package chart

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// TestClasses: values 0, 1 and so on that have names have a colour each, and the bar shows the names beside them.
func TestClasses(t *testing.T) {
	c := Colouring{Classes: []string{"low", "some", "all"}, Range: &[2]float64{-.5, 2.5},
		Colours: palette.Classes.Steps(3)}
	s, err := c.of([]float64{0, 2, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []tick{{0, "low"}, {1, "some"}, {2, "all"}}; !slices.Equal(s.ticks(10), want) {
		t.Errorf("ticks %v", s.ticks(10))
	}
	if s.at(0) != s.at(.49) || s.at(0) == s.at(.51) || s.at(1) == s.at(2) || s.at(1.51) != s.at(2) {
		t.Error("the colours are not those of three classes")
	}
}

// TestNever: a value that is missing for a reason has a colour of its own and that reason for a name.
func TestNever(t *testing.T) {
	usual, name := (&Colouring{}).missing()
	never, reason := (&Colouring{Missing: "never"}).missing()
	if usual != noData || name != "no data" || never == noData || never == dryInk || reason != "never" {
		t.Errorf("%v %q, %v %q", usual, name, never, reason)
	}
}
