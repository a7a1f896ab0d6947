package onmachine

// SetFolder sets the folders of ranks.
func SetFolder(of func(rank int) string) (restore func()) {
	before := folder
	folder = of
	return func() { folder = before }
}
