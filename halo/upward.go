package halo

import "fmt"

// Upward is the plan by which the first layer of ghosts above a box along an axis, with its rims of one ghost along the
// other axes, goes to the rank of the next box, which has it as the first layer of ghosts below its own cells. What
// ghosts have gathered comes back to the owners of their cells so: along the last axis first, each time before the
// first own layer takes what came.
func (p *BoxPlan) Upward(axis int) (*BoxPlan, error) {
	if axis < 0 || axis >= p.boxes.Dim || p.ghost < 1 {
		return nil, fmt.Errorf("halo: ghosts above boxes along axis %d, in %d dimensions and with %d layers", axis,
			p.boxes.Dim, p.ghost)
	}
	b := &boxPlanner{Boxes: p.boxes}
	rank := p.Rank
	for a := range 3 {
		b.at[a] = rank % b.parts(a)
		rank /= b.parts(a)
	}
	layer := Region{N: p.Shape}
	for a := range b.Dim {
		layer.Lo[a], layer.N[a] = p.ghost-1, p.Shape[a]-2*(p.ghost-1)
	}
	up := &BoxPlan{Rank: p.Rank, Shape: p.Shape, boxes: p.boxes, ghost: p.ghost, upward: true}
	var round Phase
	layer.N[axis] = 1
	direction := [3]int{}
	direction[axis] = 1
	if to, ok := b.neighbour(direction); ok {
		above := layer
		above.Lo[axis] = p.Shape[axis] - p.ghost
		peer := round.peer(to)
		peer.Send = append(peer.Send, above)
	}
	direction[axis] = -1
	if from, ok := b.neighbour(direction); ok {
		peer := round.peer(from)
		peer.Recv = append(peer.Recv, layer)
	}
	up.add(round)
	return up, nil
}
