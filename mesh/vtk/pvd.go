package vtk

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"github.com/atoll-hpc/atoll/internal/atomicfile"
	"github.com/atoll-hpc/atoll/mesh/vtk/internal/xmldata"
)

// Frame is an entry of a .pvd file: the data at one time.
type Frame struct {
	Time float64
	File string // such as a .vtu or .pvtu file, relative to the folder of the .pvd file
}

// Collection is a .pvd file to which frames are appended. It is valid after each frame.
type Collection struct {
	path   string
	frames []Frame
}

// NewCollection begins a .pvd file. The file is created, or replaced, when the first frame is appended.
func NewCollection(path string) *Collection { return &Collection{path: path} }

// ContinueCollection writes a .pvd file with the first frames of a series, to which more will be appended.
func ContinueCollection(path string, frames []Frame) (*Collection, error) {
	return &Collection{path, frames}, WritePVD(path, frames)
}

// OpenCollection continues an existing .pvd file, or begins a new one if the file does not exist.
func OpenCollection(path string) (*Collection, error) {
	c := NewCollection(path)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return c, nil
	}
	var err error
	c.frames, err = ReadPVD(path)
	return c, err
}

// Frames returns the frames in the file.
func (c *Collection) Frames() []Frame { return c.frames }

// Append adds a frame and rewrites the file. Earlier entries at the same or a later time are removed: a run that is
// restarted from a checkpoint writes them again.
func (c *Collection) Append(f Frame) error {
	n := len(c.frames)
	for n > 0 && c.frames[n-1].Time >= f.Time {
		n--
	}
	frames := append(c.frames[:n:n], f)
	if err := WritePVD(c.path, frames); err != nil {
		return err
	}
	c.frames = frames
	return nil
}

// Cut removes all frames but the first n. It is an error if there are fewer.
func (c *Collection) Cut(n int) error {
	if n > len(c.frames) {
		return fmt.Errorf("%s has %d frames, want at least %d", c.path, len(c.frames), n)
	}
	c.frames = c.frames[:n]
	return WritePVD(c.path, c.frames)
}

// WritePVD writes a series of frames. Times must increase, and files must be different.
func WritePVD(path string, frames []Frame) error {
	names := make([]string, len(frames))
	for i, f := range frames {
		names[i] = f.File
	}
	check := func() error {
		if err := checkSources(names); err != nil {
			return err
		}
		return checkTimes(frames)
	}
	return writeChecked(path, check, func(file *atomicfile.File) error { return writeFrames(file, frames) })
}

func writeFrames(file io.Writer, frames []Frame) error {
	d := newDocument("Collection", true)
	d.open("Collection")
	for _, f := range frames {
		d.empty("DataSet", "timestep", strconv.FormatFloat(f.Time, 'g', -1, 64), "group", "", "part", "0",
			"file", filepath.ToSlash(f.File))
	}
	return d.write(file)
}

func checkTimes(frames []Frame) error {
	for i, f := range frames {
		if f.Time-f.Time != 0 { // infinite or NaN
			return fmt.Errorf("frame %d has the time %g; want a finite number", i, f.Time)
		}
		if i > 0 && f.Time <= frames[i-1].Time {
			return fmt.Errorf("frame %d has the time %g, which is not after %g, the time of the frame before", i, f.Time,
				frames[i-1].Time)
		}
	}
	return nil
}

// ReadPVD reads the frames of a .pvd file, which must be in the order of time. File names are as in the file, relative
// to the folder of path. Errors name path and the element.
func ReadPVD(path string) ([]Frame, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	frames, err := parseFrames(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return frames, nil
}

func parseFrames(data []byte) ([]Frame, error) {
	root, _, err := xmldata.ParseTree(data, "Collection")
	if err != nil {
		return nil, err
	}
	collection, err := root.Needed("Collection")
	if err != nil {
		return nil, err
	}
	var frames []Frame
	for _, e := range collection.Children {
		if e.Tag != "DataSet" {
			return nil, e.Errorf("a Collection must have only DataSet elements")
		}
		f := Frame{File: filepath.FromSlash(e.Attribute("file"))}
		if f.File == "" {
			return nil, e.Errorf("the attribute file is missing")
		}
		value := e.Attribute("timestep")
		if f.Time, err = strconv.ParseFloat(value, 64); err != nil || f.Time-f.Time != 0 {
			return nil, e.Errorf("the attribute timestep=%q is not a finite number", value)
		}
		if n := len(frames); n > 0 && f.Time <= frames[n-1].Time {
			return nil, e.Errorf("the time %g is not after %g, the time of the frame before", f.Time, frames[n-1].Time)
		}
		frames = append(frames, f)
	}
	return frames, nil
}
