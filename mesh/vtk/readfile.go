package vtk

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// parser decodes the elements and appended data of a file.
type parser[T any] func(file []byte, root, appended *xmldata.Element) (T, error)

// indexReader reads the pieces that the index file at path lists.
type indexReader[T any] func(path string, root *xmldata.Element) (T, error)

// readFile reads a file of type kind. If index is not nil, it may also be an index of such files.
func readFile[T any](path, kind string, parse parser[T], index indexReader[T]) (data T, err error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return data, err
	}
	kinds := []string{kind}
	if index != nil {
		kinds = append(kinds, "P"+kind)
	}
	root, appended, err := xmldata.ParseTree(file, kinds...)
	if err == nil && root.Attribute("type") == kind {
		data, err = parse(file, root, appended)
	}
	if err != nil {
		return data, fmt.Errorf("%s: %w", path, err)
	}
	if root.Attribute("type") != kind {
		return index(path, root)
	}
	return data, nil
}

// readPieces reads the files that an index lists. They must have the given type and cannot be indices, since an index
// could then list itself.
func readPieces[T any](index string, names []string, kind string, parse parser[T]) ([]T, error) {
	pieces := make([]T, len(names))
	for i, name := range names {
		if !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(index), name)
		}
		var err error
		if pieces[i], err = readFile(name, kind, parse, nil); err != nil {
			return nil, fmt.Errorf("%s: piece %d: %w", index, i, err)
		}
	}
	return pieces, nil
}
