package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// provideMeshes makes the missing mesh files of cases. If one cannot be made, it sets the case's skip.
func provideMeshes(tasks []*task) (err error) {
	for _, t := range tasks {
		if t.file == "" {
			continue
		}
		if t.skip, err = provideMesh(t.file); err != nil {
			return err
		}
	}
	return nil
}

// provideMesh makes the mesh file of a case with gmsh, if the file is missing and its geometry exists. If gmsh is not
// installed it returns a reason to skip the case.
func provideMesh(path string) (skip string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var c struct{ Mesh struct{ File string } }
	if err := toml.Unmarshal(text, &c); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	mesh := filepath.Join(filepath.Dir(path), filepath.FromSlash(c.Mesh.File))
	geometry := strings.TrimSuffix(mesh, filepath.Ext(mesh)) + ".geo"
	if c.Mesh.File == "" || exists(mesh) || !exists(geometry) {
		return "", nil
	}
	if _, err := exec.LookPath("gmsh"); err != nil {
		return fmt.Sprintf("%s is missing, and gmsh, which makes it, is not installed", c.Mesh.File), nil
	}
	// For a plane geometry, -3 gives the same mesh as -2.
	if text, err := exec.Command("gmsh", "-3", "-format", "msh41", geometry, "-o", mesh).CombinedOutput(); err != nil {
		return "", fmt.Errorf("gmsh %s: %w: %s", geometry, err, text)
	}
	return "", nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
