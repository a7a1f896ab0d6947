package vdb

import (
	"cmp"
	"slices"
)

// An OpenVDB tree has nodes of three kinds below its root: those of 32³ nodes of 16³ leaves of 8³ voxels.
const (
	leafLog, lowLog, highLog = 3, 4, 5

	leafSide = 1 << leafLog
	lowSide  = 1 << (leafLog + lowLog)
	highSide = 1 << (leafLog + lowLog + highLog)

	leafVoxels   = 1 << (3 * leafLog)
	lowChildren  = 1 << (3 * lowLog)
	highChildren = 1 << (3 * highLog)
)

// leaf is a leaf node, with its voxels, z fastest, then y. Active voxels are called stored here.
type leaf struct {
	values [leafVoxels]float32
	active [leafVoxels / 64]uint64
	count  int
}

// low is a lower internal node, of leaves. A leaf that is one value throughout and has no stored voxels is that value
// (a tile of OpenVDB) instead of a child.
type low struct {
	children map[int]*leaf // by their position in the node
	values   [lowChildren]float32
}

// high is an upper internal node, of lower ones.
type high struct {
	first    [3]int // its first voxel
	children map[int]*low
	values   [highChildren]float32
}

// tree makes the nodes of a grid.
func (g *Grid) tree() (nodes []*high, stored int64) {
	for k := 0; k < g.N[2]; k += highSide {
		for j := 0; j < g.N[1]; j += highSide {
			for i := 0; i < g.N[0]; i += highSide {
				h, n := g.high([3]int{i, j, k})
				nodes, stored = append(nodes, h), stored+n
			}
		}
	}
	slices.SortFunc(nodes, func(a, b *high) int {
		return cmp.Or(cmp.Compare(a.first[0], b.first[0]), cmp.Compare(a.first[1], b.first[1]),
			cmp.Compare(a.first[2], b.first[2]))
	})
	return nodes, stored
}

func (g *Grid) high(first [3]int) (h *high, stored int64) {
	h = &high{first: first, children: map[int]*low{}}
	for c := range h.values {
		at := [3]int{first[0] + c>>(2*highLog)*lowSide, first[1] + c>>highLog%(1<<highLog)*lowSide,
			first[2] + c%(1<<highLog)*lowSide}
		h.values[c] = float32(g.Background)
		if !g.has(at) {
			continue
		}
		child, value, n := g.low(at)
		if n == 0 {
			h.values[c] = value
			if !child.mixed() {
				continue
			}
		}
		h.children[c] = child
		stored += n
	}
	return h, stored
}

func (g *Grid) has(at [3]int) bool { return at[0] < g.N[0] && at[1] < g.N[1] && at[2] < g.N[2] }

// low returns the lower internal node that begins at first, its value if it has none stored and is not mixed, and the
// number of stored voxels.
func (g *Grid) low(first [3]int) (node *low, value float32, stored int64) {
	node = &low{children: map[int]*leaf{}}
	for c := range node.values {
		at := [3]int{first[0] + c>>(2*lowLog)*leafSide, first[1] + c>>lowLog%(1<<lowLog)*leafSide,
			first[2] + c%(1<<lowLog)*leafSide}
		node.values[c] = float32(g.Background)
		if !g.has(at) {
			continue
		}
		l := g.leaf(at)
		if l.count > 0 || l.mixed() {
			node.children[c] = l
			stored += int64(l.count)
			continue
		}
		node.values[c] = l.values[0]
	}
	return node, node.values[0], stored
}

// mixed tells whether the node is not one value throughout.
func (n *low) mixed() bool {
	if len(n.children) > 0 {
		return true
	}
	for _, v := range n.values {
		if v != n.values[0] {
			return true
		}
	}
	return false
}

// leaf reads the voxels of one. Those beyond the grid are background.
func (g *Grid) leaf(first [3]int) *leaf {
	l := &leaf{}
	for c := range l.values {
		at := [3]int{first[0] + c>>(2*leafLog), first[1] + c>>leafLog%leafSide, first[2] + c%leafSide}
		l.values[c] = float32(g.Background)
		if !g.has(at) {
			continue
		}
		v := float32(g.Values[at[0]+g.N[0]*(at[1]+g.N[1]*at[2])])
		if g.active(v) {
			l.active[c/64] |= 1 << (c % 64)
			l.count++
		} else if g.LevelSet && v < 0 {
			v = -float32(g.Background)
		} else {
			v = float32(g.Background)
		}
		l.values[c] = v
	}
	return l
}

// mixed tells whether a leaf without stored voxels is not one value throughout.
func (l *leaf) mixed() bool {
	for _, v := range l.values {
		if v != l.values[0] {
			return true
		}
	}
	return false
}
