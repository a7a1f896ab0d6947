package epsg

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// System is what a description of a coordinate reference system says about it.
type System struct {
	Code   int    // of EPSG; 0 if it has none
	Unit   string // of its horizontal coordinates: m, degree, foot, US survey foot or another name
	Height Height // of its vertical part, with the unit "" if it has none
}

// ParsePRJ reads the text of a file .prj: well-known text (WKT) of OGC or ESRI, 1 or 2, or the lines of names and
// values that ArcInfo writes, such as "Units METERS".
func ParsePRJ(text string) (System, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	if !strings.ContainsAny(text, "[(") {
		return parseLines(text)
	}
	p := wktParser{rest: text}
	root, err := p.node(0)
	if err != nil {
		return System{}, err
	}
	s, err := root.system()
	if err != nil {
		return s, err
	}
	s.Height = root.height()
	if p.space(); strings.HasPrefix(p.rest, ",") { // a vertical system after the horizontal one, as ESRI writes it
		p.rest = p.rest[1:]
		if second, err := p.node(0); err == nil && s.Height.Unit == "" {
			s.Height = second.height()
		}
	}
	return s, nil
}

// height returns what the vertical system in a node has.
func (n *wktNode) height() (h Height) {
	switch n.keyword {
	case "VERT_CS", "VERTCS", "VERTCRS", "VERTICALCRS":
		h.Unit = n.unit("m")
		if axis := n.child("AXIS"); axis != nil && slices.ContainsFunc(axis.values, func(v string) bool {
			return strings.EqualFold(v, "down")
		}) {
			h.Down = true
		}
		for _, p := range n.nodes { // of ESRI: 1 for heights, -1 for depths
			if p.keyword == "PARAMETER" && len(p.values) > 1 && strings.EqualFold(p.values[0], "Direction") &&
				strings.HasPrefix(p.values[1], "-") {
				h.Down = true
			}
		}
		return h
	}
	for i := range n.nodes {
		if h := n.nodes[i].height(); h.Unit != "" {
			return h
		}
	}
	return Height{}
}

// parseLines reads the lines of ArcInfo.
func parseLines(text string) (s System, err error) {
	for line := range strings.Lines(text) {
		words := strings.Fields(strings.ToUpper(line))
		if len(words) < 2 {
			continue
		}
		switch value := words[1]; {
		case words[0] == "PROJECTION" && strings.HasPrefix(value, "GEOGRAPHIC"):
			s.Unit = "degree"
		case words[0] == "ZUNITS":
			s.Height.Unit = map[string]string{"METERS": "m", "METRES": "m", "FEET": "foot"}[value]
			if perMetre, err := strconv.ParseFloat(value, 64); err == nil && perMetre > 0 {
				s.Height.Unit = strconv.FormatFloat(1/perMetre, 'g', -1, 64) + " m"
			}
		case words[0] == "UNITS":
			known := map[string]string{"METERS": "m", "METRES": "m", "METER": "m", "M": "m", "FEET": "foot", "FOOT": "foot",
				"DD": "degree", "DEGREES": "degree", "DS": "arc second", "DM": "arc minute", "RADIANS": "radian"}
			if s.Unit = known[value]; s.Unit == "" {
				s.Unit = strings.ToLower(value)
			}
		}
	}
	if s.Unit == "" {
		return s, errors.New("it has neither well-known text nor a line with Units")
	}
	return s, nil
}

// wktNode is KEYWORD["text", number, NODE[...], ...].
type wktNode struct {
	keyword string   // in upper case
	values  []string // texts and numbers
	nodes   []wktNode
}

// child returns the first node with one of the keywords, or nil.
func (n *wktNode) child(keywords ...string) *wktNode {
	for i := range n.nodes {
		for _, keyword := range keywords {
			if n.nodes[i].keyword == keyword {
				return &n.nodes[i]
			}
		}
	}
	return nil
}

