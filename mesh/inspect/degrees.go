package inspect

import (
	"fmt"
	"slices"

	"github.com/atoll-hpc/atoll/mesh"
	"github.com/atoll-hpc/atoll/mesh/sphere"
)

// SetGeographic declares that a mesh has longitudes and latitudes. It returns an error if it cannot.
func SetGeographic(m *mesh.Mesh) error {
	if len(m.Y) == 0 {
		return nil
	}
	if low, high := slices.Min(m.Y), slices.Max(m.Y); low < -sphere.MostLatitude || high > sphere.MostLatitude {
		return fmt.Errorf("y goes from %g to %g, and latitudes from %g to %g", low, high, -sphere.MostLatitude,
			sphere.MostLatitude)
	}
	m.Geographic = true
	return nil
}

// MaybeGeographic reports whether coordinates could be degrees: more than a degree wide, within those of the earth, and
// not all of them small.
func MaybeGeographic(m *mesh.Mesh) bool {
	if len(m.X) == 0 {
		return false
	}
	west, east, south, north := slices.Min(m.X), slices.Max(m.X), slices.Min(m.Y), slices.Max(m.Y)
	return east-west > 1 && west >= -180 && east <= 360 && south >= -sphere.MostLatitude && north <= sphere.MostLatitude &&
		(max(-west, east) > 90 || max(-south, north) > 30)
}
