package scale

import (
	"fmt"
	"math"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/atoll-hpc/atoll/config"
)

// smallerSets returns the overrides that give a case about a share of its cells, nil if it does not say how many it
// has, as with a mesh from a file.
func smallerSets(c *config.Case, share float64) []string {
	var sizes struct {
		Grid struct{ Cells []int }
		Mesh struct {
			File  string
			Cells int
		}
	}
	if toml.Unmarshal([]byte(c.String()), &sizes) != nil {
		return nil
	}
	if n := sizes.Mesh.Cells; n > 0 && sizes.Mesh.File == "" {
		return []string{fmt.Sprintf("mesh.cells=%d", int(float64(n)*share))}
	}
	dim := 0
	for _, n := range sizes.Grid.Cells {
		if n > 1 {
			dim++
		}
	}
	if dim == 0 {
		return nil
	}
	const multiple, least = 8, 16 // which grids with coarser levels can be divided into
	side := 1.0
	for pow(side, dim) > share {
		side *= .999
	}
	var cells []string
	for _, n := range sizes.Grid.Cells {
		if n > 1 {
			n = max(min(n, least), int(math.Round(float64(n)*side/multiple))*multiple)
		}
		cells = append(cells, fmt.Sprint(n))
	}
	return []string{fmt.Sprintf("grid.cells=[%s]", strings.Join(cells, ", "))}
}

func pow(x float64, n int) float64 {
	y := 1.0
	for range n {
		y *= x
	}
	return y
}
