package chart

import (
	"slices"
	"testing"

	"github.com/atoll-hpc/atoll/run/plot/palette"
)

// TestClasses checks that each class has one colour, and that the colour bar shows the names of the classes.
func TestClasses(t *testing.T) {
	c := Colouring{Classes: []string{"low", "some", "all"}, Range: &[2]float64{-.5, 2.5},
		Colours: palette.Classes.Steps(3)}
	s, err := c.scaleOf([]float64{0, 2, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []tick{{0, "low"}, {1, "some"}, {2, "all"}}; !slices.Equal(s.ticks(10), want) {
		t.Errorf("ticks %v", s.ticks(10))
	}
	if s.colour(0) != s.colour(.49) || s.colour(0) == s.colour(.51) || s.colour(1) == s.colour(2) ||
		s.colour(1.51) != s.colour(2) {
		t.Error("colours differ within a class, or are equal in two classes")
	}
}

// TestMissing checks that missing values with an explanation have their own colour and name.
func TestMissing(t *testing.T) {
	noReason, name := (&Colouring{}).missing()
	missing, reason := (&Colouring{Missing: "never"}).missing()
	if noReason != noData || name != "no data" || missing == noData || missing == dryColour || reason != "never" {
		t.Errorf("got %v %q without and %v %q with an explanation", noReason, name, missing, reason)
	}
}
