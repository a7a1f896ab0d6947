package backend

// Replay queues the same work many times, with one call if the device can record it. The zero value is ready for use.
type Replay struct {
	queued    bool      // once without a recording
	recording Recording // nil before the second time
}

// Queue queues what a function queues, which must be the same each time until Close. It records the second time: on
// first use a device loads code and allocates, which a recording cannot contain.
func (r *Replay) Queue(d Device, queue func() error) error {
	recorder, records := d.(Recorder)
	if !records || !r.queued {
		r.queued = true
		return queue()
	}
	if r.recording == nil {
		recording, err := recorder.Record(queue)
		if err != nil {
			return err
		}
		r.recording = recording
	}
	r.recording.Launch()
	return nil
}

// Close frees the recording. Queue may then be called with other work, of the same kernels, of which it makes another.
func (r *Replay) Close() {
	if r.recording != nil {
		r.recording.Close()
		r.recording = nil
	}
}
