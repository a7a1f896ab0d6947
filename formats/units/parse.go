package units

import (
	"math"
	"strconv"
	"strings"

	"github.com/atoll-hpc/atoll/internal/pattern"
)

// parse reads a unit.
func parse(text string) (unit, bool) {
	text = strings.TrimSpace(spellings.Replace(strings.TrimSpace(text)))
	p := parser{rest: text}
	if u, ok := p.product(); ok && p.rest == "" && text != "" {
		return u, true
	}
	if short := datum().ReplaceAllString(text, ""); short != text && short != "" {
		return parse(short)
	}
	return unit{}, false
}

// parser reads a product of powers of units, and quotients of products. The sign of division belongs to the next factor
// alone, as in UDUNITS: J/kg K is J K/kg.
type parser struct {
	rest  string
	depth int // of parentheses
}

var (
	perWord  = pattern.Of(`^\s*(?:/|\bper\b)\s*`)
	mulWord  = pattern.Of(`^(?:\s*[.*]\s*|\s+)`)
	unitName = pattern.Of(`^(?:[\pL_°%'µμ]+(?:-ft|_\d+)?|-)`)
	factor   = pattern.Of(`^(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?`)
	exponent = pattern.Of(`^(?:\s*\^\s*)?\(?([+-]?\d+(?:\.\d+)?)(?:/(\d+))?\)?`)
	powerOf  = pattern.Of(`^\s*\^`)
)

const maxDepth = 20

func (p *parser) product() (unit, bool) {
	product, ok := p.power()
	for ok && p.rest != "" && p.rest[0] != ')' {
		sign := 1.
		if m := perWord().FindString(p.rest); m != "" {
			p.rest, sign = p.rest[len(m):], -1
		} else if m := mulWord().FindString(p.rest); m != "" {
			p.rest = p.rest[len(m):]
		} else {
			return unit{}, false
		}
		var u unit
		if u, ok = p.power(); ok {
			product = product.times(u, sign)
		}
	}
	return product, ok
}

// power reads a unit, a number or a product in parentheses, with an exponent.
func (p *parser) power() (unit, bool) {
	u, ok := unit{factor: 1}, true
	switch {
	case p.depth < maxDepth && strings.HasPrefix(p.rest, "("):
		p.rest = p.rest[1:]
		p.depth++
		u, ok = p.product()
		p.depth--
		if !ok || !strings.HasPrefix(p.rest, ")") {
			return u, false
		}
		p.rest = p.rest[1:]
	case factor().MatchString(p.rest):
		m := factor().FindString(p.rest)
		p.rest = p.rest[len(m):]
		v, err := strconv.ParseFloat(m, 64)
		u.factor = v
		if ok = err == nil && v > 0; ok && unitName().MatchString(p.rest) { // the 5 min of mm/5min
			u, ok = p.power()
			u.factor *= v
			return u, ok
		}
		if !ok || !powerOf().MatchString(p.rest) {
			return u, ok
		}
	default:
		name := unitName().FindString(p.rest)
		p.rest = p.rest[len(name):]
		if u, ok = named(name); !ok {
			return u, false
		}
	}
	if m := exponent().FindStringSubmatch(p.rest); m != nil {
		p.rest = p.rest[len(m[0]):]
		n, _ := strconv.ParseFloat(m[1], 64)
		if divisor, err := strconv.ParseFloat(m[2], 64); err == nil {
			n /= divisor
		}
		return unit{factor: 1}.times(u, n), math.Abs(n) <= 12
	}
	return u, !powerOf().MatchString(p.rest)
}

// times returns u times a power of v.
func (u unit) times(v unit, n float64) unit {
	u.factor *= math.Pow(v.factor, n)
	for k := range u.powers {
		u.powers[k] += n * v.powers[k]
	}
	return u
}
