// Package xmldata has the common parts of the XML formats of VTK: ParseTree reads the tree of Elements of a file; a
// Codec decodes arrays of numbers (Values) in text, base64 or raw data, compressed or not; a block writer compresses
// them.
package xmldata

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Bounds on the elements of a file. VTK nests up to five levels, and a file has an element for each array and each
// piece.
const (
	MaxDepth    = 32
	MaxElements = 1 << 20
)

// Element is an XML element of a file.
type Element struct {
	Tag        string
	attributes []xml.Attr
	Children   []*Element
	text       []byte // character data
	offset     int64  // byte offset in the file of the end of its start tag
}

// ParseTree parses the elements of a VTK XML file whose type is one of kinds. Parsing ends at the appended data, which
// are not XML: appended is the element AppendedData, or nil.
func ParseTree(data []byte, kinds ...string) (root, appended *Element, err error) {
	dec := xml.NewDecoder(bytes.NewReader(data))
	var open []*Element
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
			e := &Element{Tag: t.Name.Local, attributes: t.Attr, offset: dec.InputOffset()}
			if count++; count > MaxElements || len(open) >= MaxDepth {
				return nil, nil, fmt.Errorf("byte %d: more than %d elements, or more than %d nested",
					e.offset, MaxElements, MaxDepth)
			}
			if len(open) == 0 {
				if root != nil {
					return nil, nil, fmt.Errorf("byte %d: a second root element %q", e.offset, e.Tag)
				}
				root = e
				if err := checkRoot(root, kinds); err != nil {
					return nil, nil, err
				}
			} else {
				parent := open[len(open)-1]
				parent.Children = append(parent.Children, e)
			}
			if e.Tag == "AppendedData" {
				if len(open) != 1 {
					return nil, nil, fmt.Errorf("byte %d: AppendedData is not a child of VTKFile", e.offset)
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
		return nil, nil, errors.New("the file has no element VTKFile")
	}
	return root, nil, nil
}

func checkRoot(root *Element, kinds []string) error {
	if root.Tag != "VTKFile" {
		return fmt.Errorf("byte %d: the root element is %q; want VTKFile: not an XML file of VTK", root.offset, root.Tag)
	}
	kind := root.Attribute("type")
	for _, k := range kinds {
		if kind == k {
			return nil
		}
	}
	return fmt.Errorf("byte %d: the file is of type %q; want one of %q", root.offset, kind, kinds)
}

// Attribute returns the value of an attribute, "" if the element does not have it.
func (e *Element) Attribute(name string) string {
	for _, a := range e.attributes {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Count returns an attribute that is a number from 0 to limit.
func (e *Element) Count(name string, limit int64) (int64, error) {
	value := e.Attribute(name)
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || n < 0 {
		return 0, e.Errorf("the attribute %s=%q is not a count", name, value)
	}
	if n > limit {
		return 0, e.Errorf("the attribute %s=%q is more than a file of this size can hold (%d)", name, value, limit)
	}
	return n, nil
}

// Child returns the only child with a tag, nil if there is none. It is an error if there are several.
func (e *Element) Child(tag string) (found *Element, err error) {
	for _, c := range e.Children {
		if c.Tag != tag {
			continue
		}
		if found != nil {
			return nil, c.Errorf("a second element %s in %s", tag, e.Tag)
		}
		found = c
	}
	return found, nil
}

// Needed returns the only child with a tag. It is an error if there is none.
func (e *Element) Needed(tag string) (*Element, error) {
	c, err := e.Child(tag)
	if err == nil && c == nil {
		err = e.Errorf("no element %s in it", tag)
	}
	return c, err
}

// Errorf returns an error that names the element and its position.
func (e *Element) Errorf(format string, args ...any) error {
	name := ""
	if n := e.Attribute("Name"); n != "" {
		name = fmt.Sprintf(" %.60q", n)
	}
	return fmt.Errorf("byte %d: %s%s: %w", e.offset, e.Tag, name, fmt.Errorf(format, args...))
}
