package source

import (
	"slices"
	"strings"
)

// HasLanes reports whether a variant of a kernel has vector code.
func (k *Kernel) HasLanes(v Variant) bool {
	return k.Lanes && (len(k.laneVariants) == 0 || slices.Contains(k.laneVariants, strings.TrimPrefix(v.Suffix, "_")))
}

// checkVectors refuses marks that are not allowed together with lanes.
func (p *Package) checkVectors(k *Kernel) {
	if k.Lanes && k.Tile {
		p.Refuse(k.Decl, "kernel %s is marked tile and lanes: a tile kernel has no vector code", k.Name)
	}
	if k.Wide && k.Stages == 0 && !k.Lanes {
		p.Refuse(k.Decl, "kernel %s is marked wide, which is for vector code of at least eight lanes: mark it lanes wide",
			k.Name)
	}
	for _, name := range k.laneVariants {
		if !slices.ContainsFunc(k.Variants, func(v Variant) bool { return v.Suffix == "_"+name }) {
			p.Refuse(k.Decl, "lanes=%s: kernel %s has no such variant", name, k.Name)
		}
	}
	if k.Lanes && k.Fn.Signature().TypeParams().Len() != 1 {
		p.Refuse(k.Decl, "kernel %s is marked lanes: it must have one type parameter, the precision", k.Name)
	}
}
