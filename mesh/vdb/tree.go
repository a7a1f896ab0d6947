package vdb

import (
	"cmp"
	"slices"
)

// An OpenVDB tree has three levels of nodes below its root: upper internal nodes of 32³ children, lower internal nodes
// of 16³ children, and leaves of 8³ voxels.
const (
	leafLog, lowLog, highLog = 3, 4, 5

	leafSide = 1 << leafLog
	lowSide  = 1 << (leafLog + lowLog)
	highSide = 1 << (leafLog + lowLog + highLog)

	leafVoxels   = 1 << (3 * leafLog)
	lowChildren  = 1 << (3 * lowLog)
	highChildren = 1 << (3 * highLog)
)

// leaf is a leaf node with its voxels, z fastest, then y.
type leaf struct {
	values [leafVoxels]float32
	active [leafVoxels / 64]uint64
	count  int // active voxels
}

// low is a lower internal node. A leaf without active voxels whose values are all the same is represented by this
// value, a tile of OpenVDB, rather than by a child.
type low struct {
	children map[int]*leaf // by their index in the node
	values   [lowChildren]float32
}

// high is an upper internal node.
type high struct {
	first    [3]int // its first voxel
	children map[int]*low
	values   [highChildren]float32
}

// tree returns the upper internal nodes of a grid, and the number of active voxels.
func (g *Grid) tree() (nodes []*high, active int64) {
	for k := 0; k < g.N[2]; k += highSide {
		for j := 0; j < g.N[1]; j += highSide {
			for i := 0; i < g.N[0]; i += highSide {
				h, n := g.high([3]int{i, j, k})
				nodes, active = append(nodes, h), active+n
			}
		}
	}
	slices.SortFunc(nodes, func(a, b *high) int {
		return cmp.Or(cmp.Compare(a.first[0], b.first[0]), cmp.Compare(a.first[1], b.first[1]),
			cmp.Compare(a.first[2], b.first[2]))
	})
	return nodes, active
}

// high returns the upper internal node whose first voxel is first, and the number of active voxels.
func (g *Grid) high(first [3]int) (h *high, active int64) {
	h = &high{first: first, children: map[int]*low{}}
	for c := range h.values {
		voxel := [3]int{first[0] + c>>(2*highLog)*lowSide, first[1] + c>>highLog%(1<<highLog)*lowSide,
			first[2] + c%(1<<highLog)*lowSide}
		h.values[c] = float32(g.Background)
		if !g.contains(voxel) {
			continue
		}
		child, value, n := g.low(voxel)
		if n == 0 {
			h.values[c] = value
			if !child.mixed() {
				continue
			}
		}
		h.children[c] = child
		active += n
	}
	return h, active
}

// contains reports whether a voxel is in the grid.
func (g *Grid) contains(voxel [3]int) bool {
	return voxel[0] < g.N[0] && voxel[1] < g.N[1] && voxel[2] < g.N[2]
}

// low returns the lower internal node whose first voxel is first, its value if all values are the same, and the number
// of active voxels.
func (g *Grid) low(first [3]int) (node *low, value float32, active int64) {
	node = &low{children: map[int]*leaf{}}
	for c := range node.values {
		voxel := [3]int{first[0] + c>>(2*lowLog)*leafSide, first[1] + c>>lowLog%(1<<lowLog)*leafSide,
			first[2] + c%(1<<lowLog)*leafSide}
		node.values[c] = float32(g.Background)
		if !g.contains(voxel) {
			continue
		}
		l := g.leaf(voxel)
		if l.count > 0 || l.mixed() {
			node.children[c] = l
			active += int64(l.count)
			continue
		}
		node.values[c] = l.values[0]
	}
	return node, node.values[0], active
}

// mixed reports whether the node has children or different values.
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

// leaf returns the leaf whose first voxel is first. Voxels outside the grid are background.
func (g *Grid) leaf(first [3]int) *leaf {
	l := &leaf{}
	for c := range l.values {
		voxel := [3]int{first[0] + c>>(2*leafLog), first[1] + c>>leafLog%leafSide, first[2] + c%leafSide}
		l.values[c] = float32(g.Background)
		if !g.contains(voxel) {
			continue
		}
		v := float32(g.Values[voxel[0]+g.N[0]*(voxel[1]+g.N[1]*voxel[2])])
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

// mixed reports whether the values of the leaf are not all the same.
func (l *leaf) mixed() bool {
	for _, v := range l.values {
		if v != l.values[0] {
			return true
		}
	}
	return false
}
