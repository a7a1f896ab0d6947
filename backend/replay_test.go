package backend

import (
	"errors"
	"slices"
	"testing"
)

// recorder is a device that records; log has what was queued on it.
type recorder struct {
	Device
	log       []string
	recording bool
	open      int
}

func (r *recorder) Record(queue func() error) (Recording, error) {
	r.recording = true
	err := queue()
	r.recording = false
	if err != nil {
		return nil, err
	}
	r.open++
	return recorded{r}, nil
}

type recorded struct{ on *recorder }

func (r recorded) Launch() { r.on.log = append(r.on.log, "launch") }
func (r recorded) Close()  { r.on.open-- }

func TestReplay(t *testing.T) {
	d := &recorder{}
	work := func() error {
		if d.recording {
			d.log = append(d.log, "record")
		} else {
			d.log = append(d.log, "queue")
		}
		return nil
	}
	failed := errors.New("no memory")
	var r Replay
	for k := range 3 {
		if err := r.Queue(d, work); err != nil {
			t.Fatalf("call %d: %v", k, err)
		}
	}
	r.Close()
	if err := r.Queue(d, work); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if err := r.Queue(d, func() error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a recording that fails: %v", err)
	}
	if want := []string{"queue", "record", "launch", "launch", "record", "launch"}; !slices.Equal(d.log, want) {
		t.Errorf("queued %v, want %v", d.log, want)
	}
	if r.Close(); d.open != 0 {
		t.Errorf("%d recordings are left", d.open)
	}
	r = Replay{}
	plain := struct{ Device }{}
	calls := 0
	for range 3 {
		if err := r.Queue(plain, func() error { calls++; return nil }); err != nil || calls == 0 {
			t.Errorf("a device that does not record: %d calls, %v", calls, err)
		}
	}
	if calls != 3 {
		t.Errorf("a device that does not record: %d calls, want 3", calls)
	}
}
