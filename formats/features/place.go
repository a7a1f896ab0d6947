package features

// Role is the property that tells what a feature is on a map of a case.
const Role = "role"

// Values of Role.
const (
	Boundary  = "boundary"  // a group of the boundary with a condition
	Structure = "structure" // the line between the ends of a structure, or the position of one that has one end
	Line      = "line"      // a line of the terrain, such as a levee, or one along which something is measured
	Gauge     = "gauge"
)

// Place returns a feature with a name and a role: a line through corners [x, y], or a point if there is only one.
func Place(name, role string, corners [][]float64) Feature {
	f := Feature{Properties: map[string]any{"name": name, Role: role}, Parts: make([][]Position, 1)}
	if len(corners) > 1 {
		f.Kind = Lines
	}
	for _, c := range corners {
		f.Parts[0] = append(f.Parts[0], Position{X: c[0], Y: c[1]})
	}
	return f
}
