// Package builds makes a binary of atoll from what a developer names: a binary, a folder with the sources, or a commit.
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

// Binary returns the path of the binary that what names, and a line that says what it is:
//
//   - a file is the binary itself, or holds it compressed if its name ends in .gz,
//   - a folder with a go.mod is built where it is, changes that are not committed included, and the binary copied,
//   - anything else is a commit of the repository around the working folder, whose tree is built in a folder of its
//     own.
//
// Builds go by the target build of the tree's own Makefile, so that each commit has its own flags. They and their
// sources go into dir/name.
func Binary(ctx context.Context, what, dir, name string) (path, line string, err error) {
	into := filepath.Join(dir, name)
	if err := os.MkdirAll(into, 0o777); err != nil {
		return "", "", err
	}
	if info, err := os.Stat(what); err == nil && info.Mode().IsRegular() {
		if filepath.Ext(what) == ".gz" {
			path = filepath.Join(into, "atoll")
			return path, what, unpack(what, path)
		}
		path, err = filepath.Abs(what)
		return path, what, err
	}
	tree, line := what, "the working tree "+what
	if _, err := os.Stat(filepath.Join(what, "go.mod")); err != nil {
		tree = filepath.Join(into, "source")
		if line, err = checkOut(ctx, what, tree); err != nil {
			return "", "", err
		}
	}
	if _, err := output(ctx, "make", "-C", tree, "--no-print-directory", "build"); err != nil {
		return "", "", fmt.Errorf("building %s: %w", what, err)
	}
	path = filepath.Join(into, "atoll")
	return path, line, Copy(filepath.Join(tree, "bin", "atoll"), path)
}

// checkOut puts the files of a commit into a folder, and says what commit it is.
func checkOut(ctx context.Context, commit, tree string) (line string, err error) {
	line, err = output(ctx, "git", "log", "-1", "--format=%h %s", commit, "--")
	if err != nil {
		return "", fmt.Errorf("%s is no binary, no folder with a go.mod and no commit: %w", commit, err)
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
	return line, os.Remove(archive)
}

// output runs a command and returns what it prints; what it complains of is part of the error.
func output(ctx context.Context, name string, args ...string) (string, error) {
	text, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s: %w: %s", name, err, LastLine(exit.Stderr))
	}
	return LastLine(text), err
}

// LastLine is the last line of a text with anything in it.
func LastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
