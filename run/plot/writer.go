package plot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/atoll-hpc/atoll/run/plot/chart"
	"github.com/atoll-hpc/atoll/run/plot/figure"
)

// addNote adds a note for the user, unless it is there already.
func (c *pictureWriter) addNote(format string, args ...any) {
	addUnique(&c.Notes, fmt.Sprintf(format, args...))
}

// skipWithNote reports whether err says that a logarithmic plot has nothing to show, and the user did not ask for that
// plot by name. It adds a note.
func (c *pictureWriter) skipWithNote(name string, err error) bool {
	if !errors.Is(err, chart.ErrNoLogarithm) || !c.options.drawsEverything() {
		return false
	}
	c.addNote("%s is left out: %v", name, err)
	return true
}

// pictureWriter names pictures and writes them to files.
type pictureWriter struct {
	Result
	options     *Options
	defaultDir  string            // the folder if the options name none
	outPictures []namedFigure     // pictures for the file Out, which may hold only one
	animations  []*namedAnimation // written by finish
}

// namedFigure is a picture with its name.
type namedFigure struct {
	name    string
	picture *figure.Figure
}

// namedAnimation is an animation with its name.
type namedAnimation struct {
	name string
	figure.Animation
}

// save writes a picture to a file with its name, or adds it to the animation with its name. frame is the number of its
// frame, -1 for none; animations have only pictures of frames.
func (c *pictureWriter) save(name string, frame int, picture *figure.Figure) error {
	if c.options.isAnimation() {
		if frame < 0 {
			return nil
		}
		for _, f := range c.animations {
			if f.name == name {
				return f.Add(picture)
			}
		}
		f := &namedAnimation{name: name}
		c.animations = append(c.animations, f)
		return f.Add(picture)
	}
	if frame >= 0 {
		name = fmt.Sprintf("%s-%04d", name, frame)
	}
	if c.options.Out != "" {
		c.outPictures = append(c.outPictures, namedFigure{name, picture})
		return nil
	}
	return c.write(name, picture.Write)
}

// write writes the file of a picture.
func (c *pictureWriter) write(name string, write func(path string) error) error {
	path := c.options.Out
	if path == "" {
		dir := c.options.Dir
		if dir == "" {
			dir = c.defaultDir
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		path = filepath.Join(dir, fileName(name)+"."+c.options.Format)
	}
	if err := write(path); err != nil {
		return err
	}
	c.Files = append(c.Files, path)
	return nil
}

// finish writes animations and the picture for the file Out.
func (c *pictureWriter) finish() error {
	var names []string
	for _, d := range c.outPictures {
		names = append(names, d.name)
	}
	for _, f := range c.animations {
		names = append(names, f.name)
	}
	if c.options.Out != "" && len(names) != 1 {
		return fmt.Errorf("--out %s is for a single picture, but there are %d: %s; choose one with --field, --gauge or "+
			"--column, or omit --out", c.options.Out, len(names), strings.Join(names, ", "))
	}
	for _, d := range c.outPictures {
		if err := c.write(d.name, d.picture.Write); err != nil {
			return err
		}
	}
	rate := c.options.Rate
	if rate == 0 {
		rate = 10
	}
	for _, f := range c.animations {
		if err := c.write(f.name, func(path string) error { return f.Write(path, rate) }); err != nil {
			return err
		}
	}
	if len(c.Files) == 0 {
		return errors.New("nothing was drawn: no frame, gauge or table has the requested data")
	}
	return nil
}

// fileName replaces characters that are not allowed in file names.
func fileName(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, s)
}
