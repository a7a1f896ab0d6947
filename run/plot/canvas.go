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

// tell leaves a note for the user, once.
func (c *canvas) tell(format string, args ...any) { note(&c.Notes, fmt.Sprintf(format, args...)) }

// leftOut tells that a picture by logarithms has nothing to show, and notes it, where all is drawn that there is.
func (c *canvas) leftOut(name string, err error) bool {
	if !errors.Is(err, chart.ErrNoLogarithm) || !c.options.everything() {
		return false
	}
	c.tell("%s is left out: %v", name, err)
	return true
}

// canvas takes pictures and writes them.
type canvas struct {
	Result
	options *Options
	into    string // the folder, where the options name none
	single  []drawn
	films   []*drawnFilm
}

// drawn is a picture that is to be the only one.
type drawn struct {
	name    string
	picture *figure.Figure
}

// drawnFilm is a film in the making.
type drawnFilm struct {
	name string
	figure.Film
}

// save writes a picture by its name, or adds it to the film of that name, of frames with a number.
func (c *canvas) save(name string, frame int, picture *figure.Figure) error {
	if c.options.film() {
		if frame < 0 {
			return nil
		}
		for _, f := range c.films {
			if f.name == name {
				return f.Add(picture)
			}
		}
		f := &drawnFilm{name: name}
		c.films = append(c.films, f)
		return f.Add(picture)
	}
	if frame >= 0 {
		name = fmt.Sprintf("%s-%04d", name, frame)
	}
	if c.options.Out != "" {
		c.single = append(c.single, drawn{name, picture})
		return nil
	}
	return c.write(name, picture.Write)
}

// write writes a file of a name.
func (c *canvas) write(name string, write func(path string) error) error {
	path := c.options.Out
	if path == "" {
		dir := c.options.Dir
		if dir == "" {
			dir = c.into
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

// finish writes what waited for all to be drawn.
func (c *canvas) finish() error {
	var names []string
	for _, d := range c.single {
		names = append(names, d.name)
	}
	for _, f := range c.films {
		names = append(names, f.name)
	}
	if c.options.Out != "" && len(names) != 1 {
		return fmt.Errorf("%s is one picture, and this draws %d: %s; choose one by --field, --gauge or --column, "+
			"or leave --out away", c.options.Out, len(names), strings.Join(names, ", "))
	}
	for _, d := range c.single {
		if err := c.write(d.name, d.picture.Write); err != nil {
			return err
		}
	}
	rate := c.options.Rate
	if rate == 0 {
		rate = 10
	}
	for _, f := range c.films {
		if err := c.write(f.name, func(path string) error { return f.Write(path, rate) }); err != nil {
			return err
		}
	}
	if len(c.Files) == 0 {
		return errors.New("nothing was drawn: what was asked for is in no frame, gauge or table")
	}
	return nil
}

// fileName replaces what does not belong in the name of a file.
func fileName(s string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || strings.ContainsRune(`/\:*?"<>|`, c) {
			return '_'
		}
		return c
	}, s)
}
