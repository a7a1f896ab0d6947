package solvers

// SaveField returns the values of a field as a checkpoint has them, for tests.
func SaveField(f *Field) (Saved, error) { return f.save(copies{}) }