// system returns what a node says, or the first horizontal system in it.
func (n *wktNode) system() (s System, err error) {
	switch n.keyword {
	case "PROJCS", "PROJCRS", "PROJECTEDCRS", "DERIVEDPROJCRS", "LOCAL_CS", "ENGCRS", "ENGINEERINGCRS":
		s.Unit = n.unit("m")
	case "GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS":
		s.Unit = n.unit("degree")
	case "COMPD_CS", "COMPOUNDCRS", "BOUNDCRS", "SOURCECRS":
		for i := range n.nodes {
			if s, err = n.nodes[i].system(); err == nil {
				return s, nil
			}
		}
		return s, fmt.Errorf("%s has no horizontal system", n.keyword)
	default:
		return s, fmt.Errorf("%.40s is no coordinate reference system of a raster", n.keyword)
	}
	if id := n.child("AUTHORITY", "ID"); id != nil && len(id.values) > 1 && strings.EqualFold(id.values[0], "EPSG") {
		if code, err := strconv.Atoi(id.values[1]); err == nil && code > 0 {
			s.Code = code
		}
	}
	return s, nil
}

// unit returns the unit of a system, whose usual unit is m or degree: that of the system, or else of its first axis.
func (n *wktNode) unit(usual string) string {
	keywords := []string{"UNIT", "LENGTHUNIT", "ANGLEUNIT"}
	u := n.child(keywords...)
	if axis := n.child("AXIS"); u == nil && axis != nil {
		u = axis.child(keywords...)
	}
	if u == nil || len(u.values) < 2 {
		return usual
	}
	factor, err := strconv.ParseFloat(u.values[1], 64)
	if err != nil {
		return usual
	}
	for name, known := range map[string]float64{"m": 1, "foot": .3048, "US survey foot": 1200. / 3937,
		"degree": math.Pi / 180, "km": 1000} {
		if isAngle := name == "degree"; isAngle == (usual == "degree") && math.Abs(factor/known-1) < 1e-7 {
			return name
		}
	}
	return strings.ReplaceAll(u.values[0], "_", " ")
}

// wktParser takes well-known text apart.
type wktParser struct{ rest string }

// maxDepth bounds how deep nodes are nested.
const maxDepth = 32

func (p *wktParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

// node reads a node with its brackets.
func (p *wktParser) node(depth int) (n wktNode, err error) {
	p.space()
	at := strings.IndexAny(p.rest, "[(")
	if at < 0 || depth > maxDepth {
		return n, fmt.Errorf("%.20q is not well-known text", p.rest)
	}
	n.keyword = strings.ToUpper(strings.TrimSpace(p.rest[:at]))
	p.rest = p.rest[at+1:]
	for {
		p.space()
		if p.rest == "" {
			return n, fmt.Errorf("the text ends within %.20s", n.keyword)
		}
		switch c := p.rest[0]; {
		case c == ']' || c == ')':
			p.rest = p.rest[1:]
			return n, nil
		case c == ',':
			p.rest = p.rest[1:]
		case c == '"':
			text, after, closed := strings.Cut(p.rest[1:], `"`)
			if !closed {
				return n, fmt.Errorf("a quotation mark of %.20s is not closed", n.keyword)
			}
			n.values, p.rest = append(n.values, text), after
		default:
			end := strings.IndexAny(p.rest, ",[]()\"")
			if end >= 0 && (p.rest[end] == '[' || p.rest[end] == '(') {
				child, err := p.node(depth + 1)
				if err != nil {
					return n, err
				}
				n.nodes = append(n.nodes, child)
				continue
			}
			if end < 0 {
				end = len(p.rest)
			}
			n.values, p.rest = append(n.values, strings.TrimSpace(p.rest[:end])), p.rest[end:]
			if end == 0 {
				return n, fmt.Errorf("%.20q is not well-known text", p.rest)
			}
		}
	}
}
