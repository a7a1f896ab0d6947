package kernelgen

import (
	"slices"
	"strings"
)

// hasLanes tells whether a variant of a kernel has code for lanes.
func (k *Kernel) hasLanes(v Variant) bool {
	return k.Lanes && (len(k.laned) == 0 || slices.Contains(k.laned, strings.TrimPrefix(v.Suffix, "_")))
}

// checkVectors refuses marks that lanes cannot have.
func (p *Package) checkVectors(k *Kernel) {
	if k.Lanes && k.Tile {
		p.refuse(k.decl, "kernel %s is marked tile and lanes: the loops of a tile are for GPUs", k.Name)
	}
	for _, name := range k.laned {
		if !slices.ContainsFunc(k.Variants, func(v Variant) bool { return v.Suffix == "_"+name }) {
			p.refuse(k.decl, "lanes=%s: kernel %s has no such variant", name, k.Name)
		}
	}
	if k.Lanes && k.fn.Signature().TypeParams().Len() != 1 {
		p.refuse(k.decl, "kernel %s is marked lanes and needs a type parameter, the precision", k.Name)
	}
}
