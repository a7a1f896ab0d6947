package expr

// Most of the time of an evaluation is spent on calls from one term to the next. These terms take the place of two to
// four, with the same arithmetic.

// shifted is a coordinate plus a constant.
type shifted struct {
	coordinate byte // x, y, z or t; 0 for none
	shift      float64
}

// term returns a shifted coordinate as a term.
func (s shifted) term() term {
	shift, out := s.shift, term{shifted: s}
	switch plain := shift == 0; {
	case s.coordinate == 'x' && plain:
		out.eval = func(p point) float64 { return p.x }
	case s.coordinate == 'y' && plain:
		out.eval = func(p point) float64 { return p.y }
	case s.coordinate == 'z' && plain:
		out.eval = func(p point) float64 { return p.z }
	case s.coordinate == 't' && plain:
		out.eval = func(p point) float64 { return p.t }
	case s.coordinate == 'x':
		out.eval = func(p point) float64 { return p.x + shift }
	case s.coordinate == 'y':
		out.eval = func(p point) float64 { return p.y + shift }
	case s.coordinate == 'z':
		out.eval = func(p point) float64 { return p.z + shift }
	default:
		out.eval = func(p point) float64 { return p.t + shift }
	}
	return out
}

// square returns the square of a term.
func square(a term) number {
	s, f := a.shifted.shift, a.eval
	switch a.shifted.coordinate {
	case 'x':
		return func(p point) float64 { v := p.x + s; return v * v }
	case 'y':
		return func(p point) float64 { v := p.y + s; return v * v }
	case 'z':
		return func(p point) float64 { v := p.z + s; return v * v }
	}
	return func(p point) float64 { v := f(p); return v * v }
}

// withConstant returns the term of an operator applied to a term and a constant, if there is a shortcut for it.
func withConstant(operator string, a term, c float64) (t term, ok bool) {
	plain, f := a.shifted.coordinate != 0 && a.shifted.shift == 0, a.eval
	switch {
	case c == 0: // x + 0 is not x if x is -0
	case operator == "+" && plain:
		return shifted{a.shifted.coordinate, c}.term(), true
	case operator == "-" && plain:
		return shifted{a.shifted.coordinate, -c}.term(), true
	case operator == "+":
		return term{eval: func(p point) float64 { return f(p) + c }}, true
	case operator == "-":
		return term{eval: func(p point) float64 { return f(p) - c }}, true
	case operator == "*":
		return term{eval: func(p point) float64 { return f(p) * c }}, true
	case operator == "/":
		return term{eval: func(p point) float64 { return f(p) / c }}, true
	case (operator == "^" || operator == "**") && c == 2:
		return term{eval: square(a)}, true
	}
	return t, false
}
