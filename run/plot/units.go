package plot

import "strings"

// unitOf returns the unit of a quantity that the solvers write, "" where it has none or is not known: h is the depth
// of a layer, z a level, u and v velocities, each with the number of its layer.
func unitOf(name string) string {
	switch base := strings.TrimRight(name, "0123456789"); base {
	case "h", "z", "depth":
		return "m"
	case "u", "v", "velocity":
		return "m/s"
	case "mass":
		return "m³"
	}
	return ""
}

func withUnit(name string) string {
	if u := unitOf(name); u != "" {
		return name + " (" + u + ")"
	}
	return name
}

// layerDepth returns the name of the field that says where a field of a layer is dry: h1 of h1, z1, u1 and v1; ""
// for a field of no layer.
func layerDepth(name string) string {
	base := strings.TrimRight(name, "0123456789")
	switch base {
	case "h", "z", "u", "v":
		return "h" + name[len(base):]
	}
	return ""
}
