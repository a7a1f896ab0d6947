package columns

import (
	"reflect"
	"testing"
)

// TestColumns: components are joined only if all from the first on are there, with as many numbers, and no field has
// the name of all.
func TestColumns(t *testing.T) {
	one, two := []float64{1, 2}, []float64{3, 4}
	for _, c := range []struct {
		fields map[string][]float64
		want   []Column
	}{
		{map[string][]float64{"v[0]": one, "v[1]": two, "a": one}, []Column{{"a", [][]float64{one}},
			{"v", [][]float64{one, two}}}},
		{map[string][]float64{"v[0]": one, "v[2]": two}, []Column{{"v[0]", [][]float64{one}}, {"v[2]", [][]float64{two}}}},
		{map[string][]float64{"v[0]": one, "v[1]": two, "v": one}, []Column{{"v", [][]float64{one}},
			{"v[0]", [][]float64{one}}, {"v[1]", [][]float64{two}}}},
		{map[string][]float64{"v[0]": one, "v[1]": one[:1]}, []Column{{"v[0]", [][]float64{one}},
			{"v[1]", [][]float64{one[:1]}}}},
		{map[string][]float64{"[0]": one, "[1]": two}, []Column{{"[0]", [][]float64{one}}, {"[1]", [][]float64{two}}}},
	} {
		if got := Of(c.fields); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.fields, got, c.want)
		}
	}
	v := Column{"v", [][]float64{one, two}}
	if got := v.Interleaved(); !reflect.DeepEqual(got, []float64{1, 3, 2, 4}) {
		t.Errorf("interleaved: %v", got)
	}
}
