package backendtest

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/atoll-hpc/atoll/backend"
)

// FakeRecorder is a FakeGPU that also records, as strictly as a GPU captures graphs: what queue does on the host
// happens once, when it is recorded; what it queues happens at each launch and not before; and what waits for the
// device, allocates memory or passes values of the host (an upload) is an error.
type FakeRecorder struct{ *FakeGPU }

// NewFakeRecorder returns a recording device with size bytes of memory that runs loops on dev.
func NewFakeRecorder(dev backend.Device, size int) FakeRecorder {
	return FakeRecorder{NewFakeGPU(dev, size)}
}

// Record implements backend.Recorder.
func (f FakeRecorder) Record(queue func() error) (backend.Recording, error) {
	r, err := f.MakeRecording(queue)
	if err != nil {
		return nil, err
	}
	return f.Kept(r), nil
}

// Kept counts a recording as open until it is closed.
func (f *FakeGPU) Kept(r *FakeRecording) *FakeRecording {
	r.kept = true
	f.OpenRecordings++
	return r
}

// FakeRecording is a sequence of calls that a launch makes.
type FakeRecording struct {
	gpu   *FakeGPU
	calls []func() error
	kept  bool
}

// MakeRecording records what queue queues. Inside of another recording the calls are recorded apart from it.
func (f *FakeGPU) MakeRecording(queue func() error) (*FakeRecording, error) {
	r, outer := &FakeRecording{gpu: f}, f.recording
	f.recording = r
	err := queue()
	f.recording = outer
	return r, err
}

// Recording reports whether a recording is being made.
func (f *FakeGPU) Recording() bool { return f.recording != nil }

// Queue makes a call now, or adds it to the recording that is being made.
func (f *FakeGPU) Queue(call func() error) error {
	if f.recording == nil {
		return call()
	}
	f.recording.calls = append(f.recording.calls, call)
	return nil
}

// withPresentArguments returns a copy of a loop, whose arguments do not change when those of the loop do.
func withPresentArguments(l backend.Loop) backend.Loop {
	v := reflect.ValueOf(l)
	if v.Kind() != reflect.Pointer {
		return l
	}
	present := reflect.New(v.Type().Elem())
	present.Elem().Set(v.Elem())
	return present.Interface().(backend.Loop)
}

// waits returns an error if a recording is being made.
func (f *FakeGPU) waits(what string) error {
	if f.recording == nil {
		return nil
	}
	return errors.New(what + " while a sequence is recorded")
}

// Launch implements backend.Recording. It panics on an error, which a launch cannot return.
func (r *FakeRecording) Launch() {
	r.gpu.Launches++
	if err := r.Calls(); err != nil {
		panic(fmt.Sprint("in a recording: ", err))
	}
}

// Calls makes the recorded calls.
func (r *FakeRecording) Calls() error {
	for _, call := range r.calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

func (r *FakeRecording) Close() {
	if r.kept {
		r.gpu.OpenRecordings--
	}
	r.calls, r.kept = nil, false
}
