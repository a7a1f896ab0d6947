package halo

import "fmt"

// GhostReturnPlan returns a plan that returns values gathered in ghosts to the owners of their cells, along one axis:
// it sends the first layer of ghosts above a box, extended by one ghost along the other axes, to the rank of the next
// box, which receives it as the first layer of ghosts below its own cells. Exchange by these plans along the last axis
// first, and after each axis combine the received layer with the first layer of own cells.
func (p *BoxPlan) GhostReturnPlan(axis int) (*BoxPlan, error) {
	if axis < 0 || axis >= p.boxes.Dim || p.ghost < 1 {
		return nil, fmt.Errorf("halo: cannot return ghosts along axis %d of boxes in %d dimensions with %d ghost "+
			"layers: want one of the axes, and 1 layer or more", axis, p.boxes.Dim, p.ghost)
	}
	b := &boxPlanner{Boxes: p.boxes}
	rank := p.Rank
	for a := range 3 {
		b.position[a] = rank % b.parts(a)
		rank /= b.parts(a)
	}
	layer := Region{N: p.Shape}
	for a := range b.Dim {
		layer.Lo[a], layer.N[a] = p.ghost-1, p.Shape[a]-2*(p.ghost-1)
	}
	up := &BoxPlan{Rank: p.Rank, Shape: p.Shape, boxes: p.boxes, ghost: p.ghost, returnsGhosts: true}
	var phase Phase
	layer.N[axis] = 1
	direction := [3]int{}
	direction[axis] = 1
	if next, ok := b.neighbour(direction); ok {
		above := layer
		above.Lo[axis] = p.Shape[axis] - p.ghost
		peer := phase.peer(next)
		peer.Send = append(peer.Send, above)
	}
	direction[axis] = -1
	if prev, ok := b.neighbour(direction); ok {
		peer := phase.peer(prev)
		peer.Recv = append(peer.Recv, layer)
	}
	up.add(phase)
	return up, nil
}
