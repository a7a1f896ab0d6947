package solvers

import "fmt"

// Count is a number of things in words: 1 rank, 2 ranks, 3 vertices, 4 tetrahedra.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	switch what {
	case "vertex":
		what = "vertices"
	case "tetrahedron":
		what = "tetrahedra"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
