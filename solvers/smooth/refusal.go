package smooth

// Refusal is an error that the mesh or the metric caused, the same on all ranks.
type Refusal struct{ Err error }

func (r *Refusal) Error() string { return r.Err.Error() }
func (r *Refusal) Unwrap() error { return r.Err }
