package vtk

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds on the elements of a file. VTK nests five deep, and a file needs an element an array and a piece.
const (
	maxDepth    = 32
	maxElements = 1 << 20
)

// element is an XML element of a file.
type element struct {
	tag        string
	attributes []xml.Attr
	children   []*element
	text       []byte // character data
	at         int64  // byte offset in the file of the end of its start tag
}

// parseTree parses the elements of a VTK XML file of a kind that is one of kinds. Raw appended data are not XML, so
// parsing ends where they begin: appended is the element AppendedData, or nil.
func parseTree(data []byte, kinds ...string) (root, appended *element, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	var open []*element
	count := 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("byte %d: %w", dec.InputOffset(), err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			e := &element{tag: t.Name.Local, attributes: t.Attr, at: dec.InputOffset()}
			if count++; count > maxElements || len(open) >= maxDepth {
				return nil, nil, fmt.Errorf("byte %d: more than %d elements, or more than %d nested",
					e.at, maxElements, maxDepth)
			}
			if len(open) == 0 {
				if root != nil {
					return nil, nil, fmt.Errorf("byte %d: a second root element %q", e.at, e.tag)
				}
				root = e
				if err := checkRoot(root, kinds); err != nil {
					return nil, nil, err
				}
			} else {
				parent := open[len(open)-1]
				parent.children = append(parent.children, e)
			}
			if e.tag == "AppendedData" {
				if len(open) != 1 {
					return nil, nil, fmt.Errorf("byte %d: AppendedData is not a child of VTKFile", e.at)
				}
				return root, e, nil
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				e := open[len(open)-1]
				e.text = append(e.text, t...)
			}
		}
	}
	if root == nil {
		return nil, nil, errors.New("there is no element VTKFile")
	}
	return root, nil, nil
}

func checkRoot(root *element, kinds []string) error {
	if root.tag != "VTKFile" {
		return fmt.Errorf("byte %d: the root element is %q; needed is VTKFile, as the XML formats of VTK have it",
			root.at, root.tag)
	}
	kind := root.attribute("type")
	for _, k := range kinds {
		if kind == k {
			return nil
		}
	}
	return fmt.Errorf("byte %d: the file is of type %q; needed is %q", root.at, kind, kinds)
}

// attribute returns the value of an attribute, "" where there is none.
func (e *element) attribute(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// count returns an attribute that is a count, at most limit.
func (e *element) count(name string, limit int64) (int64, error) {
	value := e.attribute(name)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, e.errorf("the attribute %s=%q is not a count", name, value)
	}
	if n > limit {
		return 0, e.errorf("the attribute %s=%q is more than a file of this size can hold (%d)", name, value, limit)
	}
	return n, nil
}

// child returns the only child of that tag. It is an error if there are several; nil if there is none.
func (e *element) child(tag string) (found *element, err error) {
	for _, c := range e.children {
		if c.tag != tag {
			continue
		}
		if found != nil {
			return nil, c.errorf("a second one in %s", e.tag)
		}
		found = c
	}
	return found, nil
}

// needed returns the only child of that tag.
func (e *element) needed(tag string) (*element, error) {
	c, err := e.child(tag)
	if err == nil && c == nil {
		err = e.errorf("there is no element %s in it", tag)
	}
	return c, err
}

// errorf makes an error that names the element.
func (e *element) errorf(format string, args ...any) error {
	name := ""
	if n := e.attribute("Name"); n != "" {
		name = fmt.Sprintf(" %.60q", n)
	}
	return fmt.Errorf("byte %d: %s%s: %w", e.at, e.tag, name, fmt.Errorf(format, args...))
}
