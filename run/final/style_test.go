package final

import (
	"encoding/xml"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/atoll-hpc/atoll/config"
	"github.com/atoll-hpc/atoll/run/plot/palette"
	"github.com/atoll-hpc/atoll/solvers"
)

// TestStyles: thicknesses have classes up to the largest, of which the first is transparent; levels about zero have the
// diverging colours of pictures; classes have their names; and a raster without values has a style too.
func TestStyles(t *testing.T) {
	nan := math.NaN()
	hex := func(m *palette.Map, share float64) string { return itemOf("", m.At(share), "").Color }
	dry := func(*config.Case, []float64) float64 { return .05 }
	for name, c := range map[string]struct {
		field  solvers.Field
		values []float64
		kind   string
		want   []string // value and colour, or label, of some items
	}{
		"depth": {solvers.Field{Name: "h", Unit: "m", Mask: "h", MaskThreshold: dry}, []float64{0, 1.7, nan, .3},
			"DISCRETE", []string{"0.05 #ffffff 0 dry", "0.1 " + hex(palette.Sequential, .1) + " 255 0.05 to 0.1 m",
				"0.2", "0.5", "1", "inf " + hex(palette.Sequential, .9) + " 255 more than 1 m"}},
		"level": {solvers.Field{Name: "z", Unit: "m", Mask: "h"}, []float64{-1, 3, nan}, "INTERPOLATED",
			[]string{"-3 " + hex(palette.Diverging, 0) + " 255 -3"}},
		"class": {solvers.Field{Name: "hazard", Classes: []string{"low", "high"}}, []float64{0, 1}, "EXACT",
			[]string{"0 " + hex(palette.Classes.Steps(2), .25) + " 255 low", "1 " + hex(palette.Classes.Steps(2), .75) +
				" 255 high"}},
		"nothing": {solvers.Field{Name: "t", Unit: "s"}, []float64{nan, nan}, "INTERPOLATED", []string{"0"}},
		"one":     {solvers.Field{Name: "t", Unit: "s"}, []float64{5, nan}, "INTERPOLATED", []string{"5"}},
	} {
		path := filepath.Join(t.TempDir(), "a.qml")
		if err := styleOf(&c.field, nil, c.values).write(path); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var got style
		if err := xml.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		s := got.Renderer.Shader
		if s.Type != c.kind || len(s.Items) < len(c.want) || c.kind != "INTERPOLATED" && len(s.Items) != len(c.want) {
			t.Fatalf("%s: %s", name, text)
		}
		for k, want := range c.want {
			i := s.Items[k]
			if all := fmt.Sprint(i.Value, " ", i.Color, " ", i.Alpha, " ", i.Label); all != want && i.Value != want {
				t.Errorf("%s: item %d is %s, want %s", name, k, all, want)
			}
		}
	}
}
