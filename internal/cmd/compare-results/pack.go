package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/atoll-hpc/atoll/internal/builds"
)

// packInto puts what a comparison needs into the folder of --pack: this program, both builds compressed, and the
// examples with the meshes that gmsh has made of them.
func (o *options) packInto(ctx context.Context, before, after, cases, temporary string) error {
	if err := os.MkdirAll(o.pack, 0o777); err != nil {
		return err
	}
	for name, what := range map[string]string{"old": before, "new": after} {
		binary, _, err := builds.Binary(ctx, what, filepath.Join(temporary, "builds"), name)
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

// folderOfExamples is the one that is asked for, else that of a folder made by --pack, else that of the repository.
func (o *options) folderOfExamples() string {
	if o.examples != "" {
		return o.examples
	}
	if self, err := os.Executable(); err == nil && exists(filepath.Join(filepath.Dir(self), "examples")) {
		return filepath.Join(filepath.Dir(self), "examples")
	}
	return "examples"
}
