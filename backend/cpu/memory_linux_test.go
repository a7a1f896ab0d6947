package cpu

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGroupMemory: what a control group may still use, with what of it is files that are cached, by both versions; no
// limit is none, and groups within groups are all looked at.
func TestGroupMemory(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/memory.max", "1000\n")
	write("a/memory.current", "700\n")
	write("a/memory.stat", "anon 400\ninactive_file 300\n")
	write("a/b/memory.max", "max\n")
	write("memory/c/memory.limit_in_bytes", "500\n")
	write("memory/c/memory.usage_in_bytes", "600\n")
	for dir, want := range map[string][2]uint64{"a": {1000, 600}, "memory/c": {500, 0}} {
		if limit, left, ok := groupMemory(filepath.Join(root, dir)); !ok || limit != want[0] || left != want[1] {
			t.Errorf("%s: %d of %d, %v", dir, left, limit, ok)
		}
	}
	if _, _, ok := groupMemory(filepath.Join(root, "a/b")); ok {
		t.Error("a group without a limit has one")
	}
	dirs := groups(root, "0::/a/b\n4:memory:/c\n3:cpu:/d\n")
	want := []string{"", "memory", "a/b", "a", "memory/c"}
	if len(dirs) != len(want) {
		t.Fatalf("%q", dirs)
	}
	for i, name := range want {
		if dirs[i] != filepath.Join(root, name) {
			t.Errorf("%q is not %q", dirs[i], name)
		}
	}
}

func TestHostMemory(t *testing.T) {
	if free, total, err := HostMemory(); err != nil || free == 0 || free > total {
		t.Errorf("%d of %d, %v", free, total, err)
	}
}
