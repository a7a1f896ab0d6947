package config

import "github.com/atoll-hpc/atoll/config/expr"

// decodeExact reads the section [exact]. Its keys are names of fields, its values their exact solutions: numbers or
// expressions over x, y, z and t.
func decodeExact(s *Section, fields []string) []Field {
	var exact []Field
	for _, name := range fields {
		s.Know(name)
		s.declare(Key{Name: name, Kind: Expression, Doc: "the exact solution at the end, over x, y, z and t"})
		if !s.Has(name) {
			continue
		}
		f := s.Formula(name, s.TimeField(name, "", nil, ""))
		if f.Program == nil { // not an expression, or an invalid one: the problem has been recorded
			f.Program, _ = expr.Compile("0")
		}
		exact = append(exact, f)
	}
	s.Finish()
	return exact
}

// printExact writes the section if the case has it.
func (c *Case) printExact(p *Printer) {
	if len(c.Exact) == 0 {
		return
	}
	p.Section("[exact]")
	for _, f := range c.Exact {
		p.Pair(f.Name, f)
	}
}
