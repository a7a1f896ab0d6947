package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atoll-hpc/atoll/run/checkpoint"
	"github.com/atoll-hpc/atoll/run/folder"
)

// runWithCheckpoints runs smallCase with several checkpoints in the folder out, and returns the folder above.
func runWithCheckpoints(t *testing.T) (dir string) {
	t.Helper()
	dir = caseFile(t, smallCase)
	c := atoll(t, dir, nil, "run", "case.toml", "-q", "--ranks", "2", "--set", "checkpoint.steps=9", "--set",
		"checkpoint.keep=100")
	if code := c.code(t); code != exitDone {
		t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
	return dir
}

func checkpointsIn(t *testing.T, dir string) []string {
	t.Helper()
	files, err := checkpoint.List(filepath.Join(dir, "out"))
	if err != nil || len(files) < 3 {
		t.Fatalf("checkpoints %v, %v", files, err)
	}
	return files
}

// TestReplay: replay of an interval, on another number of ranks, writes the same gauge rows as the run did there,
// and does not change the run's files.
func TestReplay(t *testing.T) {
	dir := runWithCheckpoints(t)
	c := atoll(t, dir, nil, "replay", "out", "--from", "0.1", "--until", "0.15",
		"--gauge", "0.1,0.2", "--ranks", "3", "-q")
	if code := c.code(t); code != exitDone {
		t.Fatalf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
	rows := func(file string) []string {
		text, err := os.ReadFile(filepath.Join(dir, "out", file))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	var want []string
	pastEnd := false
	for k, row := range rows("gauges/centre.csv") {
		first, _, _ := strings.Cut(row, ",")
		rowTime, err := strconv.ParseFloat(first, 64)
		if k > 0 && err != nil {
			t.Fatal(err)
		}
		if k == 0 || rowTime >= .1 && !pastEnd {
			want = append(want, row)
		}
		pastEnd = pastEnd || k > 0 && rowTime >= .15
	}
	got := rows("replay/gauges/replay1.csv")
	if len(got) < 5 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the gauge has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := stateOf(t, dir); got != "done" {
		t.Errorf("the folder of the run is %s", got)
	}
}

// TestAudit: audit recomputes the saved states, on another number of ranks too, and detects one flipped bit.
func TestAudit(t *testing.T) {
	dir := runWithCheckpoints(t)
	files := checkpointsIn(t, dir)
	c := atoll(t, dir, nil, "audit", "out", "--ranks", "3")
	if code := c.code(t); code != exitDone || strings.Count(c.stdout.String(), "the same") != len(files) {
		t.Errorf("exit code %d, stdout\n%s", code, c.stdout.String())
	}
	flipBit(t, files[1])
	c = atoll(t, dir, nil, "checkpoint", "verify", "out")
	if code := c.code(t); code != exitFailed || !strings.Contains(c.stdout.String(), "the hash of its state is ") {
		t.Errorf("with a flipped bit: exit code %d, stdout\n%s", code, c.stdout.String())
	}
	c = atoll(t, dir, nil, "audit", "out")
	if code := c.code(t); code != exitFailed || strings.Count(c.stdout.String(), "DIFFERENT") != 1 {
		t.Errorf("with a flipped bit: exit code %d, stdout\n%s", code, c.stdout.String())
	}
}

// flipBit changes one bit of a cell in a checkpoint, and updates the checksums and the index's seal to match, so that
// only the hash of the state detects the change.
func flipBit(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	indexOffset := binary.LittleEndian.Uint64(text[len(text)-32:])
	table := crc32.MakeTable(crc32.Castagnoli)
	var index map[string]any
	d := json.NewDecoder(bytes.NewReader(text[indexOffset : len(text)-32]))
	d.UseNumber()
	if err := d.Decode(&index); err != nil {
		t.Fatal(err)
	}
	blob := index["blocks"].([]any)[0].(map[string]any)["fields"].([]any)[0].(map[string]any)
	begin, err := blob["at"].(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	n, err := blob["len"].(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	delete(index, "seal")
	text[begin] ^= 1
	blob["crc32c"] = crc32.Checksum(text[begin:begin+n], table)
	coded, err := json.Marshal(index)
	if err != nil {
		t.Fatal(err)
	}
	rest := append([]byte(`",`), coded[1:]...) // what follows the seal
	coded = fmt.Appendf(nil, `{"seal":"%x%s`, sha256.Sum256(rest), rest)
	tail := bytes.Clone(text[len(text)-32:])
	binary.LittleEndian.PutUint64(tail[8:], uint64(len(coded)))
	binary.LittleEndian.PutUint32(tail[16:], crc32.Checksum(coded, table))
	if err := os.WriteFile(path, append(append(text[:indexOffset:indexOffset], coded...), tail...), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedCheckpoint: a run continues from the checkpoint before a damaged one, with a warning; if all are
// damaged, the run is refused.
func TestDamagedCheckpoint(t *testing.T) {
	dir := runWithCheckpoints(t)
	last := checkpointsIn(t, dir)[0]
	text, err := os.ReadFile(last)
	if err == nil {
		text[len(text)/3] ^= 4
		err = os.WriteFile(last, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := atoll(t, dir, nil, "run", "case.toml", "--restart", "--set", "checkpoint.keep=100")
	before := filepath.Base(checkpointsIn(t, dir)[1])
	if code := c.code(t); code != exitDone || !strings.Contains(c.stderr.String(), "is damaged: the checksum") ||
		!strings.Contains(c.stdout.String(), before) {
		t.Errorf("exit code %d, stdout\n%s\nstderr\n%s", code, c.stdout.String(), c.stderr.String())
	}
	if _, err := os.Stat(last); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the damaged checkpoint is still there: %v", err)
	}
	left, err := checkpoint.List(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range left {
		if err := os.WriteFile(path, []byte("ATOLLCKP"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c = atoll(t, dir, nil, "run", "case.toml", "-q", "--restart")
	if code := c.code(t); code != exitUsage ||
		!strings.Contains(c.stderr.String(), "no checkpoint in out can be used: ") {
		t.Errorf("all damaged: exit code %d, stderr\n%s", code, c.stderr.String())
	}
}

// TestCheckpointThatCannotBeWritten: a failed checkpoint gives a warning, and the run completes.
func TestCheckpointThatCannotBeWritten(t *testing.T) {
	dir := caseFile(t, smallCase)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "out", "checkpoints"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c := atoll(t, dir, nil, "run", "case.toml", "-q", "--ranks", "2", "--set", "checkpoint.steps=20")
	if code := c.code(t); code != exitDone || !strings.Contains(c.stderr.String(), "checkpoint not written: ") {
		t.Errorf("exit code %d, stderr\n%s", code, c.stderr.String())
	}
}

// TestKilledAnywhere kills a run at random times, ATOLL_KILLS times. Each next run continues from the last complete
// checkpoint, and the last one has the output of an uninterrupted run.
func TestKilledAnywhere(t *testing.T) {
	kills := 4
	if text := os.Getenv("ATOLL_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	dir := caseFile(t, strings.ReplaceAll(smallCase, "cells = 1800", "cells = 8000"))
	args := []string{"run", "case.toml", "-q", "--ranks", "2", "--transport", "local", "--set", "checkpoint.steps=1"}
	reference := atoll(t, dir, nil, append(args, "--out", "whole")...)
	begin := time.Now()
	if code := reference.code(t); code != exitDone {
		t.Fatalf("exit code %d, stderr\n%s", code, reference.stderr.String())
	}
	took := time.Since(begin)
	rng := rand.New(rand.NewPCG(1, 7))
	for range kills {
		c := atoll(t, dir, nil, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Float64() * .4 * float64(took)))
		_ = c.Process.Kill() // fails if it has ended
		_ = c.Wait()
	}
	last := atoll(t, dir, nil, args...)
	if code := last.code(t); code != exitDone || strings.Contains(last.stderr.String(), "damaged") {
		t.Fatalf("after %d kills: exit code %d, stderr\n%s", kills, code, last.stderr.String())
	}
	for _, file := range []string{"conservation.csv", "gauges/centre.csv", "case.pvd"} {
		got, errGot := os.ReadFile(filepath.Join(dir, "out", file))
		want, errWant := os.ReadFile(filepath.Join(dir, "whole", file))
		if errGot != nil || errWant != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from that of an uninterrupted run, %v %v", file, errGot, errWant)
		}
	}
	if a, b := hashOf(t, dir, "out"), hashOf(t, dir, "whole"); a != b {
		t.Errorf("state %s, want %s", a, b)
	}
}

func hashOf(t *testing.T, dir, out string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, out, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Hash string `json:"state_sha256"`
	}
	if err := json.Unmarshal(text, &s); err != nil || s.Hash == "" {
		t.Fatal(fmt.Errorf("no hash in %s: %w", text, err))
	}
	return s.Hash
}

func stateOf(t *testing.T, dir string) folder.State {
	t.Helper()
	info, err := folder.Read(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return info.State
}
