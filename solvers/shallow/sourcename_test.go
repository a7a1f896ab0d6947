package shallow

import (
	"testing"

	"github.com/atoll-hpc/atoll/mesh"
)

// TestSourceName: groups do not have the names of other sources.
func TestSourceName(t *testing.T) {
	for _, c := range []struct {
		groups []string
		want   string // of the first
	}{
		{[]string{"left"}, "left"}, {[]string{"rain"}, "group_rain"}, {[]string{"rest", "left"}, "group_rest"},
		{[]string{"evaporation"}, "group_evaporation"}, {[]string{"infiltration", "group_rain"}, "group_infiltration"},
		{[]string{"rain", "group_rain"}, "group_group_rain"}, {[]string{"Rain"}, "Rain"}, {[]string{"in,flow"}, "in,flow"},
	} {
		groups := make([]mesh.Group, len(c.groups))
		for i, name := range c.groups {
			groups[i].Name = name
		}
		if got := sourceName(groups, 0); got != c.want {
			t.Errorf("%q: %s, want %s", c.groups, got, c.want)
		}
	}
}
