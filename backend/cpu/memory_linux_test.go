package cpu

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGroupMemory proves that cached files count as unused in both versions of control groups, that "max" means no
// limit, and that all parents of a group are found.
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
		g, _ := openGroup(filepath.Join(root, dir))
		if limit, unused, ok := g.memory(); !ok || limit != want[0] || unused != want[1] {
			t.Errorf("%s: got %d of %d bytes unused, %v; want %d of %d", dir, unused, limit, ok, want[1], want[0])
		}
	}
	var groups []controlGroup
	for _, dir := range []string{"a", "memory/c"} {
		g, _ := openGroup(filepath.Join(root, dir))
		groups = append(groups, g)
	}
	group := "unused memory of the control group " + filepath.Join(root, "a")
	if free, total, source := memoryLimits(groups[:1]); free != 600 || total != 1000 || source != group {
		t.Errorf("got %d of %d bytes free, limited by %q", free, total, source)
	}
	if _, _, source := memoryLimits(nil); source != thisMachine {
		t.Errorf("without groups the memory is limited by %q", source)
	}
	unlimited, found := openGroup(filepath.Join(root, "a/b"))
	if _, _, ok := unlimited.memory(); !found || ok {
		t.Errorf("a group without a limit: found %v, has a limit %v", found, ok)
	}
	if _, found := openGroup(filepath.Join(root, "memory")); found {
		t.Error("got a group from a folder without files about memory")
	}
	dirs := cgroupDirs(root, "0::/a/b\n4:memory:/c\n3:cpu:/d\n")
	want := []string{"", "memory", "a/b", "a", "memory/c"}
	if len(dirs) != len(want) {
		t.Fatalf("got groups %q, want %q", dirs, want)
	}
	for i, name := range want {
		if dirs[i] != filepath.Join(root, name) {
			t.Errorf("group %d is %q, want %q", i, dirs[i], filepath.Join(root, name))
		}
	}
}

func TestHostMemory(t *testing.T) {
	if free, total, err := HostMemory(); err != nil || free == 0 || free > total {
		t.Errorf("got %d of %d bytes free, error %v", free, total, err)
	}
}
