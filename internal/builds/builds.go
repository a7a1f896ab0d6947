// Package builds provides binaries of atoll to tools that compare builds. Binary takes an existing binary, or builds
// one from a source folder or a commit.
package builds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binary returns the path of the binary that source names, and a line that describes it:
//
//   - a file is the binary itself or, if its name ends in .gz, the compressed binary,
//   - a folder with a go.mod is built in place, with changes that are not committed, and the binary is copied,
//   - anything else is a commit of the repository in the working directory, which is built in a folder of its own.
//
// Builds use the target build of the source's Makefile, so that each commit has its own flags. Binaries and the sources
// of commits are written to dir/name.
func Binary(ctx context.Context, source, dir, name string) (path, description string, err error) {
	folder := filepath.Join(dir, name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", "", err
	}
	if info, err := os.Stat(source); err == nil && info.Mode().IsRegular() {
		if filepath.Ext(source) == ".gz" {
			path = filepath.Join(folder, "atoll")
			return path, source, unpack(source, path)
		}
		path, err = filepath.Abs(source)
		return path, source, err
	}
	tree, description := source, "the working tree "+source
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
		tree = filepath.Join(folder, "source")
		if description, err = checkOut(ctx, source, tree); err != nil {
			return "", "", err
		}
	}
	if _, err := output(ctx, "make", "-C", tree, "--no-print-directory", "build"); err != nil {
		return "", "", fmt.Errorf("building %s: %w", source, err)
	}
	path = filepath.Join(folder, "atoll")
	return path, description, Copy(filepath.Join(tree, "bin", "atoll"), path)
}

// checkOut writes the files of a commit to the folder tree, and returns the commit's short hash and subject.
func checkOut(ctx context.Context, commit, tree string) (description string, err error) {
	description, err = output(ctx, "git", "log", "-1", "--format=%h %s", commit, "--")
	if err != nil {
		return "", fmt.Errorf("%s is not a binary, a folder with a go.mod or a commit: %w", commit, err)
	}
	archive := tree + ".tar"
	if err := os.MkdirAll(tree, 0o777); err != nil {
		return "", err
	}
	root, err := output(ctx, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	if _, err := output(ctx, "git", "-C", root, "archive", "--format=tar", "-o", archive, commit); err != nil {
		return "", err
	}
	if _, err := output(ctx, "tar", "-xf", archive, "-C", tree); err != nil {
		return "", err
	}
	return description, os.Remove(archive)
}

// output runs a command and returns the last line of its output. The error has the last line of its standard error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", name, err, LastLine(exit.Stderr))
	}
	return LastLine(text), err
}

// LastLine returns the last line of a text that is not blank.
func LastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
