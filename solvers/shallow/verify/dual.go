package verify

// dual is a value with its derivatives by x, y and t: automatic differentiation in forward mode.
type dual struct{ v, x, y, t float64 }

func constant(v float64) dual { return dual{v: v} }

func (a dual) plus(b dual) dual { return dual{a.v + b.v, a.x + b.x, a.y + b.y, a.t + b.t} }

func (a dual) minus(b dual) dual { return dual{a.v - b.v, a.x - b.x, a.y - b.y, a.t - b.t} }

func (a dual) times(b dual) dual {
	return dual{a.v * b.v, a.x*b.v + a.v*b.x, a.y*b.v + a.v*b.y, a.t*b.v + a.v*b.t}
}

func (a dual) scaled(s float64) dual { return dual{s * a.v, s * a.x, s * a.y, s * a.t} }
