package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/builds"
)

// packInto writes all that a comparison needs to the folder of --pack: this program, both builds compressed, and the
// examples with their meshes.
func (o *options) packInto(ctx context.Context, before, after, cases, temporary string) error {
	if err := os.MkdirAll(o.pack, 0o777); err != nil {
		return err
	}
	for name, source := range map[string]string{"old": before, "new": after} {
		binary, _, err := builds.Binary(ctx, source, filepath.Join(temporary, "builds"), name)
		if err == nil {
			err = builds.Pack(binary, filepath.Join(o.pack, name+".gz"))
		}
		if err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	examples := filepath.Join(o.pack, "examples")
	if err := os.RemoveAll(examples); err != nil {
		return err
	}
	return errors.Join(builds.Copy(self, filepath.Join(o.pack, "compare-results")),
		os.CopyFS(examples, os.DirFS(filepath.Join(cases, "examples"))))
}

// examplesFolder returns the folder of --examples or, by default, the folder examples beside this program, which --pack
// makes, or else in the working directory.
func (o *options) examplesFolder() string {
	if o.examples != "" {
		return o.examples
	}
	if self, err := os.Executable(); err == nil && exists(filepath.Join(filepath.Dir(self), "examples")) {
		return filepath.Join(filepath.Dir(self), "examples")
	}
	return "examples"
}
