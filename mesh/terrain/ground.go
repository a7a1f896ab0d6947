package terrain

import "math"

// ground returns at each node of the grid how much the ground asks for small edges: the larger of the absolute second
// derivatives of its height, and the slope divided by the mean size, times a weight. Both are those of means over half
// the mean size, so that neither a wall nor noise of the measurement that triangles cannot show counts. The distance
// of the ground from the plane of a triangle with edges h is about an eighth of this times h². Unknown heights
// count as that of the node in their middle.
func (s *sizes) ground(height func(x, y, side float64) (float64, bool), mean, slope float64) []float64 {
	roughness := make([]float64, len(s.size))
	for row := range s.rows {
		side := max(mean/2*s.scale[row], s.step)
		d := side / s.scale[row]
		for column := range s.columns {
			x, y := s.node(column, row)
			centre, known := height(x, y, side)
			if !known {
				continue
			}
			var z [3][3]float64
			for j := range z {
				for i := range z[j] {
					if z[j][i], known = height(x+float64(i-1)*side, y+float64(j-1)*side, side); !known {
						z[j][i] = centre
					}
				}
			}
			xx, yy := (z[1][0]-2*z[1][1]+z[1][2])/(d*d), (z[0][1]-2*z[1][1]+z[2][1])/(d*d)
			xy := (z[2][2] - z[2][0] - z[0][2] + z[0][0]) / (4 * d * d)
			middle, radius := (xx+yy)/2, math.Hypot((xx-yy)/2, xy)
			gradient := math.Hypot(z[1][2]-z[1][0], z[2][1]-z[0][1]) / (2 * d)
			roughness[row*s.columns+column] = max(math.Abs(middle)+radius, slope*gradient/mean)
		}
	}
	return roughness
}
