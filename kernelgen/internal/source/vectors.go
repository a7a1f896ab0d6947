package source

import (
	"slices"
	"strings"
)

// HasLanes tells whether a variant of a kernel has code for lanes.
func (k *Kernel) HasLanes(v Variant) bool {
	return k.Lanes && (len(k.laned) == 0 || slices.Contains(k.laned, strings.TrimPrefix(v.Suffix, "_")))
}

// checkVectors refuses marks that lanes cannot have.
func (p *Package) checkVectors(k *Kernel) {
	if k.Lanes && k.Tile {
		p.Refuse(k.Decl, "kernel %s is marked tile and lanes: the loops of a tile are for GPUs", k.Name)
	}
	for _, name := range k.laned {
		if !slices.ContainsFunc(k.Variants, func(v Variant) bool { return v.Suffix == "_"+name }) {
			p.Refuse(k.Decl, "lanes=%s: kernel %s has no such variant", name, k.Name)
		}
	}
	if k.Lanes && k.Fn.Signature().TypeParams().Len() != 1 {
		p.Refuse(k.Decl, "kernel %s is marked lanes and needs a type parameter, the precision", k.Name)
	}
}
