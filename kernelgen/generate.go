package kernelgen

// CUDA returns the package's kernels, and what they call, as one CUDA C file, and its entries. The error names file,
// line and column of everything that kernels may not contain.
func (p *Package) CUDA() (string, []*Entry, error) {
	u, err := p.translate()
	if err != nil {
		return "", nil, err
	}
	return u.source(), u.entries, nil
}
